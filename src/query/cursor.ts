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

/** The position of the parser in a filter, with one token of lookahead. Keywords are case-insensitive. */
export class Cursor {
  readonly #tokens: readonly FilterToken[];
  #position = 0;
  #terms = 0;

  /** @throws FilterError if the text cannot be split into tokens */
  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  /** The next token; the end token once all others are taken. */
  get token(): FilterToken {
    return this.#tokens[this.#position] as FilterToken; // `take` never moves beyond the last token
  }

  /** True if the next token is this keyword or mark. */
  at(symbol: string): boolean {
    const { token } = this;
    return (token.is === 'word' && token.text.toLowerCase() === symbol.toLowerCase()) || (token.is === 'mark' && token.text === symbol);
  }

  /** Takes and returns the next token. */
  take(): FilterToken {
    const { token } = this;
    if (token.is !== 'end') this.#position++;
    return token;
  }

  /** Takes the next token if it is this keyword or mark. */
  accept(symbol: string): boolean {
    const found = this.at(symbol);
    if (found) this.take();
    return found;
  }

  /**
   * Takes this keyword or mark.
   * @throws FilterError if it is not next
   */
  expect(symbol: string): void {
    if (!this.accept(symbol)) throw this.unexpected(`'${symbol}'`);
  }

  /**
   * Takes the opening parenthesis of a function.
   * @throws FilterError unless it directly follows the name
   */
  expectArguments(name: string): void {
    if (!this.at('(') || this.token.blanks > 0) throw this.unexpected(`'(' right after ${name}`);
    this.take();
  }

  /** @throws FilterError if there is no blank before the next token */
  expectBlank(): void {
    const { blanks, is } = this.token;
    if (blanks === 0 && is !== 'end') throw this.unexpected('a blank'); // at the end, more than a blank is missing
  }

  /**
   * Takes a name.
   * @throws FilterError if the next token is not one
   */
  takeName(expected = 'the name of a field'): Name {
    const { is, text, at } = this.token;
    if (is !== 'word' || KEYWORDS.has(text.toLowerCase())) throw this.unexpected(expected);
    this.take();
    return { text, at };
  }

  /**
   * Counts a condition.
   * @throws FilterError if there are more than `MAX_TERMS`
   */
  countTerm(): void {
    if (++this.#terms > MAX_TERMS) throw new FilterError(`the filter has more than ${MAX_TERMS} conditions`, this.token.at + 1);
  }

  /** Creates the error for a token other than the expected one. */
  unexpected(expected: string): FilterError {
    const { is, text, at } = this.token;
    return new FilterError(`expected ${expected}, found ${is === 'end' ? 'the end' : shownText(text)}`, at + 1);
  }
}
