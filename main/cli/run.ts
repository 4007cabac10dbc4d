/**
 * `cellwright run`: a notebook from the command line. Reads the options, puts document and kernel together, and saves what there is in the
 * end, also after a failure or Ctrl-C.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { artifactFolder } from '../artifacts/artifact-folder.ts';
import { DocumentStore } from '../documents/document-store.ts';
import { fileErrorText } from '../documents/edit-words.ts';
import { NotebookOpenError, NotebookSaveError } from '../documents/errors.ts';
import type { NotebookDocument } from '../documents/notebook-document.ts';
import { OPEN_FOLDER, OpenElsewhere } from '../documents/outside/open-elsewhere.ts';
import { checkTarget } from '../documents/save.ts';
import { KernelTransport } from '../execution/kernel-transport.ts';
import { jupyterRuntimeFolder } from '../kernels/discovery/jupyter-paths.ts';
import { transportOf } from '../kernels/gateway/configured-gateway.ts';
import { forkHost } from '../kernels/host/fork-host.ts';
import { KernelManager } from '../kernels/kernel-manager.ts';
import { silentLog } from '../log/log.ts';
import { readSettings } from '../settings/read-settings.ts';
import { type Settings, settingOverrides } from '../settings/settings-schema.ts';
import { profileFolder, settingsFile } from './profile-findings.ts';
import { chosenKernel } from './run-kernel.ts';
import { EXIT, type NotebookRunEnd, runNotebook } from './run-notebook.ts';
import { RunProgress, seconds } from './run-progress.ts';

const HELP = `Usage: cellwright run in.ipynb [-o out.ipynb] [options]

Runs all code cells in order with a kernel in the notebook's folder and saves the
outputs, also when the run stops early.

  -o, --output out.ipynb   write there; without it the notebook itself is written
  --timeout s              limit for each cell in seconds; a cell over it is interrupted
  --allow-errors           go on after a cell that fails or is over the limit
  --kernel name            a kernelspec's name or the path of a Python, instead of the
                           notebook's own kernel
  --gateway url            run on this Jupyter server, Kernel Gateway or Enterprise Gateway;
                           its token may be in the address, or in the variable
                           CELLWRIGHT_GATEWAY_TOKEN
  --kernel-transport way   direct, gateway or shared-gateway, instead of what the settings say
  -h, --help               this text

Cells with the tag raises-exception may fail, those with skip-execution are not run.
input() is refused: nobody is there to answer. What Output widgets take in is written
with the widgets' state.

Exit codes: 0 done, 1 a cell failed, 2 wrong command line or the file can't be read or
written, 3 the kernel could not start or died, 124 a cell was over the limit,
130 cancelled (Ctrl-C; a second one does not wait for the kernel).
`;

interface Options {
  input: string;
  output: string | null;
  timeoutMs: number | null;
  allowErrors: boolean;
  kernel: string | null;
  /** Values of settings' flags, by flag. */
  flags: Record<string, string>;
}

