/**
 * Reads one escape sequence (ECMA-48) out of kernel text. Everything that isn't understood is dropped, but never the text after it: a sequence
 * that doesn't end gives up at the next control character or after a limit. A sequence cut by the end of the chunk is `incomplete`, and
 * the decision never depends on where chunks are cut.
 */

export type EscapeSequence =
  /** Control sequence without private marker, e.g. cursor movement; `params` as written. */
  | { kind: 'csi'; params: string; final: string; end: number }
  | { kind: 'sgr'; params: string; end: number }
  /** OSC 8; `target` is empty where a link ends or where its target isn't safe. */
  | { kind: 'link'; target: string; end: number }
  | { kind: 'dropped'; end: number }
  | { kind: 'incomplete' };

/** Longer control sequences are nonsense; without a limit an unfinished one would hold back text for ever. */
const CSI_LIMIT = 128;
/** The same for strings (OSC, DCS …). Titles and links are shorter. */
const STRING_LIMIT = 4096;
/** A link longer than this is left out: it would weigh more than the text it stands under. */
const LINK_LIMIT = 1024;

const SAFE_LINK = /^(?:https?:\/\/|mailto:)[!-~]+$/i;
const CSI_BODY = /[0-?]*[ -/]*/y;
const STRING_END = /[\x00-\x1f\x7f-\x9f]/g;

/** Reads the sequence at `at`, where `text` has ESC. */
export function readEscape(text: string, at: number): EscapeSequence {
  const introducer = text[at + 1];
  if (introducer === undefined) return { kind: 'incomplete' };
  if (introducer === '[') return readCsi(text, at);
  if (']PX^_'.includes(introducer)) return readString(text, at);
  if (introducer >= ' ' && introducer <= '/') return readIntermediate(text, at);
  // ESC and one final character (save cursor, reset …), or ESC alone before something that can't follow it.
  return { kind: 'dropped', end: introducer >= '0' && introducer <= '~' ? at + 2 : at + 1 };
}

function readCsi(text: string, at: number): EscapeSequence {
  CSI_BODY.lastIndex = at + 2;
  CSI_BODY.test(text);
  const stop = Math.min(CSI_BODY.lastIndex, at + CSI_LIMIT);
  if (stop === at + CSI_LIMIT) return { kind: 'dropped', end: stop };
  const final = text[stop];
  if (final === undefined) return { kind: 'incomplete' };
  if (final < '@' || final > '~') return { kind: 'dropped', end: stop };
  const params = text.slice(at + 2, stop);
  const end = stop + 1;
  if (!/^[0-9;:]*$/.test(params)) return { kind: 'dropped', end };
  return final === 'm' ? { kind: 'sgr', params, end } : { kind: 'csi', params, final, end };
}

function readIntermediate(text: string, at: number): EscapeSequence {
  let stop = at + 1;
  while (stop < at + CSI_LIMIT && stop < text.length && text[stop]! >= ' ' && text[stop]! <= '/') stop += 1;
  const final = text[stop];
  if (final === undefined) return { kind: 'incomplete' };
  return { kind: 'dropped', end: final >= '0' && final <= '~' ? stop + 1 : stop };
}

/** A control string, ended by BEL or `ESC \`. Where it isn't ended only its introducer is dropped, so that its text stays readable. */
function readString(text: string, at: number): EscapeSequence {
  const from = at + 2;
  const unfinished: EscapeSequence = { kind: 'dropped', end: from };
  STRING_END.lastIndex = from;
  const stop = STRING_END.exec(text)?.index ?? text.length;
  if (stop - from > STRING_LIMIT) return unfinished;
  if (stop === text.length) return { kind: 'incomplete' };
  let end = stop + 1;
  if (text[stop] === '\x1b') {
    if (stop + 1 === text.length) return { kind: 'incomplete' };
    if (text[stop + 1] !== '\\') return unfinished;
    end += 1;
  } else if (text[stop] !== '\x07' && text[stop] !== '\x9c') return unfinished;
  if (text[at + 1] === ']' && text.startsWith('8;', from)) return { kind: 'link', target: safeTarget(text.slice(from, stop)), end };
  return { kind: 'dropped', end };
}

/** Target in `8;params;target` when a window may offer it as a link. */
function safeTarget(body: string): string {
  const target = body.slice(body.indexOf(';', 2) + 1);
  return body.indexOf(';', 2) > 0 && target.length <= LINK_LIMIT && SAFE_LINK.test(target) ? target : '';
}
