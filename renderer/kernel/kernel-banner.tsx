/**
 * What there is to say of the kernel when it ended, did not start or goes on after an interrupt: one sentence, its own words folded below, and the
 * next step as a button.
 */
import { CircleAlert } from 'lucide-react';
import type { JSX } from 'react';
import { useState } from 'react';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useKernel } from '../notebook/use-notebook.ts';
import { useApp } from '../shell/app.ts';
import { Banner } from '../shell/banner.tsx';
import { kernelActions, kernelTrouble } from './kernel-words.ts';

export function KernelBanner({ controller }: { controller: NotebookController }): JSX.Element | null {
  const { commands } = useApp();
  const kernel = useKernel(controller.client);
  const [away, setAway] = useState<string | null>(null);
  const trouble = kernelTrouble(kernel);
  if (trouble === null || (trouble === 'note' && kernel.message === away)) return null;
  return (
    <Banner
      tone={trouble === 'note' ? 'running' : 'failed'}
      icon={CircleAlert}
      message={kernel.message ?? 'The kernel ended. Variables are gone.'}
      detail={kernel.detail}
      actions={kernelActions(kernel).map(({ command, ...action }) => ({ ...action, run: () => commands.run(command) }))}
      {...(trouble === 'note' ? { onDismiss: () => setAway(kernel.message) } : {})}
    />
  );
}
