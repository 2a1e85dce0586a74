/**
 * The tokens of the filter language (docs/filters.md). Every token records the number of blanks before it, because the language requires
 * blanks in some places and forbids them in others. A character that cannot start a token is an error.
 */
import { normaliseDate } from './dates.ts';
import { decimalText } from './decimal.ts';
import { FilterError, shownText } from './errors.ts';

/** Maximum length of a filter, in UTF-16 units. */
export const MAX_FILTER_LENGTH = 16_384;

interface TokenBase {
  /** Offset in the filter, from 0. */
  readonly at: number;
  /** The token as written in the filter. */
  readonly text: string;
  /** The number of blanks before it. */
  readonly blanks: number;
}

export type FilterToken = TokenBase &
  (
    | { readonly is: 'word' | 'mark' | 'end' }
    | { readonly is: 'string' | 'date'; readonly value: string }
    | { readonly is: 'number'; readonly value: number; readonly decimal: string }
  );

/**
 * Splits a filter into tokens, the last of which is `end`.
 * @throws FilterError
 */
export const tokenize = (text: string): readonly FilterToken[] => {
  if (text.length > MAX_FILTER_LENGTH) {
    throw new FilterError(`the filter has ${text.length} characters, more than ${MAX_FILTER_LENGTH}`, MAX_FILTER_LENGTH + 1);
  }
  const tokens: FilterToken[] = [];
  let at = 0;
  for (;;) {
    const blanks = matchAt(BLANKS, text, at).length;
    at += blanks;
    const token = tokenAt(text, at, blanks);
    tokens.push(token);
    if (token.is === 'end') return tokens;
    at += token.text.length;
  }
};

const BLANKS = /[ \t\r\n]*/y;
const WORD = /[A-Za-z][A-Za-z_]*(?:\.[A-Za-z][A-Za-z_-]*)*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?(?:0|[1-9][0-9]*))?/y;
/** Characters that must not directly follow a word or a number. */
const CONTINUATION = /[A-Za-z0-9_.-]?/y;
const MARK = /[<>!]=|[=<>()[\],]/y;
/** Characters of a string that need no escape: all but quotes, backslashes and control characters. */
const PLAIN = /[ !#-[\]-\uffff]*/y;

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
};

const tokenAt = (text: string, at: number, blanks: number): FilterToken => {
  if (at === text.length) return { is: 'end', at, blanks, text: '' };
  const word = matchAt(WORD, text, at);
  if (word === 'datetime' && text[at + word.length] === '(') return dateAt(text, at, blanks);
  if (word !== '')
    return {
      is: 'word',
      at,
      blanks,
      text: requireEnd(word, text, at, 'is not a name: names consist of letters and _, and of - after a dot, without digits'),
    };
  const mark = matchAt(MARK, text, at);
  if (mark !== '') return { is: 'mark', at, blanks, text: mark };
  const number = matchAt(NUMBER, text, at);
  if (number !== '')
    return { is: 'number', at, blanks, text: requireEnd(number, text, at, `is not a number${DATES}`), ...numberOf(number, at) };
  if (text[at] === '"') return stringAt(text, at, blanks);
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
  throw new FilterError(
    `${shownText(found)} is not valid here${found === "'" || found === '`' ? ': strings must be in double quotes' : ''}`,
    at + 1,
  );
};

const DATES = ': write dates as in datetime(2024-02-29T12:30:00Z)';

/**
 * Returns the token.
 * @throws FilterError if a character follows that must not
 */
const requireEnd = (token: string, text: string, at: number, reason: string): string => {
  const continuation = matchAt(CONTINUATION, text, at + token.length);
  if (continuation !== '') throw new FilterError(`${shownText(token + continuation)} ${reason}`, at + 1);
  return token;
};

const numberOf = (text: string, at: number): { readonly value: number; readonly decimal: string } => {
  const value = Number(text) || 0; // -0 is 0
  if (!Number.isFinite(value)) throw new FilterError(`the number ${shownText(text)} is too large`, at + 1);
  const isExact = /^-?[0-9]+$/.test(text) && value !== 0;
  return { value, decimal: isExact ? text : decimalText(value) };
};

const dateAt = (text: string, at: number, blanks: number): FilterToken => {
  const close = text.indexOf(')', at);
  const source = text.slice(at, close === -1 ? text.length : close + 1);
  const value = close === -1 ? undefined : normaliseDate(/^datetime\([ \t\r\n]*([^ \t\r\n]*)[ \t\r\n]*\)$/.exec(source)?.[1] ?? '');
  if (value === undefined) throw new FilterError(`${shownText(source)} is not a date${DATES}`, at + 1);
  return { is: 'date', at, blanks, text: source, value };
};

const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', f: '\f', n: '\n', r: '\r', t: '\t' };

const stringAt = (text: string, start: number, blanks: number): FilterToken => {
  const parts: string[] = [];
  let at = start + 1;
  for (;;) {
    const plain = matchAt(PLAIN, text, at);
    parts.push(plain);
    at += plain.length;
    const stop = text[at];
    if (stop === '"') return { is: 'string', at: start, blanks, text: text.slice(start, at + 1), value: parts.join('') };
    if (stop === undefined) throw new FilterError('the string has no closing quote', start + 1);
    if (stop !== '\\')
      throw new FilterError('a string must not contain line breaks or other control characters: write \\n, \\r, \\t or \\f', at + 1);
    const meaning = ESCAPES[text[at + 1] ?? ''];
    if (meaning === undefined)
      throw new FilterError(
        `${shownText(text.slice(at, at + 2))} is not a valid escape: a backslash must be followed by one of " \\ f n r t`,
        at + 1,
      );
    parts.push(meaning);
    at += 2;
  }
};
