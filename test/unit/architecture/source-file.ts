/**
 * What a source file says about itself, read from its syntax tree: its imports (types too, since they are knowledge of another part as
 * well), where it says `any`, its length, and whether it opens with a comment.
 */
import path from 'node:path/posix';
import { parseSync } from 'vite';

export interface SourceFacts {
  /** Relative imports as paths from the repository, others as written. */
  readonly imports: readonly string[];
  /** Line numbers, from 1. */
  readonly anyLines: readonly number[];
  readonly lines: number;
  readonly hasHeader: boolean;
}

/** `file` is relative to the repository, with slashes. Throws when the text can't be parsed. */
export function factsOf(file: string, text: string): SourceFacts {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} can't be parsed: ${errors[0]?.message}`);
  const imports: string[] = [];
  const anyLines: number[] = [];
  walk(program, (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) imports.push(specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier);
    if (node.type === 'TSAnyKeyword') anyLines.push(text.slice(0, Number(node.start)).split('\n').length);
  });
  return {
    imports,
    anyLines,
    lines: text.trimEnd().split('\n').length,
    hasHeader: /^(#!.*\n)?\s*(\/\*\*|\/\/)/.test(text),
  };
}

type Node = Readonly<Record<string, unknown>>;

/** The module a node imports, in any of the ways to write that. */
function specifierOf(node: Node): string | undefined {
  const isImport = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression', 'TSImportType'].includes(
    String(node.type),
  );
  if (isImport) return literal(node.source) ?? literal(node.argument);
  const isRequire = node.type === 'CallExpression' && isNode(node.callee) && node.callee.name === 'require';
  return isRequire && Array.isArray(node.arguments) ? literal(node.arguments[0]) : undefined;
}

function literal(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (typeof value.value === 'string') return value.value;
  return literal(value.literal);
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  else if (isNode(value)) {
    if (typeof value.type === 'string') visit(value);
    for (const child of Object.values(value)) walk(child, visit);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
