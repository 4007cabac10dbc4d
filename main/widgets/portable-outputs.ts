/**
 * Outputs of a widget as they leave main: to a frame, which reads no files, and to the kernel and the notebook's file, as nbformat has them. A
 * payload that went to an artifact is named in words then. Pure.
 */
import { type Output, streamName } from '../../preload/output-change.ts';
import type { RawOutputChange, RawPayload, SpilledPayload } from '../execution/run-protocol.ts';

export function portableChange(change: RawOutputChange): RawOutputChange {
  return change.op === 'append' || change.op === 'replace' ? { ...change, output: portableOutput(change.output) } : change;
}

export function portableOutput(output: Output<RawPayload>): Output<RawPayload> {
  if (output.type === 'stream' || output.type === 'error') return output;
  const entries = Object.entries(output.data);
  const spilled = entries.filter(([, payload]) => isSpilled(payload));
  if (spilled.length === 0) return output;
  const words = spilled.map(([mime]) => mime).join(', ');
  return {
    ...output,
    data: {
      'text/plain': `[${words}: too large for a widget]`,
      ...Object.fromEntries(entries.filter((entry) => !spilled.includes(entry))),
    },
  };
}

function isSpilled(payload: RawPayload): payload is SpilledPayload {
  return typeof payload === 'object' && payload !== null && typeof (payload as Partial<SpilledPayload>).$artifact === 'string';
}

export function nbformatOutput(given: Output<RawPayload>): Record<string, unknown> {
  const output = portableOutput(given);
  switch (output.type) {
    case 'stream':
      return { output_type: 'stream', name: output.name, text: output.text };
    case 'error':
      return { output_type: 'error', ename: output.ename, evalue: output.evalue, traceback: output.traceback };
    case 'display_data':
      return { output_type: 'display_data', data: output.data, metadata: output.metadata };
    case 'execute_result':
      return { output_type: 'execute_result', data: output.data, metadata: output.metadata, execution_count: output.executionCount };
  }
}

/** The reverse. What is no output is left out. */
export function outputOf(value: unknown): Output<RawPayload>[] {
  const { output_type: type, name, text, ename, evalue, traceback, data, metadata, execution_count: count } = fields(value);
  switch (type) {
    case 'stream':
      return [{ type, name: streamName(name), text: textOf(text) }];
    case 'error':
      return [{ type, ename: textOf(ename), evalue: textOf(evalue), traceback: Array.isArray(traceback) ? traceback.map(textOf) : [] }];
    case 'display_data':
    case 'execute_result':
      return [{ type, data: fields(data), metadata: fields(metadata), executionCount: typeof count === 'number' ? count : null }];
    default:
      return [];
  }
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join('') : typeof value === 'string' ? value : '';
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
