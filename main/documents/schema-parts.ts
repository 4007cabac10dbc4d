/**
 * nbformat's JSON schemas (in `schemas/`, as nbformat ships them, with their licence) compiled part by part. Nothing here is loaded before the
 * first notebook is validated.
 */
import type { ErrorObject, SchemaObject } from 'ajv';
import { nextTurn } from './pacing.ts';

export type SchemaPart = 'notebook' | 'code_cell' | 'markdown_cell' | 'raw_cell' | 'stream' | 'display_data' | 'execute_result' | 'error';
export type Validate = (part: SchemaPart, value: unknown) => readonly ErrorObject[];

const SCHEMAS: readonly (() => Promise<{ default: unknown }>)[] = [
  () => import('./schemas/nbformat.v4.0.schema.json'),
  () => import('./schemas/nbformat.v4.1.schema.json'),
  () => import('./schemas/nbformat.v4.2.schema.json'),
  () => import('./schemas/nbformat.v4.3.schema.json'),
  () => import('./schemas/nbformat.v4.4.schema.json'),
  () => import('./schemas/nbformat.v4.5.schema.json'),
];

const loaded = new Map<number, Promise<Validate>>();

/** The validator for nbformat 4.`minor` (0 to 5). */
export function loadSchema(minor: number): Promise<Validate> {
  const present = loaded.get(minor) ?? compile(minor);
  loaded.set(minor, present);
  return present;
}

async function compile(minor: number): Promise<Validate> {
  const { Ajv } = await import('ajv');
  await nextTurn();
  const { default: schema } = await SCHEMAS[minor]!();
  // They are draft 4, which this compiler doesn't know by name, but use nothing that differs in the draft it knows.
  const { $schema: _draft, ...rest } = schema as SchemaObject;
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addSchema(rest, 'nbformat');
  await nextTurn();
  return (part, value) => {
    const validate = ajv.getSchema(part === 'notebook' ? 'nbformat' : `nbformat#/definitions/${part}`)!;
    return validate(value) ? [] : (validate.errors ?? []);
  };
}
