/** All kinds of faults, in the order of the table. */
import { ENDS } from './ends.ts';
import { HOST_KILLS, KERNEL_KILLS } from './kills.ts';
import { LIES } from './lies.ts';
import { LIMITS } from './limits.ts';
import { STOPS } from './stops.ts';
import type { FaultKind } from './tries.ts';

export const KINDS: readonly FaultKind[] = [...KERNEL_KILLS, ...HOST_KILLS, ...ENDS, ...STOPS, ...LIMITS, ...LIES];
