/**
 * A widget: live in a frame while the kernel has its model, still in a frame when the kernel is gone or the notebook's file alone has it, and
 * otherwise the text that came with it. Each way says in a quiet line what can be done.
 */
import type { JSX, ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { widgetAddress } from '../../preload/widget-address.ts';
import type { WidgetLife } from '../../preload/widget-messages.ts';
import styles from './data-output.module.css';
import { HtmlFrame, knownFrameHeight } from './html-frame.tsx';
import { OutputNote } from './output-note.tsx';
import { joinWidgets, widgetModel } from './widget-channel.ts';

interface WidgetOutputProps {
  docId: string;
  modelId: string;
  trusted: boolean;
  onTrust: () => void;
  /** What is shown where there is no widget. */
  fallback: ReactNode;
}

/** Where a model comes from; `missing`: from nowhere. */
type Found = WidgetLife | 'missing';

const NOTES: Record<Exclude<Found, 'live'>, string> = {
  ended: 'The kernel of this widget has ended. Run the cell again to use it.',
  stored: 'This widget is shown as it was saved. Run the cell to use it.',
  missing: 'This widget is not in the kernel. Run the cell to use it.',
};

/** A control of one line, in pixels. */
const WAITING_HEIGHT = 32;

export function WidgetOutput(props: WidgetOutputProps): JSX.Element {
  const { docId, modelId, trusted, onTrust, fallback } = props;
  const found = useFound(docId, modelId, trusted);
  if (!trusted) {
    return (
      <div className={styles.stack}>
        <OutputNote action={{ label: 'Trust this notebook', run: onTrust }}>Widgets run code, so they are held back.</OutputNote>
        {fallback}
      </div>
    );
  }
  const url = widgetAddress(docId, modelId);
  // Main answers at once, unless it waits for the kernel's word; the text would only flash.
  if (found === null) return <div style={{ minHeight: knownFrameHeight(url) ?? WAITING_HEIGHT }} />;
  return (
    <div className={styles.stack}>
      {found !== 'live' && <OutputNote>{NOTES[found]}</OutputNote>}
      {found === 'missing' ? (
        fallback
      ) : (
        <HtmlFrame url={url} bytes={0} mime="" trusted title="Output: Widget" onTrust={onTrust} widgetsOf={docId} />
      )}
    </div>
  );
}

/** Null until main has said where the model is. */
function useFound(docId: string, modelId: string, trusted: boolean): Found | null {
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    if (!trusted) return;
    let isOver = false;
    const look = async (): Promise<void> => {
      const model = await widgetModel(docId, modelId);
      if (!isOver) setFound(model?.life ?? 'missing');
    };
    const leave = joinWidgets(docId, {
      tell: (news) => {
        for (const event of news.kind === 'events' ? news.events : []) {
          if (event.kind === 'ended') setFound((before) => (before === 'live' ? 'ended' : before));
          else if (event.kind === 'open' && event.commId === modelId) setFound('live');
          else if (event.kind === 'missed') void look();
        }
      },
    });
    void look();
    return () => {
      isOver = true;
      leave();
    };
  }, [docId, modelId, trusted]);
  return found;
}
