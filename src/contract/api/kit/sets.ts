import type * as z from 'zod';
import { sortedSet } from '../../../query/order.ts';
import { list, textUpTo } from './bounded.ts';
import type { Field } from './field.ts';

/** An id or an entry of a set. A value that is too long for an index is rejected when it is written. */
export const word: z.ZodString = textUpTo(65_536);

/** Maximum number of entries of one role array, and of entities that one set or map refers to. */
export const MAX_ENTRIES = 10_000;

/** A set of texts, without duplicates and sorted by code point. */
export const textSet = list(word, 1000)
  .transform(sortedSet)
  .meta({ id: 'TextSet', description: 'A set of texts: duplicates are removed, and the texts are sorted by code point.' });

export type SetField = Field<'optional', 'stored', string[], readonly string[]> & Required<Pick<Field, 'set'>>;
export type HiddenSetField = Field<'never', 'hidden', string[], readonly string[]> & Required<Pick<Field, 'set'>>;

/** A set of plain texts. In answers, an empty set is null. */
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

/** A hidden set of texts by which the controller finds entities. */
export const hiddenTexts = (): HiddenSetField => hiddenSet({ of: 'values' });
