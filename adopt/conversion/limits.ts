import { exceededLimit } from '../../src/access/configs/limits.ts';
import { JSON_LIMITS } from '../../src/call/json.ts';
import { withDerived } from '../../src/contract/api/kit/derived.ts';
import { ApiError } from '../../src/contract/errors/index.ts';
import { checkedRow } from '../../src/operations/restore/row.ts';
import { tableOf } from '../../src/store/changelog/views.ts';
import type { Dates } from '../../src/store/entities/entities.ts';
import type { Adopted } from './mapping.ts';

/**
 * The values of an entity that can be kept, but neither be written through the API nor be restored from a snapshot: the first fault, if
 * there is one.
 */
export const beyondLimits = ({ kind, row, dates }: Adopted & { readonly dates: Dates }): readonly string[] => {
  const large = exceededLimit(row, JSON_LIMITS.depth, JSON_LIMITS.values);
  if (large !== undefined) return [`it ${large}`];
  try {
    checkedRow(tableOf(kind), withDerived(kind.fields, { ...row, ...dates, version: 1 }));
    return [];
  } catch (error) {
    if (error instanceof ApiError) return [error.message];
    throw error;
  }
};

/** Paths of requests are not longer in any server and proxy. */
const MAX_ID_LENGTH = 2000;

/**
 * True if requests can name the entity. In an address, the segments `.` and `..` mean something else, however they are written; filters
 * have no control characters.
 */
export const isAddressable = (id: string): boolean =>
  !/^\.{0,2}$|\p{Cc}/u.test(id) && id.isWellFormed() && encodeURIComponent(id).length <= MAX_ID_LENGTH;
