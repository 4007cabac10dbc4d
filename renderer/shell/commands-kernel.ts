/**
 * Commands on the kernel of the notebook in front. What throws variables away asks first.
 */
import { canInterrupt, hasProcess } from '../kernel/kernel-words.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import type { App } from './app.ts';
import type { CommandId } from './command-ids.ts';
import type { Command } from './commands.ts';

export function kernelCommands(app: App): Command[] {
  const command = (
    id: CommandId,
    title: string,
    run: (tab: NotebookController) => void,
    enabled: (tab: NotebookController) => boolean = () => true,
  ): Command => ({
    id,
    title,
    group: id.startsWith('view.') ? 'View' : 'Kernel',
    enabled: () => app.workspace.active !== null && enabled(app.workspace.active),
    run: () => {
      if (app.workspace.active) run(app.workspace.active);
    },
  });
  const running = (tab: NotebookController) => tab.client.progress.running;

  return [
    command(
      'kernel.interrupt',
      'Interrupt the kernel',
      (tab) => tab.kernel.interrupt(),
      (tab) => canInterrupt(tab.client.kernel),
    ),
    command('kernel.restart', 'Restart the kernel…', (tab) => void restart(app, tab)),
    command('kernel.restartAndRunAll', 'Restart the kernel and run all cells…', (tab) => void restartAndRunAll(app, tab)),
    command(
      'kernel.start',
      'Start the kernel',
      (tab) => void tab.kernel.start(),
      (tab) => !hasProcess(tab.client.kernel),
    ),
    command(
      'kernel.shutdown',
      'Shut the kernel down…',
      (tab) => void shutdown(app, tab),
      (tab) => hasProcess(tab.client.kernel),
    ),
    command('kernel.choose', 'Choose a kernel…', () => app.overlay.set('kernels')),
    command(
      'view.running',
      'Go to the running cell',
      (tab) => {
        const key = running(tab);
        if (key !== null) tab.select(key);
      },
      (tab) => running(tab) !== null,
    ),
  ];
}

/** A kernel that is gone has nothing to lose and is not asked about. */
async function mayLoseVariables(app: App, tab: NotebookController, title: string, label: string): Promise<boolean> {
  if (!hasProcess(tab.client.kernel)) return true;
  const answer = await app.questions.ask({
    title,
    body: 'All variables are lost. The notebook and its outputs stay.',
    choices: [{ id: 'go', label, tone: 'danger' }],
  });
  tab.refocus();
  return answer === 'go';
}

async function restart(app: App, tab: NotebookController): Promise<boolean> {
  if (!(await mayLoseVariables(app, tab, 'Restart the kernel?', 'Restart'))) return false;
  return hasProcess(tab.client.kernel) || tab.client.kernel.state === 'dead' ? tab.kernel.restart() : tab.kernel.start();
}

async function restartAndRunAll(app: App, tab: NotebookController): Promise<void> {
  if (!(await mayLoseVariables(app, tab, 'Restart the kernel and run all cells?', 'Restart and run all'))) return;
  if (hasProcess(tab.client.kernel) && !(await tab.kernel.restart())) return;
  tab.runAll();
}

async function shutdown(app: App, tab: NotebookController): Promise<void> {
  if (await mayLoseVariables(app, tab, 'Shut the kernel down?', 'Shut down')) await tab.kernel.shutdown();
}
