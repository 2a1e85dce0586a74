import { invalidField } from '../../contract/errors/index.ts';

/** A character of an id or name, or any character, with its quantifier. */
interface Token {
  /** Undefined: any. */
  readonly character: string | undefined;
  readonly isOptional: boolean;
  readonly mayRepeat: boolean;
}

const ANY: Token = { character: undefined, isOptional: true, mayRepeat: true };
const TERM = /(?:\\(?<escaped>[^\p{L}\p{N}_\s])|(?<any>\.)|(?<plain>[^\\.*+?|^$()[\]{}]))(?<times>[*+?]?)/uy;

/**
 * Reads a simple regular expression for ids and names: characters and `.`, each with `*`, `+` or `?`, in alternatives with `^` and `$`.
 * Matching takes time proportional to the product of its length and that of the id. JavaScript's own regular expressions can backtrack
 * exponentially, so a client could block the process.
 * @param field the name of the field, for the error
 * @throws ApiError `COULD_NOT_VALIDATE` for any other expression
 */
export const idPattern = (field: string, text: string): ((id: string) => boolean) => {
  const alternatives: Token[][] = [];
  let position = 0;
  const take = (character: string): boolean => {
    const isNext = text[position] === character;
    if (isNext) position++;
    return isNext;
  };
  do {
    const tokens = take('^') ? [] : [ANY];
    for (let term = termAt(text, position); term; term = termAt(text, position)) {
      position += term[0].length;
      const { escaped, plain, times = '' } = term.groups ?? {};
      tokens.push({ character: escaped ?? plain, isOptional: times === '*' || times === '?', mayRepeat: times === '*' || times === '+' });
    }
    if (!take('$')) tokens.push(ANY);
    alternatives.push(tokens);
  } while (take('|'));
  if (position < text.length)
    throw invalidField(
      field,
      `a pattern may contain characters, \\, and . * + ? | ^ $, but no groups or classes; it is invalid at character ${position + 1}`,
      text,
    );
  return (id) => alternatives.some((tokens) => isMatch(tokens, id));
};

const termAt = (text: string, position: number): RegExpExecArray | null => {
  TERM.lastIndex = position;
  return TERM.exec(text);
};

/** Simulates the NFA of the tokens. */
const isMatch = (tokens: readonly Token[], id: string): boolean => {
  let active = reached(tokens, [0]);
  for (const character of id) {
    const next: number[] = [];
    for (const i of active) {
      const token = tokens[i];
      if (!token || (token.character ?? character) !== character) continue;
      if (token.mayRepeat) next.push(i);
      next.push(i + 1);
    }
    active = reached(tokens, next);
  }
  return active.has(tokens.length);
};

/** The epsilon closure: these positions, and those after optional tokens. */
const reached = (tokens: readonly Token[], positions: readonly number[]): ReadonlySet<number> => {
  const all = new Set(positions);
  // A position that is added during the iteration is visited, too.
  for (const position of all) if (tokens[position]?.isOptional) all.add(position + 1);
  return all;
};

/** An expression that matches only this id, for `idPattern` and for routers, which read RE2. */
export const exactPattern = (id: string): string => `^${id.replace(/[!-/:-@[-^`{-~]/g, '\\$&')}$`;
