/**
 * The app's beginning and end. At the end everything that outlives a window is shut down before the process goes: a kernel left behind
 * would keep its memory, and a socket left open aborts the process. A signal asks nobody; a second one does not wait.
 */
import { app, dialog } from 'electron';
import { errorFields, type Log } from '../log/log.ts';

/** A kernel that ignores everything is killed well within this; only a disk that hangs takes longer. */
const SHUTDOWN_LIMIT_MS = 15_000;

/**
 * Takes the lock that makes this the only instance of its profile. False: another one has it, and was given our files. `onSecond` gets the
 * files of every later start.
 */
export function takeInstanceLock(files: readonly string[], onSecond: (files: string[]) => void): boolean {
  app.on('second-instance', (_event, _argv, _cwd, data) => onSecond(filesOf(data)));
  return app.requestSingleInstanceLock({ files: [...files] });
}

/** The data comes from another process: only a list of texts is taken. */
function filesOf(data: unknown): string[] {
  const files = (data as { files?: unknown } | null)?.files;
  return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
}

/**
 * Runs `shutDown` once before the process ends, however that comes about. Call after the app is ready: Electron sets its own signal
 * handlers before.
 */
export function shutDownBeforeExit(shutDown: () => Promise<void>, log: Log): void {
  let ending: Promise<void> | null = null;
  const end = (code: number) => {
    ending ??= withLimit(shutDown(), SHUTDOWN_LIMIT_MS)
      .catch((error: unknown) => log.error('app.shutdown-failed', errorFields(error)))
      .then(() => app.exit(code));
  };
  app.on('will-quit', (event) => {
    event.preventDefault();
    end(0);
  });
  const signals: [NodeJS.Signals, number][] = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ];
  for (const [signal, code] of signals) {
    process.on(signal, () => {
      if (ending) app.exit(code);
      log.info('app.signal', { signal });
      end(code);
    });
  }
}

/** Errors that nobody caught go to the log. Electron would show their stack in a dialog and the app would go on all the same. */
export function logStrayErrors(log: Log): void {
  process.on('uncaughtException', (error) => log.error('app.uncaught', errorFields(error)));
  process.on('unhandledRejection', (error) => log.error('app.unhandled', errorFields(error)));
}

/** The app could not start: says so in words and ends. */
export function startFailed(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(`Cellwright could not start: ${reason}`);
  dialog.showErrorBox('Cellwright could not start', `${reason}\n\nIts own files are in ${app.getPath('userData')}.`);
  app.exit(1);
}

function withLimit(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const limit = new Promise<void>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('Shutting down took too long.')), limitMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
