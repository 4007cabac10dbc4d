/**
 * Starts the real app in a profile and a folder of its own, with the test Python as the kernelspec `python3`, and collects what must never
 * happen in it: uncaught errors and violations of the content security policy.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { _electron, type ConsoleMessage, type ElectronApplication, type Page } from 'playwright-core';
import type { CallArgs, CallName, CallResult, EventName, Result } from '../../../preload/contract.ts';
import { electronLaunch } from '../../support/electron.ts';
import { testPython } from '../../support/python.ts';

/** A cold start with two busy cores; a hang must still end before the test's own limit. */
const START_LIMIT_MS = 60_000;

/** Longer than anything that a test waits for takes on a machine with other work; below the limit of a test. */
const WAIT_LIMIT_MS = 120_000;

export interface TestPlace {
  /** Holds everything below; removed at the end. */
  root: string;
  profile: string;
  /** For notebooks. */
  folder: string;
  env: Record<string, string>;
}

export async function makePlace(): Promise<TestPlace> {
  const root = await mkdtemp(path.join(tmpdir(), 'cellwright-e2e-'));
  const [profile, folder, jupyter] = ['profile', 'notebooks', 'jupyter'].map((name) => path.join(root, name)) as [string, string, string];
  const spec = path.join(jupyter, 'kernels', 'python3');
  for (const each of [profile, folder, spec]) await mkdir(each, { recursive: true });
  const argv = [testPython(), '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
  await writeFile(path.join(spec, 'kernel.json'), JSON.stringify({ argv, display_name: 'Test Python', language: 'python' }));
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const env = {
    ...Object.fromEntries(inherited),
    CELLWRIGHT_PROFILE: profile,
    JUPYTER_PATH: jupyter,
    JUPYTER_RUNTIME_DIR: path.join(root, 'runtime'),
  };
  return { root, profile, folder, env };
}

export async function removePlace(place: TestPlace): Promise<void> {
  await rm(place.root, { recursive: true, force: true, maxRetries: 5 });
}

export interface RunningApp {
  electron: ElectronApplication;
  /** The app's main process; the driver forgets it once it has ended. */
  child: ChildProcess;
  page: Page;
  /** Uncaught errors and policy violations of every page so far. */
  problems: string[];
}

export async function startApp(place: TestPlace, args: readonly string[] = []): Promise<RunningApp> {
  const launch = electronLaunch();
  const electron = await _electron.launch({
    executablePath: launch.executablePath,
    args: [...launch.args, ...args],
    cwd: place.folder,
    env: place.env,
    timeout: START_LIMIT_MS,
    // The driver would otherwise set a scheme of its own over the app's theme.
    colorScheme: null,
  });
  const problems: string[] = [];
  const watch = (page: Page) => {
    page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
    page.on('console', (message: ConsoleMessage) => {
      if (/Content Security Policy/i.test(message.text())) problems.push(`policy: ${message.text()}`);
    });
  };
  electron.on('window', watch);
  const page = await electron.firstWindow({ timeout: START_LIMIT_MS });
  await ready(page);
  return { electron, child: electron.process(), page, problems };
}

/** The page has run its script: its root is drawn. */
export async function ready(page: Page): Promise<void> {
  await page.waitForFunction(() => (document.getElementById('root')?.childElementCount ?? 0) > 0);
}

/** Ends the app whatever its windows would ask. */
export async function stopApp({ child }: RunningApp): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = endOf(child);
  child.kill('SIGTERM');
  await ended;
}

/** A start of the same app beside the test's own: what a file manager does. */
export function startBeside(place: TestPlace, args: readonly string[]): ChildProcess {
  const launch = electronLaunch();
  return spawn(launch.executablePath, [...launch.args, ...args], { cwd: place.folder, env: place.env, stdio: 'ignore' });
}

export function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve({ code: child.exitCode, signal: child.signalCode });
    else child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** A call through the page's own bridge. */
export function call<N extends CallName>(page: Page, name: N, args: CallArgs<N>): Promise<Result<CallResult<N>>> {
  return page.evaluate(([n, a]) => window.cellwright.call(n as CallName, a as never), [name, args] as const) as Promise<
    Result<CallResult<N>>
  >;
}

/** The same for a call that must succeed. */
export async function must<N extends CallName>(page: Page, name: N, args: CallArgs<N>): Promise<CallResult<N>> {
  const answer = await call(page, name, args);
  if (!answer.ok) throw new Error(`${name}: ${answer.error.code}: ${answer.error.message} ${answer.error.detail ?? ''}`);
  return answer.value;
}

/** Collects the events of some names from now on; read them with `received`. */
export async function collect(page: Page, names: readonly EventName[]): Promise<void> {
  await page.evaluate((list) => {
    const store: [string, unknown][] = [];
    Object.assign(window, { collected: store });
    for (const name of list) window.cellwright.on(name as EventName, (payload) => void store.push([name, payload]));
  }, names);
}

export function received(page: Page): Promise<[string, Record<string, unknown>][]> {
  return page.evaluate(() => (window as unknown as { collected: [string, Record<string, unknown>][] }).collected);
}

export async function writeNotebook(file: string, cells: readonly Record<string, unknown>[]): Promise<string> {
  const metadata = { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } };
  const full = cells.map((cell, index) => ({ id: `c${index}`, metadata: {}, ...cell }));
  await writeFile(file, `${JSON.stringify({ cells: full, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`);
  return file;
}

export function codeCell(source: string, outputs: readonly unknown[] = []): Record<string, unknown> {
  return { cell_type: 'code', source, outputs, execution_count: outputs.length > 0 ? 1 : null };
}

export async function readNotebook(file: string): Promise<{ cells: { source: string | string[]; outputs: Record<string, unknown>[] }[] }> {
  return JSON.parse(await readFile(file, 'utf8'));
}

/** Waits until a condition on main or a page holds. Ends before the test's own limit: what waits on would go on in the tests after it. */
export async function until<T>(probe: () => Promise<T | undefined | false | null>): Promise<T> {
  for (const end = performance.now() + WAIT_LIMIT_MS; performance.now() < end; ) {
    const found = await probe();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`This was not so within ${WAIT_LIMIT_MS / 1000} seconds: ${probe}`);
}
