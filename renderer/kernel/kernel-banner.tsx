/**
 * What to do when the kernel ended or did not start: the reason in one sentence, its own words folded below, and the next step as a button.
 */
import { CircleAlert } from 'lucide-react';
import type { JSX } from 'react';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useKernel } from '../notebook/use-notebook.ts';
import { useApp } from '../shell/app.ts';
import { Banner } from '../shell/banner.tsx';
import { kernelTrouble } from './kernel-words.ts';

export function KernelBanner({ controller }: { controller: NotebookController }): JSX.Element | null {
  const { commands } = useApp();
  const kernel = useKernel(controller.client);
  const trouble = kernelTrouble(kernel);
  if (trouble === null) return null;
  const ended = trouble === 'dead';
  return (
    <Banner
      tone={trouble === 'note' ? 'running' : 'failed'}
      icon={CircleAlert}
      message={kernel.message ?? 'The kernel ended. Variables are gone.'}
      detail={kernel.detail}
      actions={
        trouble === 'note'
          ? [{ label: 'Interrupt', run: () => commands.run('kernel.interrupt') }]
          : [
              { label: ended ? 'Restart' : 'Try again', main: true, run: () => commands.run(ended ? 'kernel.restart' : 'kernel.start') },
              { label: 'Choose another kernel…', run: () => commands.run('kernel.choose') },
            ]
      }
    />
  );
}
