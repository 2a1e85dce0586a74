import { RE2JS, RE2JSException } from 're2js';
import { limits, type StepBudget } from './limits.ts';

/** A regular expression as the validator uses it; `toString` tells expressions apart. */
export interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/** The patterns of one schema, compiled once. */
export interface Patterns {
  /** @throws PatternRefused */
  compile(pattern: string): Pattern;
}

export class PatternRefused extends Error {
  override readonly name = 'PatternRefused';
}

/**
 * Patterns run on RE2, whose matching time is linear in the length of the text; JavaScript's backtracking engine takes exponential time
 * for patterns such as `(x+x+)+y`. The trade-off: RE2 has no look-around or back-references. As in the specification, a pattern may match
 * anywhere in the text.
 */
export const createPatterns = (budget: StepBudget): Patterns => {
  const compiledPatterns = new Map<string, Pattern>();
  let size = 0;
  return {
    compile: (pattern) => {
      const existing = compiledPatterns.get(pattern);
      if (existing) return existing;
      if (pattern.length > limits.patternLength)
        throw new PatternRefused(`a pattern must not be longer than ${limits.patternLength} characters`);
      size += largestSize(pattern);
      if (size > limits.patternSize)
        throw new PatternRefused(
          'the patterns take too long to compile: use fewer, with smaller repetition counts {n,m} and fewer character classes',
        );
      const regex = compile(pattern);
      const cost = 2 * regex.programSize();
      const compiled: Pattern = {
        test: (text) => {
          budget.spend(cost * (text.length + 1));
          return regex.test(text);
        },
        toString: () => `/${pattern}/`,
      };
      compiledPatterns.set(pattern, compiled);
      return compiled;
    },
  };
};

const compile = (pattern: string): RE2JS => {
  // The engine would read `\k` as the letter `k`.
  if (NAMED_BACK_REFERENCE.test(pattern)) throw refused(pattern, 'back-references such as \\k<name> are not supported');
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    if (LOOK_AROUND.test(pattern)) throw refused(pattern, 'look-around such as (?=…) or (?<!…) is not supported');
    if (BACK_REFERENCE.test(pattern)) throw refused(pattern, 'back-references such as \\1 are not supported');
    throw refused(pattern, error.message);
  }
};

const refused = (pattern: string, reason: string) => new PatternRefused(`pattern ${JSON.stringify(pattern)} cannot be used: ${reason}`);

const LOOK_AROUND = /\(\?<?[=!]/;
const BACK_REFERENCE = /\\[1-9]/;
/** Preceded by an even number of backslashes, and so not escaped: each pair stands for one literal backslash. */
const NAMED_BACK_REFERENCE = /(?<!\\)(?:\\\\)*\\k</;

/** RE2 rejects nested repetitions if the product of their counts is larger. */
const MAX_REPETITION = 1000;

/** The compile cost, in instructions, of a Unicode class and of a case-insensitive class. */
const CLASS_SIZE = 50;
const FOLDED_CLASS_SIZE = 1500;

/** An upper bound, computed before the pattern is compiled, as if every repetition applied to the whole pattern. */
const largestSize = (pattern: string): number => {
  let copies = 1;
  for (const [, min, max] of pattern.matchAll(/\{([0-9]+)(?:,([0-9]*))?\}/g))
    copies = Math.min(MAX_REPETITION, copies * Math.max(1, Number(min), Number(max ?? 0)));
  const classes = pattern.match(/\[|\\p/gi)?.length ?? 0;
  return pattern.length * copies + classes * (/\(\?[a-z]*i/i.test(pattern) ? FOLDED_CLASS_SIZE : CLASS_SIZE);
};
