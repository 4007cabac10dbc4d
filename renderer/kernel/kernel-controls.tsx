/** What the notebook in front can do with its kernel, at the right of the tabs: run all, interrupt, restart, and the kernel's pill. */
import { ListVideo, RotateCw, Square } from 'lucide-react';
import type { JSX } from 'react';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useKernel } from '../notebook/use-notebook.ts';
import { useApp } from '../shell/app.ts';
import { IconButton } from '../shell/icon-button.tsx';
import styles from './kernel-controls.module.css';
import { KernelPill } from './kernel-pill.tsx';
import { canInterrupt, hasProcess } from './kernel-words.ts';
import { RunPlace } from './run-bar.tsx';

export function KernelControls({ controller }: { controller: NotebookController }): JSX.Element {
  const { commands } = useApp();
  const kernel = useKernel(controller.client);
  return (
    <div className={styles.controls} role="toolbar" aria-label="Kernel">
      <RunPlace controller={controller} />
      <IconButton icon={ListVideo} label="Run all cells" onClick={() => commands.run('run.all')} />
      <IconButton
        icon={Square}
        size={14}
        label="Interrupt"
        command="kernel.interrupt"
        disabled={!canInterrupt(kernel)}
        onClick={() => commands.run('kernel.interrupt')}
      />
      <IconButton
        icon={RotateCw}
        size={15}
        label="Restart the kernel"
        command="kernel.restart"
        disabled={!hasProcess(kernel) && kernel.state !== 'dead'}
        onClick={() => commands.run('kernel.restart')}
      />
      <KernelPill controller={controller} kernel={kernel} />
    </div>
  );
}
