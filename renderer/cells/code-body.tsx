/** A code cell: its source, the field it asks for input with, and its outputs under it. */
import { ChevronRight } from 'lucide-react';
import type { JSX } from 'react';
import { useCallback } from 'react';
import type { CellRun, StaleReason } from '../../preload/contract.ts';
import { outputsHidden } from '../notebook/cell-operations.ts';
import type { CellMark } from '../notebook/mode.ts';
import type { CellKind } from '../notebook/notebook-client.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useDocument, useFirstLine, useKernel, useOutputs } from '../notebook/use-notebook.ts';
import { CellOutputs } from '../outputs/cell-outputs.tsx';
import styles from './code-body.module.css';
import { editorLanguage } from './editor/languages.ts';
import { InputField } from './input-field.tsx';
import { SourceEditor } from './source-editor.tsx';

export interface BodyProps {
  controller: NotebookController;
  cellKey: string;
  kind: CellKind;
  run: CellRun;
  mark: CellMark;
}

export function CodeBody({ controller, cellKey, kind, run, mark }: BodyProps): JSX.Element {
  const { language } = useKernel(controller.client);
  const firstLine = useFirstLine(controller.client, cellKey);
  return (
    <>
      <SourceEditor
        controller={controller}
        cellKey={cellKey}
        mark={mark}
        language={editorLanguage('code', language, firstLine)}
        wrap={false}
        label="Code"
        placeholder=""
        helped
      />
      <Outputs controller={controller} cellKey={cellKey} hidden={outputsHidden(kind.metadata)} stale={run.stale} />
      {run.input && <InputField controller={controller} cellKey={cellKey} input={run.input} />}
    </>
  );
}

function Outputs({
  controller,
  cellKey,
  hidden,
  stale,
}: {
  controller: NotebookController;
  cellKey: string;
  hidden: boolean;
  stale: StaleReason | null;
}): JSX.Element | null {
  const { client } = controller;
  const outputs = useOutputs(client, cellKey);
  const { trusted } = useDocument(client);
  const trust = useCallback(() => void controller.kernel.trust(), [controller]);
  const fold = useCallback(() => controller.toggleOutputs([cellKey]), [controller, cellKey]);
  const clear = useCallback(() => controller.clearOutputs([cellKey]), [controller, cellKey]);
  if (outputs === null && client.outputs.isHeld(cellKey))
    return (
      <button type="button" className={styles.folded} onClick={() => client.outputs.load([cellKey])}>
        <ChevronRight size={14} aria-hidden="true" />
        {client.outputs.count(cellKey) === 1 ? '1 output not loaded' : `${client.outputs.count(cellKey)} outputs not loaded`}
      </button>
    );
  // Not here yet: room is kept, so that their coming moves little.
  if (outputs === null) return <div className={styles.coming} style={{ height: client.outputs.count(cellKey) * 24 }} />;
  if (outputs.length === 0) return null;
  if (hidden)
    return (
      <button type="button" className={styles.folded} onClick={() => controller.toggleOutputs([cellKey])}>
        <ChevronRight size={14} aria-hidden="true" />
        {outputs.length === 1 ? '1 output folded' : `${outputs.length} outputs folded`}
      </button>
    );
  return (
    <div className={styles.outputs}>
      <CellOutputs
        docId={client.docId}
        cellKey={cellKey}
        outputs={outputs}
        trusted={trusted}
        stale={stale}
        onTrust={trust}
        onCollapse={fold}
        onClear={clear}
      />
    </div>
  );
}
