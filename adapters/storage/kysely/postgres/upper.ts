/**
 * JavaScript's `toUpperCase` as a function of PostgreSQL, whose own `upper` follows the collation. What a code point becomes
 * depends on no other one, so that the function is a table: most letters become one other, about a hundred become two or three.
 * The table is that of the running engine, and the function is named after it: processes that know different versions of
 * Unicode use different functions.
 */
import { quoted, raw, type Sql } from '../sql.ts';

interface Mapping {
  readonly from: string;
  readonly to: string;
  readonly expanding: readonly (readonly [string, string])[];
}

/** No letter beyond has a case: a test looks. */
const LAST_CASED = 0x1ffff;

let known: { readonly mapping: Mapping; readonly name: string } | undefined;

const upper = () => {
  if (known) return known;
  const single: (readonly [string, string])[] = [];
  const expanding: (readonly [string, string])[] = [];
  for (let point = 0x80; point <= LAST_CASED; point++) {
    const letter = String.fromCodePoint(point);
    const raised = letter.toUpperCase();
    if (raised === letter || (point >= 0xd800 && point < 0xe000)) continue;
    ([...raised].length === 1 ? single : expanding).push([letter, raised]);
  }
  const [from, to] = [0, 1].map((side) => single.map((pair) => pair[side]).join(''));
  const mapping: Mapping = { from: `abcdefghijklmnopqrstuvwxyz${from}`, to: `ABCDEFGHIJKLMNOPQRSTUVWXYZ${to}`, expanding };
  known = { mapping, name: `overlay_upper_${digest(JSON.stringify(mapping))}` };
  return known;
};

export const upperName = (): string => upper().name;

/** What a letter becomes is upper case already, so that the steps do not touch each other's results. */
export const createUpper = (): Sql => {
  const { mapping, name } = upper();
  const single = `translate($1, ${literal(mapping.from)}, ${literal(mapping.to)})`;
  const all = mapping.expanding.reduce((text, [letter, raised]) => `replace(${text}, ${literal(letter)}, ${literal(raised)})`, single);
  const letters = literal(`[${mapping.expanding.map(([letter]) => letter).join('')}]`);
  const body = `select case when $1 ~ ${letters} then ${all} else ${single} end`;
  return raw(
    `create or replace function ${quoted(name)}(text) returns text language sql immutable strict parallel safe as $upper$ ${body} $upper$`,
  );
};

const literal = (text: string): string => `'${text}'`;

/** FNV-1a, 32 bits: enough to tell versions of Unicode apart. */
const digest = (text: string): string => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
};