/** Returns the exit code. `root` is the app's folder, which has the built kernel host. */
export async function runCommand(argv: string[], { root }: { readonly root: string }): Promise<number> {
  const options = readOptions(argv);
  if (options === 'help') {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  if (typeof options === 'string') return complain(`${options} \`cellwright run --help\` lists the options.`);
  const elsewhere = new OpenElsewhere({ folder: path.join(jupyterRuntimeFolder(), OPEN_FOLDER), by: 'run', log: silentLog });
  // A notebook that is only read is nobody's business.
  const store = new DocumentStore(options.output === null ? { elsewhere } : {});
  let document: NotebookDocument;
  try {
    document = await store.open(options.input);
  } catch (error) {
    if (error instanceof NotebookOpenError) return complain(fileErrorText(error));
    throw error;
  }
  const output = options.output ?? document.path;
  if (output === null)
    return complain(`${path.basename(options.input)} has an old format that is not written any more. Name a new file with -o.`);
  if (options.output === null && document.readOnly) return complain(`${options.input} can't be written. Name another file with -o.`);
  const { settings, problems } = await readSettings(settingsFile(), process.env, options.flags);
  for (const problem of problems) console.error(problem);
  try {
    const problem = await targetProblem(output, document.convertedFrom);
    if (problem !== null) return complain(`${problem} Nothing was run.`);
    return await runAndSave(document, { ...options, settings }, output, path.join(root, 'dist', 'main', 'host.cjs'));
  } finally {
    elsewhere.closed(document);
    await elsewhere.settled;
  }
}

/** Why the result could not be written; null when it can, as far as that is known before. */
async function targetProblem(output: string, forbidden: string | null): Promise<string | null> {
  try {
    await checkTarget(output, { forbidden });
    return null;
  } catch (error) {
    if (error instanceof NotebookSaveError) return fileErrorText(error);
    throw error;
  }
}

function readOptions(argv: string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        output: { type: 'string', short: 'o' },
        timeout: { type: 'string' },
        'allow-errors': { type: 'boolean', default: false },
        kernel: { type: 'string' },
        gateway: { type: 'string' },
        'kernel-transport': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    const [input] = positionals;
    if (input === undefined || positionals.length > 1) return 'One notebook has to be named.';
    const timeout = values.timeout === undefined ? null : Number(values.timeout);
    if (timeout !== null && !(timeout > 0 && timeout < 1e6)) return `--timeout takes a number of seconds, not “${values.timeout}”.`;
    const flags = {
      // Who names a server for this run means it, whatever the settings say.
      ...(values.gateway === undefined ? {} : { '--gateway': values.gateway, '--kernel-transport': 'gateway' }),
      ...(values['kernel-transport'] === undefined ? {} : { '--kernel-transport': values['kernel-transport'] }),
    };
    const [problem] = settingOverrides(flags, {}).problems;
    if (problem) return problem;
    return {
      input,
      output: values.output ?? null,
      timeoutMs: timeout === null ? null : timeout * 1000,
      allowErrors: values['allow-errors'],
      kernel: values.kernel ?? null,
      flags,
    };
  } catch (error) {
    return `${(error as Error).message}.`.replace(/\.\.$/, '.');
  }
}

async function runAndSave(
  document: NotebookDocument,
  options: Options & { settings: Settings },
  output: string,
  hostEntry: string,
): Promise<number> {
  const { stderr } = process;
  const progress = new RunProgress({ write: (text) => stderr.write(text), columns: stderr.isTTY ? stderr.columns : null });
  const kernels = new KernelManager({ spawnHost: () => forkHost(hostEntry) });
  const transport = new KernelTransport({
    manager: kernels,
    isShared: () => transportOf(options.settings) === 'shared-gateway',
    python: () => options.settings.sharedGatewayPython,
  });
  const abort = new AbortController();
  const onSignal = (): void => {
    // The second time: the kernel isn't asked any more, it is ended.
    if (abort.signal.aborted) void kernels.shutdownAll();
    else abort.abort(new DOMException('The run was cancelled.', 'AbortError'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const begun = performance.now();
  try {
    const folder = path.dirname(document.path ?? path.resolve(options.input));
    const realOutput = await realPath(output);
    const end = await runNotebook({
      document,
      kernels: transport,
      chooseSpec: async () => {
        const choice = await chosenKernel({ metadata: document.metadata(), folder, name: options.kernel, settings: options.settings });
        if (choice.note !== null) progress.say(choice.note);
        return choice;
      },
      folder,
      artifactFolder: artifactFolder(path.join(profileFolder(), 'artifacts'), realOutput),
      output: realOutput,
      saveWidgetState: options.settings.saveWidgetState,
      timeoutMs: options.timeoutMs,
      allowErrors: options.allowErrors,
      signal: abort.signal,
      onProgress: (cell) => progress.cell(cell),
    });
    progress.end();
    return await save(document, options, output, end, begun);
  } finally {
    progress.end();
    await transport.close();
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

async function save(document: NotebookDocument, options: Options, output: string, end: NotebookRunEnd, begun: number): Promise<number> {
  if (end.message !== null) console.error(end.message);
  try {
    if (options.output === null) await document.save();
    else await document.saveAs(output);
  } catch (error) {
    if (error instanceof NotebookSaveError) return complain(fileErrorText(error));
    throw error;
  }
  for (const notice of document.notices) console.error(notice);
  console.error(`${end.code === EXIT.ok ? 'Wrote' : 'Wrote what there is to'} ${output} after ${seconds(performance.now() - begun)}.`);
  return end.code;
}

/** The real path of a file that may not be there yet. */
async function realPath(file: string): Promise<string> {
  const absolute = path.resolve(file);
  return realpath(absolute).catch(async () =>
    path.join(await realpath(path.dirname(absolute)).catch(() => path.dirname(absolute)), path.basename(absolute)),
  );
}

function complain(message: string): number {
  console.error(message);
  return EXIT.usage;
}
