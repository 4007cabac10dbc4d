/**
 * Notebooks against nbformat's own JSON schemas: what does not fit, and where. Loaded only when asked for, because the schema compiler takes a
 * tenth of a second; checks cell by cell in slices, since whole notebooks can be too large to decode at once.
 */
import type { ErrorObject } from 'ajv';
import { decodeJson } from './json-text.ts';
import type { NotebookFile, RawCell } from './notebook-file.ts';
import { KNOWN_MINOR } from './notebook-format.ts';
import { findMember } from './object-splice.ts';
import { nextTurn, pacer } from './pacing.ts';
import { loadSchema, type SchemaPart } from './schema-parts.ts';

export interface Problem {
  /** E.g. `cells[3].outputs[0].data`; empty for the notebook itself. */
  where: string;
  message: string;
}

/** More than this many tell no more. */
const MAX_PROBLEMS = 100;
/** Cells larger than this are checked without their outputs: decoding them would take too long at a stretch. */
const LARGE_CELL = 2_000_000;

/** What in the file does not fit nbformat 4.`minor`. Nothing is said about minors newer than those we know. */
export async function findProblems(file: NotebookFile, minor: number): Promise<Problem[]> {
  if (minor > KNOWN_MINOR || minor < 0) return [];
  const validate = await loadSchema(minor);
  await nextTurn();
  const problems = check(validate, 'notebook', topLevel(file), '');
  const breathe = pacer();
  for (const [index, cell] of file.cells.entries()) {
    if (problems.length >= MAX_PROBLEMS) break;
    problems.push(...cellProblems(validate, decodeCell(cell), `cells[${index}]`));
    await breathe();
  }
  return problems;
}

type Validate = Awaited<ReturnType<typeof loadSchema>>;
type Fields = Record<string, unknown>;

function topLevel(file: NotebookFile): Fields {
  const value: Fields = { cells: [] };
  for (const region of [file.head, file.tail]) {
    for (const { key, start, end } of region.members) if (key !== 'cells') value[key] = decodeJson(region.bytes, start, end);
  }
  return value;
}

function decodeCell(cell: RawCell): Fields {
  if (cell.end - cell.start <= LARGE_CELL) return decodeJson(cell.bytes, cell.start, cell.end) as Fields;
  const value: Fields = {};
  for (const { key } of cell.members) {
    const { start, end } = findMember(cell, key)!;
    value[key] = key === 'outputs' ? [] : decodeJson(cell.bytes, start, end);
  }
  return value;
}

const CELL_PARTS: Record<string, SchemaPart> = { code: 'code_cell', markdown: 'markdown_cell', raw: 'raw_cell' };
const OUTPUT_PARTS: Record<string, SchemaPart> = {
  stream: 'stream',
  display_data: 'display_data',
  execute_result: 'execute_result',
  error: 'error',
};

/** Cells and outputs are checked as what they say they are: a schema of alternatives would only say that none fits. */
function cellProblems(validate: Validate, cell: Fields, where: string): Problem[] {
  const part = CELL_PARTS[String(cell.cell_type)];
  if (!part) return [{ where, message: `cell_type ${JSON.stringify(cell.cell_type) ?? 'is missing'} is not one of nbformat 4` }];
  const outputs = Array.isArray(cell.outputs) ? cell.outputs : [];
  const problems = check(validate, part, outputs.length > 0 ? { ...cell, outputs: [] } : cell, where);
  outputs.forEach((output: unknown, index) => {
    problems.push(...outputProblems(validate, output, `${where}.outputs[${index}]`));
  });
  return problems;
}

function outputProblems(validate: Validate, output: unknown, where: string): Problem[] {
  const type = output !== null && typeof output === 'object' ? (output as Fields).output_type : undefined;
  const part = OUTPUT_PARTS[String(type)];
  if (!part) return [{ where, message: `output_type ${JSON.stringify(type) ?? 'is missing'} is not one of nbformat 4` }];
  return check(validate, part, output, where);
}

function check(validate: Validate, part: SchemaPart, value: unknown, where: string): Problem[] {
  return validate(part, value).map((error) => ({ where: where + pathOf(error), message: messageOf(error) }));
}

/** `/metadata/tags/0` as `.metadata.tags[0]`. */
function pathOf({ instancePath }: ErrorObject): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step.replaceAll('~1', '/').replaceAll('~0', '~')}`))
    .join('');
}

function messageOf({ keyword, message, params }: ErrorObject): string {
  if (keyword === 'required') return `"${String(params.missingProperty)}" is missing`;
  if (keyword === 'additionalProperties') return `"${String(params.additionalProperty)}" is not a field that nbformat knows here`;
  return message ?? keyword;
}

/** One sentence for the person, or null when all is well. */
export function problemNotice(problems: readonly Problem[], minor: number): string | null {
  const first = problems[0];
  if (!first) return null;
  const count =
    problems.length >= MAX_PROBLEMS
      ? `at least ${problems.length} places`
      : problems.length === 1
        ? 'one place'
        : `${problems.length} places`;
  const where = first.where === '' ? '' : `${first.where.replace(/^\./, '')}: `;
  return `The notebook does not fit nbformat 4.${minor} in ${count} (${where}${first.message}). What you don't change stays as it is.`;
}
