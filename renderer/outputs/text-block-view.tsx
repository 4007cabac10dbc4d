/**
 * One block of a long text. Blocks out of view cost no layout, and a coloured one is a single text node until it comes into view: its
 * letters are the same, so find and select work on all of the text while the elements for the colours exist only where they are seen.
 */
import type { JSX } from 'react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { stripAnsi } from './ansi.ts';
import { AnsiText } from './ansi-text.tsx';
import styles from './stream-output.module.css';
import type { TextBlock } from './text-blocks.ts';
import { createSplitter, PIECES } from './text-blocks.ts';

export const TextBlocks = memo(function TextBlocks(props: { blocks: readonly TextBlock[] }): JSX.Element {
  const [only] = props.blocks;
  if (props.blocks.length === 1 && only) {
    return <div className={styles.text}>{only.plain ? only.text : <Pieces block={only} />}</div>;
  }
  return (
    <div className={styles.text}>
      {props.blocks.map((block) => (
        <LongTextBlock key={block.id} block={block} />
      ))}
    </div>
  );
});

/** A coloured block in pieces of some lines, so that a growing one draws only its last lines. */
function Pieces({ block }: { block: TextBlock }): JSX.Element {
  const [split] = useState(() => createSplitter(PIECES));
  const pieces = split(block.text, block.start);
  return (
    <>
      {pieces.map((piece) => (
        <div key={piece.id}>
          <AnsiText text={piece.text} start={piece.start} />
        </div>
      ))}
    </>
  );
}

const LongTextBlock = memo(function LongTextBlock({ block }: { block: TextBlock }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const node = element.current;
    if (!node || block.plain) return;
    const update = (event: Event): void => setSeen(!(event as ContentVisibilityAutoStateChangeEvent).skipped);
    node.addEventListener('contentvisibilityautostatechange', update);
    return () => node.removeEventListener('contentvisibilityautostatechange', update);
  }, [block.plain]);
  const isColoured = !block.plain && seen;
  const plain = useMemo(() => (block.plain || isColoured ? block.text : stripAnsi(block.text)), [block, isColoured]);
  return (
    <div ref={element} className={styles.block} style={{ containIntrinsicBlockSize: `auto calc(${block.lines} * var(--code-line))` }}>
      {isColoured ? <Pieces block={block} /> : plain}
    </div>
  );
});
