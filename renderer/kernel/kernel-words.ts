/**
 * The kernel's state in a person's words, and the colour that goes with it. One table for the pill, its announcement and the banners.
 */
import type { KernelView } from '../../preload/contract.ts';
import type { CommandId } from '../shell/command-ids.ts';

export type KernelTone = 'quiet' | 'idle' | 'running' | 'waiting' | 'failed';

const WORDS: Record<KernelView['state'], { word: string; tone: KernelTone }> = {
  none: { word: 'not started', tone: 'quiet' },
  starting: { word: 'starting', tone: 'waiting' },
  idle: { word: 'idle', tone: 'idle' },
  busy: { word: 'busy', tone: 'running' },
  restarting: { word: 'restarting', tone: 'waiting' },
  'not-responding': { word: 'not responding', tone: 'running' },
  dead: { word: 'ended', tone: 'failed' },
};

export function kernelTone(kernel: KernelView): KernelTone {
  return kernel.state === 'none' && kernel.message !== null ? 'failed' : WORDS[kernel.state].tone;
}

export function kernelWord(kernel: KernelView): string {
  if (kernel.state === 'none' && kernel.message !== null) return 'could not start';
  const { word } = WORDS[kernel.state];
  return kernel.state === 'busy' && kernel.queued > 0 ? `${word}, ${kernel.queued} waiting` : word;
}

/** For the live region: a change of state as a sentence. */
export function kernelSentence(kernel: KernelView): string {
  return kernel.message ?? `Kernel ${kernel.name} is ${kernelWord(kernel)}.`;
}

/** A kernel that ended or failed to start needs a banner; a slow one only a note. */
export function kernelTrouble(kernel: KernelView): 'dead' | 'failed' | 'note' | null {
  if (kernel.state === 'dead') return 'dead';
  if (kernel.message === null) return null;
  return kernel.state === 'none' ? 'failed' : 'note';
}

interface KernelAction {
  label: string;
  command: CommandId;
  main?: boolean;
}

/** What a banner about the kernel offers; nothing for a sentence that needs no answer. */
export function kernelActions(kernel: KernelView): KernelAction[] {
  switch (kernelTrouble(kernel)) {
    case 'dead':
      return [{ label: 'Restart', command: 'kernel.restart', main: true }, CHOOSE];
    case 'failed':
      return [{ label: 'Try again', command: 'kernel.start', main: true }, CHOOSE];
    case 'note':
      if (canInterrupt(kernel)) return [RESTART, { label: 'Interrupt again', command: 'kernel.interrupt' }];
      return kernel.restartHelps ? [RESTART] : [];
    case null:
      return [];
  }
}

const RESTART: KernelAction = { label: 'Restart…', command: 'kernel.restart' };
const CHOOSE: KernelAction = { label: 'Choose another kernel…', command: 'kernel.choose' };

export function canInterrupt(kernel: KernelView): boolean {
  return kernel.state === 'busy' || kernel.state === 'not-responding' || kernel.queued > 0;
}

export function hasProcess(kernel: KernelView): boolean {
  return kernel.state !== 'none' && kernel.state !== 'dead';
}
