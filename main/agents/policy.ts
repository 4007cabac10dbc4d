/**
 * What an agent may do, as a table on values: the rules stand in order and the first that applies decides, each with its reason. Whatever no
 * rule allows is refused, so that a case nobody thought of is refused as well.
 */
import type { AgentPolicy, Decision, Permission } from '../../preload/agent-sessions.ts';

export interface Situation {
  permission: Permission;
  decision: Decision;
  /** A person has taken over. */
  takenOver: boolean;
  /** A window is there in which a person could answer. */
  canAsk: boolean;
}

export type Verdict = { kind: 'allow' } | { kind: 'ask' } | { kind: 'refuse'; why: string };

interface Rule {
  applies(situation: Situation): boolean;
  verdict(situation: Situation): Verdict;
}

const RULES: readonly Rule[] = [
  {
    // Whoever took over works there now: two at once would undo what they took over for. Looking harms nobody.
    applies: ({ takenOver, permission }) => takenOver && permission !== 'read',
    verdict: () => ({ kind: 'refuse', why: 'A person has taken over. You may still read; wait until it is given back.' }),
  },
  {
    // Said once and for all by the person.
    applies: ({ decision }) => decision === 'deny',
    verdict: ({ permission }) => ({ kind: 'refuse', why: `The person’s policy for you denies “${permission}”.` }),
  },
  {
    // A question that nobody sees would hang for ever, and silence is no consent.
    applies: ({ decision, canAsk }) => decision === 'ask' && !canAsk,
    verdict: ({ permission }) => ({ kind: 'refuse', why: `“${permission}” needs a person’s approval, and no window is open to ask in.` }),
  },
  { applies: ({ decision }) => decision === 'ask', verdict: () => ({ kind: 'ask' }) },
  { applies: ({ decision }) => decision === 'allow', verdict: () => ({ kind: 'allow' }) },
];

export function verdictOn(situation: Situation): Verdict {
  const rule = RULES.find(({ applies }) => applies(situation));
  return rule ? rule.verdict(situation) : { kind: 'refuse', why: `Nothing allows “${situation.permission}”.` };
}

/**
 * What a new agent may do. With a window a person sees each step and can undo it; what changes the machine outside of the notebook is asked.
 * Without one nobody can be asked: whoever started the agent there gave it the folders, and those are its limit.
 */
export function defaultPolicy({ canAsk }: { canAsk: boolean }): AgentPolicy {
  return { read: 'allow', edit: 'allow', run: 'allow', install: canAsk ? 'ask' : 'allow', delete: 'allow', restart: 'allow' };
}

/** Ways to install packages from a cell. Code can hide it; this is for an honest agent, and the folders are no jail for Python either. */
const INSTALLS: readonly RegExp[] = [
  /^\s*[!%]+\s*(?:(?:python|python3|uv|sudo)\s+(?:-m\s+)?)?(?:pip3?|conda|mamba|micromamba|uv|apt|apt-get|npm|brew)\s+(?:.*\s)?(?:install|add)\b/m,
  /-m['"\s,]+pip['"\s,]+install\b/,
  /['"](?:pip3?|conda|mamba)['"]\s*,\s*['"]install['"]/,
  /\bos\.system\(\s*f?['"](?:pip3?|conda|mamba)\s+install\b/,
];

/** The permission that running this code needs. */
export function permissionToRun(codes: readonly string[]): 'run' | 'install' {
  return codes.some((code) => INSTALLS.some((pattern) => pattern.test(code))) ? 'install' : 'run';
}
