/**
 * The variables for whatever is looked for and started on the person's behalf: this program's own, with those of their login shell where a desktop
 * has started it. The shell is asked beside the start of everything else, and whoever needs the variables waits for it.
 */
import { userInfo } from 'node:os';
import { errorFields, type Log } from '../../log/log.ts';
import { askLoginShell, isFromDesktop, LoginShellError, newVariables } from './login-shell.ts';

export interface ShellEnvironmentOptions {
  /** `auto`: when no terminal has started this program. */
  ask: 'auto' | 'off';
  /** Gets the shell's variables. */
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  log: Log;
}

export class ShellEnvironment {
  readonly #env: NodeJS.ProcessEnv;
  readonly #asked: Promise<void>;
  #problem: string | null = null;

  /** Asks at once. */
  constructor(options: ShellEnvironmentOptions) {
    const { ask, env, platform } = options;
    this.#env = env;
    this.#asked = ask === 'auto' && isFromDesktop(platform, env) ? this.#ask(options) : Promise.resolve();
  }

  /** Why the shell's variables are missing, in a sentence for the person; null when they are not. To be read after `variables`. */
  get problem(): string | null {
    return this.#problem;
  }

  async variables(): Promise<NodeJS.ProcessEnv> {
    await this.#asked;
    return this.#env;
  }

  async #ask({ env, log }: ShellEnvironmentOptions): Promise<void> {
    const started = performance.now();
    const shell = personsShell(env);
    try {
      const taken = newVariables(env, await askLoginShell(shell, env));
      Object.assign(env, taken);
      log.info('shell.asked', { shell, taken: Object.keys(taken).length, ms: Math.round(performance.now() - started) });
    } catch (error) {
      log.warn('shell.no-answer', { shell, ...errorFields(error) });
      this.#problem =
        error instanceof LoginShellError
          ? error.message
          : `${shell} could not be asked for its variables. To have them, start Cellwright from a terminal.`;
    }
  }
}

/** A desktop need not name it in the environment. */
export function personsShell(env: Readonly<Record<string, string | undefined>>): string {
  return env.SHELL || userInfo().shell || '/bin/sh';
}
