import type * as z from 'zod';
import { sortedSet } from '../../query/order.ts';
import { list, textUpTo } from './bounded.ts';
import type { Field } from './field.ts';

/** An id or an entry of a set. What is longer than an index takes is refused when it is written, with the name of its field. */
export const word: z.ZodString = textUpTo(65_536);

/** Entries of one role array, and entities that one entity refers to, at most. */
export const MOST_ENTRIES = 10_000;

/** A set of texts: duplicates dropped, returned by code point. */
export const textSet = list(word, 1000)
  .transform(sortedSet)
  .meta({ id: 'TextSet', description: 'A set of texts: duplicates are dropped, the order is by code point.' });

export type SetField = Field<'optional', 'stored', string[], readonly string[]> & Required<Pick<Field, 'set'>>;
export type HiddenSetField = Field<'never', 'hidden', string[], readonly string[]> & Required<Pick<Field, 'set'>>;

/** A set of plain texts; none reads back as null. */
export const texts = (): SetField => ({
  write: 'optional',
  keep: 'stored',
  schema: textSet,
  default: [],
  set: { of: 'values' },
  filter: true,
});

/** A set that only the controller itself reads and writes. */
export const hiddenSet = (set: NonNullable<Field['set']>): HiddenSetField => ({
  write: 'never',
  keep: 'hidden',
  schema: textSet,
  default: [],
  set,
});

/** Texts that only the controller itself reads and writes: entities are found by them. */
export const notes = (): HiddenSetField => hiddenSet({ of: 'values' });
