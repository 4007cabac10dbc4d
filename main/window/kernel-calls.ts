/** The calls about running and kernels. A run's call is answered when the run is over; everything on the way comes as events. */
import { findInterpreters } from '../kernels/discovery/interpreters.ts';
import { findKernelspecs } from '../kernels/discovery/kernelspecs.ts';
import { GatewayError } from '../kernels/gateway/gateway-errors.ts';
import type { GatewayServer } from '../kernels/gateway/gateway-server.ts';
import { findGatewaySpecs } from '../kernels/gateway/gateway-specs.ts';
import { ActionError } from './failure.ts';
import type { CallHandlers } from './ipc-router.ts';
import { type Choice, gatewayChoices, kernelChoices, shownChoice, unreachableChoice } from './kernel-choices.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import type { PageWindow } from './page-window.ts';

type KernelCalls = Pick<CallHandlers<PageWindow>, Extract<keyof CallHandlers<PageWindow>, `run.${string}` | `kernel.${string}`>>;

export interface KernelCallsOptions {
  notebooks: OpenNotebooks;
  env: NodeJS.ProcessEnv;
  /** The Jupyter server of the settings, or null. Throws GatewayError. */
  gateway: () => Promise<GatewayServer | null>;
}

export function kernelCalls({ notebooks, env, gateway }: KernelCallsOptions): KernelCalls {
  const choices = async (folder: string) => [...(await serverChoices(gateway)), ...(await choicesFor(folder, env))];
  const session = (docId: string) => notebooks.get(docId).session;
  return {
    'run.cells': async (_window, { docId, keys }) => {
      await notebooks.get(docId).run(keys);
      return null;
    },
    'run.interrupt': async (_window, { docId }) => {
      await session(docId).interrupt();
      return null;
    },
    'run.input': async (_window, { docId, key, value }) => {
      await session(docId).provideInput(key, value);
      return null;
    },
    'kernel.choices': async (_window, { docId }) => (await choices(notebooks.get(docId).folder)).map(shownChoice),
    'kernel.select': async (_window, { docId, name }) => {
      const notebook = notebooks.get(docId);
      await notebook.selectKernel(startable((await choices(notebook.folder)).find((choice) => choice.name === name)));
      return null;
    },
    'kernel.start': async (_window, { docId }) => {
      await session(docId).ensureKernel();
      return null;
    },
    'kernel.restart': async (_window, { docId }) => {
      await session(docId).restart();
      return null;
    },
    'kernel.shutdown': async (_window, { docId }) => {
      await session(docId).shutdown();
      return null;
    },
    'kernel.complete': (_window, { docId, code, cursor }) => session(docId).complete(code, cursor),
    'kernel.inspect': (_window, { docId, code, cursor }) => session(docId).inspect(code, cursor),
  };
}

async function choicesFor(folder: string, env: NodeJS.ProcessEnv): Promise<Choice[]> {
  const [specs, interpreters] = await Promise.all([findKernelspecs({ env }), findInterpreters(folder, { env })]);
  return kernelChoices(specs, interpreters);
}

/** A server that is out of reach takes nothing from the list of this machine's kernels. */
async function serverChoices(gateway: () => Promise<GatewayServer | null>): Promise<Choice[]> {
  let url = '';
  try {
    const server = await gateway();
    if (!server) return [];
    url = server.url;
    return gatewayChoices(await findGatewaySpecs(server));
  } catch (error) {
    if (error instanceof GatewayError) return [unreachableChoice(url, error.message)];
    throw error;
  }
}

function startable(choice: Choice | undefined) {
  if (!choice) throw new ActionError('no-such-kernel', 'This kernel is not there any more.', 'Choose another one.');
  if (!choice.spec && choice.source === 'gateway') throw new ActionError('not-reached', choice.displayName);
  if (!choice.spec) {
    throw new ActionError(
      'needs-ipykernel',
      `${choice.displayName} has no ipykernel, which a kernel needs.`,
      'Install it there, then choose this Python again.',
      `"${choice.path}" -m pip install ipykernel`,
    );
  }
  return choice.spec;
}
