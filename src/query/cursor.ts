/** The parser's cursor on the tokens of a filter: one token of lookahead, case-insensitive keywords, and a limit on the number of conditions. */
import { FilterError, shownText } from './errors.ts';
import { type FilterToken, tokenize } from './tokens.ts';
import type { Name } from './tree.ts';

/** Maximum number of conditions in one filter. */
export const MAX_TERMS = 500;

/** Reserved words, which cannot be names of fields. */
const KEYWORDS = new Set(
  'and or not true false null contains icontains in between sort by asc desc skip limit none from where anyof allof count isempty datetime'.split(
    ' ',
  ),
);

export interface Cursor {
  /** The next token, without taking it. */
  readonly token: FilterToken;
  /** True if the next token is this keyword or mark. */
  at(symbol: string): boolean;
  take(): FilterToken;
  /** Takes the next token if it is this keyword or mark. */
  accept(symbol: string): boolean;
  /** Takes this keyword or mark. */
  expect(symbol: string): void;
  /** Takes the opening parenthesis of a function, which must directly follow the name. */
  expectArguments(name: string): void;
  /** Requires a blank before the next token. */
  expectBlank(): void;
  takeName(wanted?: string): Name;
  countTerm(): void;
  /** The error that something other than `wanted` was found. */
  unexpected(wanted: string): FilterError;
}

export const cursorOf = (text: string): Cursor => {
  const tokens = tokenize(text);
  let token = tokens[0] as FilterToken; // there is always an end token
  let next = 1;
  let terms = 0;

  const unexpected = (wanted: string): FilterError =>
    new FilterError(`expected ${wanted}, found ${token.is === 'end' ? 'the end' : shownText(token.text)}`, token.at + 1);
  const at = (symbol: string): boolean =>
    (token.is === 'word' && token.text.toLowerCase() === symbol.toLowerCase()) || (token.is === 'mark' && token.text === symbol);
  const take = (): FilterToken => {
    const taken = token;
    token = tokens[next++] ?? token; // stays at the end token
    return taken;
  };
  const accept = (symbol: string): boolean => {
    const found = at(symbol);
    if (found) take();
    return found;
  };
  const expect = (symbol: string): void => {
    if (!accept(symbol)) throw unexpected(`'${symbol}'`);
  };

  return {
    get token() {
      return token;
    },
    at,
    take,
    accept,
    expect,
    unexpected,
    expectArguments: (name) => {
      if (!at('(') || token.blanks > 0) throw unexpected(`'(' right after ${name}`);
      take();
    },
    expectBlank: () => {
      if (token.blanks === 0 && token.is !== 'end') throw unexpected('a blank'); // at the end, more than a blank is missing
    },
    takeName: (wanted = 'the name of a field') => {
      if (token.is !== 'word' || KEYWORDS.has(token.text.toLowerCase())) throw unexpected(wanted);
      return { text: token.text, at: take().at };
    },
    countTerm: () => {
      if (++terms > MAX_TERMS) throw new FilterError(`the filter has more than ${MAX_TERMS} conditions`, token.at + 1);
    },
  };
};
