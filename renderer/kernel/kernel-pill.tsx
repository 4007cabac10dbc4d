/**
 * The kernel at a glance: a dot, its name, its state in words. A click gives what can be done with it. A change of state is read out.
 */
import { ListRestart, Play, Power, Replace, RotateCw, Square } from 'lucide-react';
import type { JSX } from 'react';
import type { KernelView } from '../../preload/contract.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { CommandItem, Menu, MenuLine } from '../shell/menu.tsx';
import styles from './kernel-controls.module.css';
import { hasProcess, kernelSentence, kernelTone, kernelWord } from './kernel-words.ts';

export function KernelPill({ controller, kernel }: { controller: NotebookController; kernel: KernelView }): JSX.Element {
  const word = kernelWord(kernel);
  const name = kernel.name || 'No kernel';
  return (
    <>
      <Menu
        label="Kernel"
        onClosed={() => controller.refocus()}
        trigger={
          <button type="button" className={styles.pill} aria-label={`Kernel ${name}, ${word}`} data-kernel-state={kernel.state}>
            <span className={styles.dot} data-tone={kernelTone(kernel)} />
            <span className={styles.name}>{name}</span>
            <span className={styles.state}>{word}</span>
          </button>
        }
      >
        <div className={styles.status}>
          <p className={styles.title}>{name}</p>
          <p className={styles.note}>{kernel.message ?? word}</p>
        </div>
        <MenuLine />
        {!hasProcess(kernel) && kernel.state !== 'dead' && <CommandItem id="kernel.start" icon={Play} label="Start" />}
        <CommandItem id="kernel.interrupt" icon={Square} label="Interrupt" />
        <CommandItem id="kernel.restart" icon={RotateCw} label="Restart…" />
        <CommandItem id="kernel.restartAndRunAll" icon={ListRestart} label="Restart and run all…" />
        <MenuLine />
        <CommandItem id="kernel.choose" icon={Replace} label="Choose another kernel…" />
        <CommandItem id="kernel.shutdown" icon={Power} label="Shut down…" danger />
      </Menu>
      <span className={styles.live} role="status" aria-live="polite">
        {kernelSentence(kernel)}
      </span>
    </>
  );
}
