/** A `text/latex` output: formulas with their delimiters, prose between them, or a bare formula without any. */
import type { JSX } from 'react';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import styles from './latex-output.module.css';
import type { LatexPart } from './latex-parts.ts';
import { latexParts } from './latex-parts.ts';
import { drawMath, isMathReady, loadMath } from './math-view.ts';

export const LatexOutput = memo(function LatexOutput({ source }: { source: string }): JSX.Element {
  const [isReady, setReady] = useState(isMathReady);
  useLayoutEffect(() => {
    if (isReady) return;
    let isCurrent = true;
    void loadMath().then(() => {
      if (isCurrent) setReady(true);
    });
    return () => {
      isCurrent = false;
    };
  }, [isReady]);
  return (
    <div className={styles.latex}>
      {latexParts(source).map((part) =>
        part.tex === null ? <span key={part.at}>{part.text}</span> : <Formula key={part.at} part={part} isReady={isReady} />,
      )}
    </div>
  );
});

function Formula({ part, isReady }: { part: LatexPart; isReady: boolean }): JSX.Element {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (isReady && element.current) drawMath(element.current, part.tex ?? '', part.display);
  }, [part.tex, part.display, isReady]);
  return <span ref={element} className={part.display ? styles.display : undefined} />;
}
