/**
 * JavaScript's `toUpperCase` as a PostgreSQL function, because PostgreSQL's own `upper` depends on the collation. Each code point is mapped
 * independently, so the function is a table: most letters become one other letter, about a hundred become two or three. The table is taken
 * from the running JavaScript engine. Its hash is part of the function's name, so that processes with different versions of Unicode use
 * different functions.
 */
import { raw, type Sql } from '../sql.ts';

type Pair = readonly [letter: string, raised: string];

/** The last code point with an upper case form. Verified by a test. */
const LAST_CASED = 0x1ffff;

/**
 * Letters per call of `translate`, whose cost grows with the number of letters. A block runs only if the text contains a letter in its
 * range.
 */
const BLOCK = 64;

let cached: { readonly body: string; readonly name: string } | undefined;

const upperFunction = () => {
  if (cached) return cached;
  const pairs: Pair[] = [];
  for (let point = 0x61; point <= LAST_CASED; point++) {
    const letter = String.fromCodePoint(point);
    const raised = letter.toUpperCase();
    if (raised !== letter) pairs.push([letter, raised]);
  }
  const body = bodyOf(pairs);
  cached = { body, name: `overlay_upper_${digest(body)}` };
  return cached;
};

/** The results are already upper case, so no step changes the result of another. */
const bodyOf = (pairs: readonly Pair[]): string => {
  const isSingle = ([, raised]: Pair) => [...raised].length === 1;
  const single = pairs.filter(isSingle);
  const steps: string[] = [];
  for (let at = 0; at < single.length; at += BLOCK) {
    const block = single.slice(at, at + BLOCK);
    const [from, to] = [0, 1].map((side) => literal(block.map((pair) => pair[side]).join('')));
    steps.push(guarded(`[${block[0]?.[0]}-${block.at(-1)?.[0]}]`, `raised := translate(raised, ${from}, ${to});`));
  }
  const expanding = pairs.filter((pair) => !isSingle(pair));
  const replaced = expanding.map(([letter, raised]) => `raised := replace(raised, ${literal(letter)}, ${literal(raised)});`);
  steps.push(guarded(`[${expanding.map(([letter]) => letter).join('')}]`, replaced.join('\n')));
  return `declare raised text := $1;\nbegin\n${steps.join('\n')}\nreturn raised;\nend`;
};

const guarded = (letters: string, step: string): string => `if $1 ~ ${literal(letters)} then ${step} end if;`;

export const upperName = (): string => upperFunction().name;

/** @param name the function's name as a quoted identifier, which may be qualified with a schema */
export const createUpper = (name: string): Sql => {
  const { body } = upperFunction();
  return raw(
    `create or replace function ${name}(text) returns text language plpgsql immutable strict parallel safe as $upper$ ${body} $upper$`,
  );
};

const literal = (text: string): string => `'${text}'`;

/** FNV-1a, 32 bits: enough to distinguish versions of Unicode. */
const digest = (text: string): string => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
};
