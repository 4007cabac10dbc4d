/**
 * Python as notebooks write it, for the editor's tokenizer: names of functions and classes where they are defined, f-strings with the code
 * inside them, decorators, and IPython's own `%magic`, `!shell` and `name?`.
 */
import type { languages } from 'monaco-editor/editor';

const KEYWORDS =
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  );
const CONSTANTS = ['True', 'False', 'None', 'NotImplemented', 'Ellipsis', '__debug__'];
const BUILTINS =
  'abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir display divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip'.split(
    ' ',
  );

/** Prefix letters of a string, captured together with its quote. */
const PLAIN_PREFIX = '[uUbBrR]{0,2}';
const FORMAT_PREFIX = '(?:[fFtT][rR]?|[rR][fFtT])';

export const pythonSyntax: languages.IMonarchLanguage = {
  defaultToken: '',
  tokenPostfix: '.python',
  keywords: KEYWORDS,
  constants: CONSTANTS,
  builtins: BUILTINS,
  brackets: [
    { open: '{', close: '}', token: 'delimiter.curly' },
    { open: '[', close: ']', token: 'delimiter.bracket' },
    { open: '(', close: ')', token: 'delimiter.parenthesis' },
  ],
  tokenizer: {
    root: [
      [/^\s*%%?[A-Za-z_][\w.]*/, 'meta.magic'],
      [/^\s*![^\n]*$/, 'meta.magic'],
      [/^\s*\??[\w.]+\?{1,2}$/, 'meta.magic'],
      { include: '@code' },
    ],
    code: [
      // What only counts at the beginning of a line comes before the space there is taken.
      [/^(\s*)(match|case|type)(?=\s+[^\s=.,):\]].*[:=]\s*(?:#.*)?$)/, ['', 'keyword']],
      [/^(\s*)(@[^\W\d][\w.]*)/, ['', 'decorator']],
      { include: '@space' },
      { include: '@strings' },
      [/\b(def)(\s+)([^\W\d]\w*)/, ['keyword', '', 'function']],
      [/\b(class)(\s+)([^\W\d]\w*)/, ['keyword', '', 'type']],
      [/0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+/, 'number'],
      [/(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?/, 'number'],
      [/(\.)([^\W\d]\w*)(?=\()/, ['delimiter', 'function']],
      [/(\.)([^\W\d]\w*)/, ['delimiter', 'identifier']],
      [/[^\W\d]\w*(?=\()/, { cases: { '@keywords': 'keyword', '@constants': 'constant', '[A-Z].*': 'type', '@default': 'function' } }],
      [/[^\W\d]\w*/, { cases: { '@keywords': 'keyword', '@constants': 'constant', '@builtins': 'builtin', '@default': 'identifier' } }],
      [/[{}[\]()]/, '@brackets'],
      [/[-+*/%&|^~<>=!:@]+/, 'operator'],
      [/[,;.]/, 'delimiter'],
    ],
    space: [
      [/\s+/, ''],
      [/#.*$/, 'comment'],
    ],
    strings: [
      [new RegExp(`${FORMAT_PREFIX}"""`), { token: 'string', next: '@formatLongDouble' }],
      [new RegExp(`${FORMAT_PREFIX}'''`), { token: 'string', next: '@formatLongSingle' }],
      [new RegExp(`${FORMAT_PREFIX}"`), { token: 'string', next: '@formatDouble' }],
      [new RegExp(`${FORMAT_PREFIX}'`), { token: 'string', next: '@formatSingle' }],
      [new RegExp(`\\b${PLAIN_PREFIX}"""|"""`), { token: 'string', next: '@longDouble' }],
      [new RegExp(`\\b${PLAIN_PREFIX}'''|'''`), { token: 'string', next: '@longSingle' }],
      [new RegExp(`\\b${PLAIN_PREFIX}"|"`), { token: 'string', next: '@double' }],
      [new RegExp(`\\b${PLAIN_PREFIX}'|'`), { token: 'string', next: '@single' }],
    ],
    longDouble: longString('"'),
    longSingle: longString("'"),
    double: shortString('"'),
    single: shortString("'"),
    formatLongDouble: [...formatParts(), ...longString('"', true)],
    formatLongSingle: [...formatParts(), ...longString("'", true)],
    formatDouble: [...formatParts(), ...shortString('"', true)],
    formatSingle: [...formatParts(), ...shortString("'", true)],
    replacement: [
      [/\}/, { token: 'operator', next: '@pop' }],
      [/![rsa](?=[:}])/, 'operator'],
      [/:[^{}'"]*(?=\})/, 'string.escape'],
      { include: '@code' },
    ],
  },
};

function longString(quote: string, format = false): languages.IMonarchLanguageRule[] {
  return [
    [new RegExp(format ? `[^\\\\${quote}{}]+` : `[^\\\\${quote}]+`), 'string'],
    [/\\./, 'string.escape'],
    [/\\$/, 'string'],
    [new RegExp(quote.repeat(3)), { token: 'string', next: '@pop' }],
    [new RegExp(format ? `[${quote}{}]` : quote), 'string'],
  ];
}

function shortString(quote: string, format = false): languages.IMonarchLanguageRule[] {
  const inner = format ? `[^\\\\${quote}{}]` : `[^\\\\${quote}]`;
  return [
    // A string that its line does not end is a mistake: the next line starts afresh.
    [new RegExp(`${inner}+$`), { token: 'string', next: '@pop' }],
    [new RegExp(`${inner}+`), 'string'],
    [/\\$/, 'string'],
    [/\\./, 'string.escape'],
    [new RegExp(quote), { token: 'string', next: '@pop' }],
    [/[{}]/, 'string'],
  ];
}

function formatParts(): languages.IMonarchLanguageRule[] {
  return [
    [/\{\{|\}\}/, 'string.escape'],
    [/\{/, { token: 'operator', next: '@replacement' }],
  ];
}
