/**
 * A cell's source as coloured text, where no editor is needed. It lies exactly where the editor's text would lie, so that lending an editor
 * to the cell moves nothing.
 */
import type { JSX, Ref } from 'react';
import { Fragment, memo } from 'react';
import { useStore } from '../../shell/store.ts';
import codeColors from './code-colors.module.css';
import styles from './static-source.module.css';
import { editorText } from './text-binding.ts';
import { spansOf, tokenizerVersion } from './tokenizer.ts';

interface StaticSourceProps {
  source: string;
  language: string;
  wrap: boolean;
  lineNumbers: boolean;
  placeholder: string;
  ref?: Ref<HTMLPreElement>;
}

export const StaticSource = memo(function StaticSource(props: StaticSourceProps): JSX.Element {
  useStore(tokenizerVersion);
  const text = editorText(props.source);
  const lines = spansOf(text, props.language);
  return (
    <div className={styles.box} data-wrap={props.wrap} data-numbers={props.lineNumbers}>
      {props.lineNumbers && (
        <div className={styles.numbers} aria-hidden="true">
          {lines.map((_, index) => index + 1).join('\n')}
        </div>
      )}
      <pre className={styles.source} ref={props.ref}>
        {lines.map((spans, index) => (
          // Lines have no identity but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is drawn afresh with every change
          <Fragment key={index}>
            {spans.map((span, place) =>
              span.kind === 'text' ? (
                span.text
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <span key={place} className={codeColors[span.kind]}>
                  {span.text}
                </span>
              ),
            )}
            {index < lines.length - 1 ? '\n' : ''}
          </Fragment>
        ))}
        {/* A last empty line has no height of its own. */}
        {text === '' || text.endsWith('\n') ? '\u200b' : null}
      </pre>
      {text === '' && <span className={styles.placeholder}>{props.placeholder}</span>}
    </div>
  );
});
