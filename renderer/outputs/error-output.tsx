/**
 * An error: name and message, then the person's own frame, then the rest folded. Tracebacks of other languages, whose form is not known
 * here, are shown as their kernel wrote them.
 */
import { Check, ChevronRight, Copy } from 'lucide-react';
import type { JSX } from 'react';
import { memo, useEffect, useMemo, useState } from 'react';
import type { ErrorOutput } from '../../preload/output-change.ts';
import { countWords } from './amounts.ts';
import { stripAnsi } from './ansi.ts';
import { CodeLine } from './code-line.tsx';
import styles from './error-output.module.css';
import { highlightLines } from './highlight.ts';
import { useOutputActions } from './output-actions.tsx';
import { errorText } from './output-text.ts';
import { ScrollBox } from './scroll-box.tsx';
import { PlainTextView } from './stream-output.tsx';
import type { Traceback, TracebackFrame, TracebackPart } from './traceback.ts';
import { mainFrame, parseTraceback } from './traceback.ts';
import { useViewState } from './view-state.ts';

/** A stop that somebody asked for is no failure to explain. */
const STOPS: Record<string, string> = { KeyboardInterrupt: 'Interrupted', SystemExit: 'Stopped by SystemExit' };
/** How long the copy button says that it did. */
const COPIED_MS = 1600;

export const ErrorOutputView = memo(function ErrorOutputView(props: { output: ErrorOutput; stateKey: string }): JSX.Element {
  const { output, stateKey } = props;
  const traceback = useMemo(() => parseTraceback(output.traceback), [output]);
  const stop = STOPS[output.ename];
  return (
    <section className={styles.error} aria-label={`Error: ${output.ename}`} data-stop={stop ? true : undefined}>
      <div className={styles.head}>
        <Title output={output} stop={stop} stateKey={stateKey} />
        <CopyButton text={() => errorText(output)} />
      </div>
      {traceback ? <Frames traceback={traceback} stateKey={stateKey} /> : <ForeignTraceback output={output} stateKey={stateKey} />}
    </section>
  );
});

function Title(props: { output: ErrorOutput; stop: string | undefined; stateKey: string }): JSX.Element {
  const { ename, evalue } = props.output;
  const value = useMemo(() => messageOf(ename, evalue), [ename, evalue]);
  const message = (
    <>
      <span className={styles.name}>{props.stop ?? ename}</span>
      {value !== '' && <span className={styles.colon}>: </span>}
      <span className={styles.message}>{value}</span>
    </>
  );
  if (value.length < 600) return <p className={styles.title}>{message}</p>;
  return (
    <div className={styles.title}>
      <ScrollBox stateKey={`${props.stateKey}/message`} label="Error message">
        <p>{message}</p>
      </ScrollBox>
    </div>
  );
}

/** IPython adds the name of a file that does not exist to the messages of syntax errors in cells; the frame below says where it is. */
function messageOf(ename: string, evalue: string): string {
  const value = stripAnsi(evalue).trimEnd();
  return /^(?:Syntax|Indentation|Tab)Error$/.test(ename) ? value.replace(/ \([^()]+, line \d+\)$/, '') : value;
}

function Frames(props: { traceback: Traceback; stateKey: string }): JSX.Element | null {
  const { traceback, stateKey } = props;
  const [isOpen, setOpen] = useViewState<boolean>(`${stateKey}/frames`, false);
  const last = traceback.parts.at(-1)!;
  const main = mainFrame(last);
  const hidden = traceback.parts.reduce((sum, part) => sum + part.frames.length, 0) - (main ? 1 : 0);
  const causes = traceback.parts.slice(0, -1);
  return (
    <>
      {!isOpen && main && <Frame frame={main} />}
      {!isOpen && causes.length > 0 && (
        <p className={styles.cause}>
          {last.relation?.includes('direct cause') ? 'Caused by ' : 'While handling '}
          <span className={styles.causeTitle}>{causes.at(-1)!.title.split('\n')[0]}</span>
        </p>
      )}
      {hidden > 0 && (
        <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <ChevronRight aria-hidden size={14} className={styles.chevron} />
          {isOpen ? 'Show only my code' : `${countWords(hidden, 'more frame')}`}
        </button>
      )}
      {isOpen && traceback.parts.map((part) => <Part key={part.step} part={part} isLast={part === last} />)}
    </>
  );
}

function Part(props: { part: TracebackPart; isLast: boolean }): JSX.Element {
  const { part, isLast } = props;
  return (
    <div className={styles.part}>
      {part.relation !== null && <p className={styles.relation}>{part.relation}</p>}
      {part.frames.map((frame) => (
        <Frame key={frame.step} frame={frame} />
      ))}
      {!isLast && <p className={styles.partTitle}>{part.title}</p>}
    </div>
  );
}

function Frame({ frame }: { frame: TracebackFrame }): JSX.Element {
  const tokens = useMemo(
    () =>
      highlightLines(
        frame.lines.map((line) => line.text),
        'python',
      ),
    [frame],
  );
  return (
    <div className={styles.frame} data-own={frame.own || undefined}>
      <p className={styles.place}>
        <span>{frame.place}</span>
        {frame.call !== null && (
          <>
            {' in '}
            <span className={styles.call}>{frame.call}</span>
          </>
        )}
        {frame.repeats > 1 && <span className={styles.repeats}>{frame.repeats.toLocaleString('en-US')} times in a row</span>}
      </p>
      {frame.lines.length > 0 && (
        <div className={styles.code}>
          {frame.lines.map((line, index) => (
            <div key={line.number ?? index} className={styles.line} data-current={line.current || undefined}>
              <span className={styles.number} aria-hidden>
                {line.number}
              </span>
              <span className={styles.source}>
                <CodeLine tokens={tokens[index] ?? []} mark={line.mark} />
              </span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function ForeignTraceback(props: { output: ErrorOutput; stateKey: string }): JSX.Element | null {
  const text = useMemo(() => foreignText(props.output), [props.output]);
  if (text.trim() === '') return null;
  return <PlainTextView text={text} stateKey={`${props.stateKey}/text`} label="Traceback" />;
}

/** The kernel's text without the lines that only repeat name and message. */
function foreignText({ ename, evalue, traceback }: ErrorOutput): string {
  const repeated = new Set([`${ename}: ${evalue}`, ename, evalue].map((line) => line.trim()));
  return traceback
    .filter((entry) => !repeated.has(stripAnsi(entry).trim()))
    .join('\n')
    .replace(/^\n+|\n+$/g, '');
}

function CopyButton(props: { text: () => string }): JSX.Element {
  const actions = useOutputActions();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const label = copied ? 'Copied' : 'Copy the traceback';
  const copy = (): void => {
    actions.copyText(props.text());
    setCopied(true);
  };
  return (
    <button type="button" className={styles.copy} aria-label={label} title={label} onClick={copy}>
      {copied ? <Check aria-hidden size={14} /> : <Copy aria-hidden size={14} />}
    </button>
  );
}
