/** One `display_data` or `execute_result`: the best of its representations, or the one the person picked. */
import type { JSX } from 'react';
import { memo } from 'react';
import type { WindowPayload } from '../../preload/contract.ts';
import { parseExact } from '../../preload/exact-json.ts';
import type { DataOutput } from '../../preload/output-change.ts';
import { byteWords } from './amounts.ts';
import { stripAnsi } from './ansi.ts';
import { HtmlFrame } from './html-frame.tsx';
import { imageFacts } from './image-facts.ts';
import { ImageWithMenu } from './image-menu.tsx';
import { JsonTree } from './json-tree.tsx';
import { LatexOutput } from './latex-output.tsx';
import { Markdown } from './markdown.tsx';
import type { Representation } from './mime-choice.ts';
import { mimeWords, representations } from './mime-choice.ts';
import { useOutputActions } from './output-actions.tsx';
import { OutputNote } from './output-note.tsx';
import { textOf } from './output-text.ts';
import { usePayloadText } from './payload-text.ts';
import { PlainTextView } from './stream-output.tsx';
import { useViewState } from './view-state.ts';
import { WidgetOutput } from './widget-output.tsx';

/** Larger texts are not fetched into the page. */
const MAX_FETCH_BYTES = 24_000_000;
const MAX_JSON_BYTES = 12_000_000;
const MAX_DESCRIPTION = 200;

interface DataOutputProps {
  output: DataOutput<WindowPayload>;
  stateKey: string;
  trusted: boolean;
  onTrust: () => void;
}

export const DataOutputView = memo(function DataOutputView(props: DataOutputProps): JSX.Element | null {
  const [choice] = useViewState<string | null>(choiceKey(props.stateKey), null);
  const all = representations(Object.keys(props.output.data));
  const shown = all.find(({ mime }) => mime === choice) ?? all[0];
  if (!shown) return null;
  if (shown.renderer === 'widget' && choice === null) return <WidgetView {...props} mime={shown.mime} next={all[1]} />;
  return <RepresentationView {...props} representation={shown} />;
});

/** Under which the person's choice of a representation is kept. */
export function choiceKey(stateKey: string): string {
  return `${stateKey}/mime`;
}

interface RepresentationProps extends DataOutputProps {
  representation: Representation;
}

function RepresentationView(props: RepresentationProps): JSX.Element {
  const { output, representation } = props;
  const { mime, renderer } = representation;
  const payload = output.data[mime]!;
  switch (renderer) {
    case 'plot':
    case 'html':
    case 'script':
      return <FrameView {...props} payload={payload} />;
    case 'svg':
    case 'image':
      return <ImageView {...props} payload={payload} />;
    case 'latex':
    case 'markdown':
    case 'json':
    case 'widget':
    case 'text':
      return <TextView {...props} payload={payload} />;
    case 'unknown':
      return <OutputNote>{`${mime} can't be shown here${payload.kind === 'url' ? ` (${byteWords(payload.bytes)})` : ''}.`}</OutputNote>;
  }
}

function FrameView(props: RepresentationProps & { payload: WindowPayload }): JSX.Element {
  const { payload, representation } = props;
  // Main serves such types from an address whatever their size; anything inline is shown as the text it is.
  if (payload.kind === 'inline') return <TextView {...props} />;
  return (
    <HtmlFrame
      url={payload.url}
      bytes={payload.bytes}
      mime={representation.mime}
      trusted={props.trusted}
      onTrust={props.onTrust}
      title={`Output: ${mimeWords(representation.mime)}`}
    />
  );
}

function ImageView(props: RepresentationProps & { payload: WindowPayload }): JSX.Element {
  const { output, payload, representation } = props;
  const { mime } = representation;
  const [isPage, setPage] = useViewState<boolean>(`${props.stateKey}/${mime}/page`, false);
  // An SVG with scripts comes as a page, which an image element can't read; the frame can.
  if (isPage) return <FrameView {...props} />;
  const url = payload.kind === 'url' ? payload.url : inlineImage(mime, textOf(payload.value));
  return (
    <ImageWithMenu
      url={url}
      mime={mime}
      bytes={payload.kind === 'url' ? payload.bytes : 0}
      facts={imageFacts(output.metadata, mime)}
      description={description(output)}
      onBroken={representation.renderer === 'svg' && payload.kind === 'url' ? () => setPage(true) : undefined}
    />
  );
}

