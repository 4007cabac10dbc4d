/** The outline of the notebook in front: its headings, the one around the selected cell marked; a click leads there. */
import type { JSX } from 'react';
import { memo } from 'react';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import type { Heading } from '../notebook/outline.ts';
import { outlineDepths } from '../notebook/outline.ts';
import { useOutline } from '../notebook/use-notebook.ts';
import { useApp } from './app.ts';
import panel from './panel.module.css';
import { useStore, useStorePart } from './store.ts';

export function OutlinePanel(): JSX.Element {
  const app = useApp();
  const { active } = useStore(app.workspace.state);
  return (
    <nav className={panel.panel} aria-label="Outline">
      <header className={panel.head}>
        <h2 className={panel.title}>Outline</h2>
      </header>
      <div className={panel.list}>
        {active ? <Headings controller={active} /> : <p className={panel.empty}>Headings of the open notebook</p>}
      </div>
    </nav>
  );
}

function Headings({ controller }: { controller: NotebookController }): JSX.Element {
  const headings = useOutline(controller.client);
  const active = useStorePart(controller.mode, (mode) => mode.active);
  const current = currentHeading(headings, controller.client.keys, active);
  const depths = outlineDepths(headings);
  if (headings.length === 0) return <p className={panel.empty}>No headings yet</p>;
  return (
    <>
      {headings.map((heading, index) => (
        <Row
          key={`${heading.key} ${heading.line}`}
          controller={controller}
          heading={heading}
          depth={depths[index] ?? 0}
          current={heading === current}
        />
      ))}
    </>
  );
}

/** Kept apart, so that a step to another cell draws two rows and not hundreds. */
const Row = memo(function Row(props: { controller: NotebookController; heading: Heading; depth: number; current: boolean }): JSX.Element {
  const { controller, heading, depth, current } = props;
  return (
    <button
      type="button"
      className={panel.row}
      style={{ paddingLeft: 8 + depth * 12 }}
      aria-current={current}
      title={heading.text}
      onClick={() => controller.select(heading.key)}
    >
      <span className={panel.name}>{heading.text}</span>
    </button>
  );
});

/** The last heading at or before the selected cell. */
function currentHeading(headings: readonly Heading[], keys: readonly string[], active: string | null): Heading | undefined {
  const before = new Set(active === null ? [] : keys.slice(0, keys.indexOf(active) + 1));
  return headings.findLast(({ key }) => before.has(key));
}
