/** Text that a cell printed, live or stored: blocks of lines, with a quiet row where a part was left out. */
import type { JSX } from 'react';
import { memo, useMemo, useState } from 'react';
import { countWords } from './amounts.ts';
import type { Gap, StreamItem } from './display-items.ts';
import { streamSections } from './display-items.ts';
import { createLineCounter } from './line-count.ts';
import { useOutputActions } from './output-actions.tsx';
import { ScrollBox } from './scroll-box.tsx';
import styles from './stream-output.module.css';
import { TextBlocks } from './text-block-view.tsx';
import { createSplitter } from './text-blocks.ts';

export const StreamOutputView = memo(function StreamOutputView(props: { item: StreamItem; stateKey: string }): JSX.Element {
  const { item, stateKey } = props;
  const sections = useMemo(() => streamSections(item), [item]);
  const isError = item.name === 'stderr';
  return (
    <div className={styles.stream} data-stream={item.name} title={isError ? 'Standard error' : undefined}>
      <ScrollBox
        stateKey={stateKey}
        label={isError ? 'Standard error' : 'Printed text'}
        growth={item.text}
        amount={useLineAmount(item.text)}
      >
        <div>
          {sections.map((section, index) => (
            // Sections have no identity but their order.
            // biome-ignore lint/suspicious/noArrayIndexKey: as said
            <Section key={index} text={section} gap={item.gaps[index]} />
          ))}
        </div>
      </ScrollBox>
    </div>
  );
});

/** A text of its own, such as `text/plain`, drawn like a stream. */
export const PlainTextView = memo(function PlainTextView(props: { text: string; stateKey: string; label: string }): JSX.Element {
  return (
    <ScrollBox stateKey={props.stateKey} label={props.label} growth={props.text} amount={useLineAmount(props.text)}>
      <div>
        <Section text={props.text} gap={undefined} />
      </div>
    </ScrollBox>
  );
});

const Section = memo(function Section(props: { text: string; gap: Gap | undefined }): JSX.Element {
  const [split] = useState(createSplitter);
  return (
    <>
      {props.text !== '' && <TextBlocks blocks={split(props.text)} />}
      {props.gap && <GapRow gap={props.gap} />}
    </>
  );
});

function GapRow({ gap }: { gap: Gap }): JSX.Element {
  const actions = useOutputActions();
  const { artifactId } = gap;
  return (
    <div className={styles.gap}>
      <span>{countWords(gap.lines, 'line')} left out</span>
      <span aria-hidden>·</span>
      {artifactId === null ? (
        <span>the whole text could not be kept</span>
      ) : (
        <button type="button" className={styles.gapLink} onClick={() => actions.openArtifact(artifactId)}>
          open log
        </button>
      )}
    </div>
  );
}

function useLineAmount(text: string): string {
  const [count] = useState(createLineCounter);
  return countWords(count(text), 'line');
}
