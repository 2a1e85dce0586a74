/** Walks over rows that can pause anywhere: a table is immutable, so that a walk can continue with the remaining rows. */
import type { Row } from '../../../src/adapter-kit.ts';
import type { Key } from './order.ts';
import type { Posting } from './table.ts';
import { walk } from './tree.ts';

/**
 * Called with the id of a row, and with the row itself if the walk has already read it.
 * @returns true to continue
 */
export type Visit = (id: string, row?: Row) => boolean;

/** Visits rows until `visit` returns false. When called again, it continues after the last visited row. */
export type Walk = (visit: Visit) => void;

/** Begins a walk after the first `skip` rows. */
export type Begin = (skip?: number) => Walk;

/** Calls `visit` with the values after the first `skip`, until it returns false. */
export type Each<T> = (visit: (value: T) => boolean, skip: number) => void;

/** Rows in the order of `each`. */
export const throughRows =
  (each: Each<Row>): Begin =>
  (skip = 0) => {
    let visited = skip;
    return (visit) =>
      each((row) => {
        visited++;
        return visit(row.id, row);
      }, visited);
  };

/** The rows of posting lists, in the order of `each`. No row may be in two of the lists. */
export const throughPostings =
  (each: Each<Posting>): Begin =>
  (skip = 0) => {
    let lists = 0;
    let toSkip = skip;
    return (visit) =>
      each((posting) => {
        const visitOne = (_: unknown, id: Key) => {
          toSkip++;
          return visit(id as string); // the keys of a posting list are ids
        };
        if (toSkip < posting.size && !walk(posting, visitOne, { skip: toSkip })) return false;
        toSkip -= posting.size;
        lists++;
        return true;
      }, lists);
  };

/** The rows of several walks, each row once. */
export const throughAll =
  (begins: readonly Begin[]): Begin =>
  (skip = 0) => {
    const walks = begins.map((begin) => begin());
    const seen = new Set<string>();
    let at = 0;
    return (visit) => {
      let continues = true;
      const visitOnce: Visit = (id, row) => {
        if (seen.has(id) || seen.add(id).size <= skip) return true;
        continues = visit(id, row);
        return continues;
      };
      for (; at < walks.length; at++) {
        walks[at]?.(visitOnce);
        if (!continues) return;
      }
    };
  };
