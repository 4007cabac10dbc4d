/**
 * How set-up speaks: one line per step when it has ended, with the time it took.
 * While a long step runs, a terminal shows its progress in place; a log gets a line now and then, so that a slow download isn't
 * taken for a hang.
 */

/** A log's reader waits this long in silence before the first word, and as long again before each next. */
const LOG_INTERVAL_MS = 10_000;

/** A terminal's reader sees the seconds count, which tells a slow step from a hung one. */
const TERMINAL_INTERVAL_MS = 1_000;

const NAME_WIDTH = 17;

/** A step failed in a way its reader can do something about: only the message is shown, never a stack. */
export class SetupError extends Error {
  /**
   * @param {string} message what is missing and what to do about it
   * @param {{ cause?: unknown }} [options]
   */
  constructor(message, options) {
    super(message, options);
    this.name = 'SetupError';
  }
}

/**
 * Runs a step and prints its line. `work` returns the words for that line and, if others need it, a value.
 * @template T
 * @param {string} name
 * @param {(progress: (text: string) => void) => Promise<{ said: string, value: T }>} work
 * @param {{ write: (text: string) => void, isTTY?: boolean, columns?: number }} [output]
 * @returns {Promise<T>}
 */
export async function step(name, work, output = process.stdout) {
  const started = performance.now();
  const elapsed = () => seconds(performance.now() - started);
  let doing = '';
  const paint = () => {
    if (!doing) return;
    const text = line(name, `… ${doing} (${elapsed()})`);
    output.write(output.isTTY ? `\r\x1b[2K${text.slice(0, (output.columns ?? 80) - 1)}` : `${text}\n`);
  };
  const timer = setInterval(paint, output.isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS);
  const end = (/** @type {string} */ said) => output.write(`${output.isTTY ? '\r\x1b[2K' : ''}${line(name, said)} (${elapsed()})\n`);
  try {
    const { said, value } = await work((text) => {
      doing = text;
      if (output.isTTY) paint();
    });
    end(said);
    return value;
  } catch (error) {
    end('failed');
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Runs a script's main part and sets the exit code.
 * @param {() => Promise<number>} work
 */
export async function main(work) {
  try {
    process.exitCode = await work();
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
  }
}

/**
 * What to print for a failure: the message alone where it says what to do, else the stack.
 * @param {unknown} error
 * @returns {string}
 */
export function explain(error) {
  if (!(error instanceof Error)) return String(error);
  return `\n${error.name === 'SetupError' || error.name === 'ManagedEnvironmentError' ? error.message : error.stack}`;
}

/**
 * @param {string} name
 * @param {string} text
 */
function line(name, text) {
  return `${name.padEnd(NAME_WIDTH)} ${text}`;
}

/** @param {number} milliseconds */
function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
