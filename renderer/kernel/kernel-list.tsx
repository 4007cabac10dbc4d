/**
 * The kernels a notebook can have, in the palette. Finding them takes a moment (interpreters are asked for their version), so the list
 * says what it is doing. A Python without ipykernel is listed too, and what it lacks is said.
 */
import { Command as Cmdk } from 'cmdk';
import { Check } from 'lucide-react';
import type { JSX } from 'react';
import { useEffect, useState } from 'react';
import type { KernelChoice } from '../../preload/contract.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useKernel } from '../notebook/use-notebook.ts';
import palette from '../shell/palette.module.css';
import styles from './kernel-list.module.css';

const SOURCES: readonly { source: KernelChoice['source']; heading: string }[] = [
  { source: 'gateway', heading: 'On the Jupyter server' },
  { source: 'project', heading: 'This project' },
  { source: 'kernelspec', heading: 'Installed kernels' },
  { source: 'interpreter', heading: 'Other Pythons' },
  { source: 'managed', heading: 'Made by Cellwright' },
];

interface KernelListProps {
  controller: NotebookController;
  choose: (run: () => void) => void;
}

export function KernelList({ controller, choose }: KernelListProps): JSX.Element {
  const kernel = useKernel(controller.client);
  const [choices, setChoices] = useState<readonly KernelChoice[] | null>(null);
  useEffect(() => {
    let current = true;
    void controller.kernel.choices().then((found) => current && setChoices(found));
    return () => {
      current = false;
    };
  }, [controller]);
  return (
    <Cmdk label="Kernels" loop>
      <Cmdk.Input className={palette.input} placeholder="Choose a kernel" />
      <Cmdk.List className={palette.list}>
        {choices === null ? (
          <Cmdk.Loading className={palette.empty}>Looking for kernels and Pythons</Cmdk.Loading>
        ) : (
          <Cmdk.Empty className={palette.empty}>No kernel of that name</Cmdk.Empty>
        )}
        {SOURCES.map(({ source, heading }) => {
          const group = (choices ?? []).filter((choice) => choice.source === source);
          if (group.length === 0) return null;
          return (
            <Cmdk.Group key={source} heading={heading} className={palette.group}>
              {group.map((choice) => (
                <Choice
                  key={choice.name}
                  choice={choice}
                  current={choice.name === kernel.kernelspecName}
                  onSelect={() => choose(() => void controller.kernel.choose(choice.name))}
                />
              ))}
            </Cmdk.Group>
          );
        })}
      </Cmdk.List>
    </Cmdk>
  );
}

function Choice({ choice, current, onSelect }: { choice: KernelChoice; current: boolean; onSelect: () => void }): JSX.Element {
  return (
    <Cmdk.Item className={palette.item} value={`${choice.displayName} ${choice.path} ${choice.name}`} onSelect={onSelect}>
      <span className={styles.words}>
        <span className={styles.name}>{choice.displayName}</span>
        <span className={styles.path}>{choice.path}</span>
      </span>
      {choice.note !== null && <span className={styles.note}>{choice.note}</span>}
      {current && <Check size={16} strokeWidth={1.75} className={styles.check} aria-label="Used now" />}
    </Cmdk.Item>
  );
}
