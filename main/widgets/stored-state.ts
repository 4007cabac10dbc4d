/**
 * Widget state in a notebook's metadata, `application/vnd.jupyter.widget-state+json` (ipywidgets, "widget state specification", version 2). Read
 * for showing when no kernel has the model, and written only where the person wants that. Pure.
 */
import type { Output } from '../../preload/output-change.ts';
import type { RawPayload } from '../execution/run-protocol.ts';
import { type State, withBuffers, withoutBuffers } from './binary-state.ts';
import { nbformatOutput, outputOf } from './portable-outputs.ts';
import type { LiveModel } from './widget-models.ts';

export const STATE_MIME = 'application/vnd.jupyter.widget-state+json';

/** How one model names another in its state. */
const REFERENCE = 'IPY_MODEL_';

export interface StoredModel {
  state: State;
  outputs: Output<RawPayload>[];
}

/** The models in a notebook's `widgets` metadata, each read when it is asked for. Other people's files may hold anything there. */
export function storedModel(widgets: unknown, modelId: string): StoredModel | null {
  const models = fields(fields(fields(widgets)[STATE_MIME]).state);
  if (!Object.hasOwn(models, modelId)) return null;
  const { model_name, model_module, model_module_version, state, buffers } = fields(models[modelId]);
  if (typeof model_name !== 'string' || typeof model_module !== 'string') return null;
  const { outputs, ...rest } = fields(state);
  const found = Array.isArray(buffers) ? buffers.map(fields) : [];
  return {
    state: {
      _model_name: model_name,
      _model_module: model_module,
      _model_module_version: model_module_version,
      ...withBuffers(
        rest,
        found.map(({ path }) => path),
        found.map(({ data, encoding }) => decoded(data, encoding)),
      ),
    },
    outputs: Array.isArray(outputs) ? outputs.flatMap(outputOf) : [],
  };
}

interface Earlier {
  /** A model of a kernel that ended. */
  ended: (modelId: string) => LiveModel | null;
  /** The notebook's `widgets` metadata. */
  widgets: unknown;
  /** Models that the notebook's outputs show. */
  shown: ReadonlySet<string>;
}

/**
 * The `widgets` metadata that holds a kernel's models. Of earlier ones those stay that the notebook's outputs still show, and what they are made of;
 * without that every save would keep the models of every session before.
 */
export function widgetsMetadata(
  models: Iterable<readonly [string, LiveModel]>,
  { ended, widgets, shown }: Earlier = { ended: () => null, widgets: null, shown: new Set() },
): Record<string, unknown> {
  const state: Record<string, unknown> = {};
  for (const [modelId, model] of models) state[modelId] = storedForm(model);
  const stored = fields(fields(fields(widgets)[STATE_MIME]).state);
  const wanted = [...shown];
  for (let modelId = wanted.pop(); modelId !== undefined; modelId = wanted.pop()) {
    if (Object.hasOwn(state, modelId)) continue;
    const model = ended(modelId);
    if (!model && !Object.hasOwn(stored, modelId)) continue;
    state[modelId] = model ? storedForm(model) : stored[modelId];
    wanted.push(...references(state[modelId]));
  }
  return { [STATE_MIME]: { state, version_major: 2, version_minor: 0 } };
}

/** Ids of the models that a value in a model's state names. */
export function references(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith(REFERENCE) ? [value.slice(REFERENCE.length)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(references);
}

function storedForm({ state: live, outputs }: LiveModel): Record<string, unknown> {
  const { _model_name, _model_module, _model_module_version, ...rest } = live;
  const isOutput = _model_name === 'OutputModel';
  const { state, paths, buffers } = withoutBuffers({
    _model_name,
    _model_module,
    _model_module_version,
    ...rest,
    // A request that is over captures nothing when the file is opened again.
    ...(isOutput ? { msg_id: '', outputs: outputs.map(nbformatOutput) } : {}),
  });
  return {
    ...(buffers.length > 0
      ? { buffers: buffers.map((data, index) => ({ data: Buffer.from(data).toString('base64'), encoding: 'base64', path: paths[index] })) }
      : {}),
    model_module: _model_module,
    model_module_version: _model_module_version,
    model_name: _model_name,
    state,
  };
}

function decoded(data: unknown, encoding: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(typeof data === 'string' ? data : '', encoding === 'hex' ? 'hex' : 'base64'));
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
