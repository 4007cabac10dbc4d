/**
 * Code as coloured tokens, for excerpts in tracebacks and for code blocks in markdown. A scanner with one table per language family, not
 * a parser: it has to be right about where strings and comments end, and fast; the editor has the exact colours. Pure.
 */

export type TokenKind = 'keyword' | 'string' | 'number' | 'comment' | 'type' | 'function' | 'decorator' | 'plain';

export interface CodeToken {
  kind: TokenKind;
  text: string;
}

interface Language {
  keywords: ReadonlySet<string>;
  types: ReadonlySet<string>;
  /** Tried in this order at each place; sticky. */
  rules: readonly (readonly [TokenKind, RegExp])[];
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const HASH_COMMENT = ['comment', /#[^\n]*/y] as const;
const SLASH_COMMENT = ['comment', /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y] as const;
const DASH_COMMENT = ['comment', /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y] as const;
const QUOTED = ['string', /"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/y] as const;
const BACKTICKS = ['string', /`(?:[^`\\]|\\[\s\S])*`?/y] as const;
const TRIPLE = ['string', /[rbfuRBFU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$))/y] as const;
const PREFIXED = ['string', /[rbfuRBFU]{1,2}(?:"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?)/y] as const;
const DECORATOR = ['decorator', /@[A-Za-z_][\w.]*/y] as const;
const MAGIC = ['decorator', /%%?[a-z]\w*/y] as const;
const NUMBER = ['number', /0[xX][\da-fA-F_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJnLuf]?/y] as const;
const VARIABLE = ['type', /\$\{?\w+\}?/y] as const;

const PYTHON: Language = {
  keywords: words(
    'and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield None True False',
  ),
  types: words('bool bytes dict float frozenset int list object set str tuple type self cls'),
  rules: [HASH_COMMENT, TRIPLE, PREFIXED, QUOTED, DECORATOR, MAGIC, NUMBER],
};

const C_LIKE: Language = {
  keywords: words(
    'abstract as async await break case catch class const continue default delete do else enum export extends final finally fn for from func function go goto if impl implements import in instanceof interface let match mod mut namespace new null nullptr of override package private protected pub public return static struct super switch template this throw throws trait try type typedef typeof undefined union unsafe use using val var virtual void where while with yield true false None Some Ok Err nil',
  ),
  types: words(
    'any bool boolean byte char double float i32 i64 u8 u32 u64 usize f32 f64 int long never number short string String unknown Vec',
  ),
  rules: [SLASH_COMMENT, QUOTED, BACKTICKS, DECORATOR, NUMBER],
};

const SHELL: Language = {
  keywords: words('if then else elif fi for in do done while until case esac function return export local source sudo cd echo set'),
  types: words(''),
  rules: [HASH_COMMENT, QUOTED, VARIABLE],
};

const SQL: Language = {
  keywords: words(
    'add all alter and as asc between by case create cross delete desc distinct drop else end exists false from full group having if in index inner insert intersect into is join key left like limit not null offset on or order outer over partition primary references right select set table then true union unique update using values view when where with',
  ),
  types: words('bigint boolean char date decimal float integer int json numeric real text timestamp varchar'),
  rules: [DASH_COMMENT, QUOTED, NUMBER],
};

const HASH_LIKE: Language = {
  keywords: words(
    'abstract baremodule begin break catch const continue do else elseif end export false finally for function global if import in let local macro module mutable next null quote repeat require return struct true try type using while NULL TRUE FALSE NA Inf NaN nothing yes no on off',
  ),
  types: words('Bool Char Float64 Int Int64 String Vector character data.frame integer list logical numeric'),
  rules: [HASH_COMMENT, TRIPLE, QUOTED, NUMBER],
};

const JSON_LIKE: Language = { keywords: words('true false null'), types: words(''), rules: [SLASH_COMMENT, QUOTED, NUMBER] };

const LANGUAGES: Record<string, Language> = Object.fromEntries(
  (
    [
      [PYTHON, 'python python3 py ipython ipython3 pycon sage cython'],
      [C_LIKE, 'c cpp c++ h java javascript js jsx typescript ts tsx rust rs go scala kotlin swift csharp cs php dart css scss'],
      [SHELL, 'bash sh shell zsh console powershell dockerfile'],
      [SQL, 'sql postgresql mysql sqlite'],
      [HASH_LIKE, 'julia jl r yaml yml toml ini ruby rb perl make makefile'],
      [JSON_LIKE, 'json jsonc json5 ipynb'],
    ] as const
  ).flatMap(([language, names]) => names.split(' ').map((name) => [name, language])),
);

const WORD = /[\p{L}_][\p{L}\p{N}_]*/uy;
/** Past this, colours are not worth the elements they cost. */
const MAX_LENGTH = 60_000;

/** Tokens whose texts join to `code`. An unknown language gives one plain token. */
export function highlight(code: string, languageName: string): CodeToken[] {
  const language = LANGUAGES[languageName.toLowerCase()];
  if (!language || code.length > MAX_LENGTH) return [{ kind: 'plain', text: code }];
  const isSql = language === SQL;
  const tokens: CodeToken[] = [];
  const push = (kind: TokenKind, text: string): void => {
    const last = tokens.at(-1);
    if (last?.kind === kind) last.text += text;
    else tokens.push({ kind, text });
  };
  let at = 0;
  while (at < code.length) {
    const rule = matchRule(language, code, at);
    if (rule) {
      push(rule.kind, rule.text);
      at += rule.text.length;
      continue;
    }
    WORD.lastIndex = at;
    const word = WORD.exec(code)?.[0];
    if (word === undefined) {
      push('plain', code[at]!);
      at += 1;
      continue;
    }
    push(wordKind(language, isSql ? word.toLowerCase() : word, code, at + word.length), word);
    at += word.length;
  }
  return tokens;
}

/** The tokens of each line. The code is read as a whole, so that a string over several lines is one. */
export function highlightLines(lines: readonly string[], languageName: string): CodeToken[][] {
  const result: CodeToken[][] = [[]];
  for (const { kind, text } of highlight(lines.join('\n'), languageName)) {
    text.split('\n').forEach((piece, index) => {
      if (index > 0) result.push([]);
      if (piece !== '') result.at(-1)!.push({ kind, text: piece });
    });
  }
  return result;
}

function matchRule(language: Language, code: string, at: number): CodeToken | null {
  for (const [kind, rule] of language.rules) {
    rule.lastIndex = at;
    const text = rule.exec(code)?.[0];
    if (text && !isMisplaced(kind, code, at)) return { kind, text };
  }
  return null;
}

/** A magic or a decorator starts a line; elsewhere `%` and `@` are operators. */
function isMisplaced(kind: TokenKind, code: string, at: number): boolean {
  return kind === 'decorator' && code.slice(code.lastIndexOf('\n', at - 1) + 1, at).trim() !== '';
}

function wordKind(language: Language, word: string, code: string, end: number): TokenKind {
  if (language.keywords.has(word)) return 'keyword';
  if (language.types.has(word)) return 'type';
  if (code[end] === '(') return 'function';
  return 'plain';
}
