/** The kinds of mistakes. A sample has about as many of each, because there are ten times as many arguments as comparisons. */
export type MistakeKind =
  | 'arguments'
  | 'await'
  | 'boolean'
  | 'branch'
  | 'call'
  | 'comparison'
  | 'condition'
  | 'default'
  | 'logic'
  | 'members'
  | 'number'
  | 'return'
  | 'throw';

export interface Mutant {
  readonly kind: MistakeKind;
  /** The path relative to the root of the project. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** The names that the statement at the top of the file declares, in which the mistake is. */
  readonly declared: readonly string[];
  /** What the mistake is, e.g. `>= becomes >`. */
  readonly mistake: string;
  /** The mistake replaces the text from `start` to `end`. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** The text of a source file with the mistake. */
export const withMutant = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);