function inlineImage(mime: string, data: string): string {
  return data.trimStart().startsWith('<') ? `data:${mime};charset=utf-8,${encodeURIComponent(data)}` : `data:${mime};base64,${data}`;
}

/** What a screen reader says of the image: the text beside it. */
function description(output: DataOutput<WindowPayload>): string {
  const payload = output.data['text/plain'];
  const text = payload?.kind === 'inline' ? stripAnsi(textOf(payload.value)).trim() : '';
  return text.slice(0, MAX_DESCRIPTION);
}

function TextView(props: RepresentationProps & { payload: WindowPayload }): JSX.Element {
  const { payload, representation } = props;
  const isJson = representation.renderer === 'json' || representation.renderer === 'widget';
  const limit = isJson ? MAX_JSON_BYTES : MAX_FETCH_BYTES;
  if (payload.kind === 'url' && payload.bytes > limit) {
    return <OutputNote>{`${mimeWords(representation.mime)} of ${byteWords(payload.bytes)} is too large to show here.`}</OutputNote>;
  }
  if (isJson && payload.kind === 'inline') {
    return payload.exact === undefined ? <JsonView {...props} value={payload.value} /> : <JsonText {...props} text={payload.exact} />;
  }
  return <LoadedTextView {...props} />;
}

function LoadedTextView(props: RepresentationProps & { payload: WindowPayload }): JSX.Element {
  const { output, representation, stateKey } = props;
  const actions = useOutputActions();
  const text = usePayloadText(props.payload);
  if (text.state === 'failed') return <OutputNote live>{text.message}</OutputNote>;
  if (text.state === 'loading') return <OutputNote>Reading the output…</OutputNote>;
  switch (representation.renderer) {
    case 'latex':
      return <LatexOutput source={text.value} />;
    case 'markdown':
      return <Markdown source={text.value} onOpenLink={actions.openLink} />;
    case 'json':
    case 'widget':
      return <JsonText {...props} text={text.value} />;
    default:
      return <PlainTextView text={text.value} stateKey={`${stateKey}/text`} label={output.type === 'execute_result' ? 'Result' : 'Text'} />;
  }
}

function JsonText(props: RepresentationProps & { text: string }): JSX.Element {
  let value: unknown;
  try {
    value = parseExact(props.text);
  } catch {
    return <PlainTextView text={props.text} stateKey={`${props.stateKey}/text`} label="JSON" />;
  }
  return <JsonView {...props} value={value} />;
}

function JsonView(props: RepresentationProps & { value: unknown }): JSX.Element {
  const { metadata } = props.output;
  const own = metadata[props.representation.mime];
  const facts = { ...metadata, ...(typeof own === 'object' && own !== null ? own : {}) } as Record<string, unknown>;
  return (
    <JsonTree
      value={props.value}
      stateKey={`${props.stateKey}/json`}
      expanded={facts.expanded === true}
      rootLabel={typeof facts.root === 'string' ? facts.root : null}
    />
  );
}

/** A widget, with what else came with it for where it can't be shown. */
function WidgetView(props: DataOutputProps & { mime: string; next: Representation | undefined }): JSX.Element | null {
  const { docId } = useOutputActions();
  const modelId = modelIdOf(props.output.data[props.mime]);
  const fallback = props.next && <RepresentationView {...props} representation={props.next} />;
  if (modelId === null) return fallback ?? null;
  return <WidgetOutput docId={docId} modelId={modelId} trusted={props.trusted} onTrust={props.onTrust} fallback={fallback} />;
}

function modelIdOf(payload: WindowPayload | undefined): string | null {
  const value = payload?.kind === 'inline' ? payload.value : null;
  const id = typeof value === 'object' && value !== null ? (value as { model_id?: unknown }).model_id : null;
  return typeof id === 'string' && id !== '' ? id : null;
}
