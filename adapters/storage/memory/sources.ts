/** Sources of candidates: one row, the posting list of a value, or several sources combined. */
import { compareText, type Row, type Scalar } from '../../../src/adapter-kit.ts';
import { add, addAll, type Bits, bitsOf, common, countOf, hasBits, holds, noBits } from './bits.ts';
import type { Posting, Table } from './table.ts';
import { get, walk } from './tree.ts';

/** Called with the id and number of a row, and with the row itself if it is at hand. @returns whether to continue */
export type Visit = (id: string, number: number, row?: Row) => boolean;

/** Ignores the first `skip` rows. */
export const skipping = (visit: Visit, skip: number): Visit => {
  let toPass = skip;
  return (id, number, row) => (toPass > 0 ? toPass-- > 0 : visit(id, number, row));
};

export interface Source {
  /** The estimated number of rows; 0 only if there are none. */
  readonly size: number;
  /** Whether all rows of the source satisfy the predicate. */
  readonly isExact: boolean;
  /** Whether `each` visits rows in order of id. */
  readonly isOrdered: boolean;
  /** The cost of `bits`: the number of rows that it visits. */
  readonly bitsCost: number;
  /** Skips `skip` rows, then visits each row once until `visit` returns false. */
  each(visit: Visit, skip?: number): void;
  bits(): Bits;
  count(): number;
}

export const isExact = (source: Source): boolean => source.isExact;

export const ofPosting = (table: Table, posting: Posting): Source => ({
  size: posting.size,
  isExact: true,
  isOrdered: true,
  get bitsCost() {
    return hasBits(posting) ? 0 : posting.size;
  },
  each: (visit, skip = 0) => void walk(posting, (number, id) => visit(id as string, number), { skip }), // postings hold ids
  bits: () => bitsOf(posting, table.width),
  count: () => posting.size,
});

/** The rows with these ids. */
export const ofIds = (table: Table, ids: readonly Scalar[]): Source => {
  const rows = [...new Set(ids)].flatMap((id) => get(table.rows, id) ?? []).sort((a, b) => compareText(a.row.id, b.row.id));
  return ofCount(table, rows.length, (visit, skip = 0) => void rows.slice(skip).every(({ row, number }) => visit(row.id, number, row)));
};

/** A known number of rows, in order of id. */
export const ofCount = (table: Table, size: number, each: Source['each']): Source => ({
  size,
  isExact: true,
  isOrdered: true,
  bitsCost: size,
  each,
  bits: once(() => bitmapOf(table, each)),
  count: () => size,
});

/** The rows of disjoint posting lists. */
export const ofPostings = (table: Table, size: number, postings: (visit: (posting: Posting) => boolean) => void): Source => {
  const each: Source['each'] = (visit, skip = 0) => {
    const visitLater = skipping(visit, skip);
    postings((posting) => walk(posting, (number, id) => visitLater(id as string, number))); // postings hold ids
  };
  const bits = once(() => bitmapOf(table, each));
  const count = () => {
    let rows = 0;
    postings((posting) => {
      rows += posting.size;
      return true;
    });
    return rows;
  };
  return { size, isExact: true, isOrdered: false, bitsCost: size, each, bits, count };
};

/** The union of sources, without duplicates. */
export const union = (table: Table, sources: readonly Source[]): Source => {
  const [only, ...more] = sources;
  if (only && more.length === 0) return only;
  const size = sources.reduce((sum, source) => sum + source.size, 0);
  const bits = once(() => {
    const all = noBits(table.width);
    for (const source of sources) addAll(all, source.bits());
    return all;
  });
  return {
    size,
    isExact: sources.every(isExact),
    isOrdered: false,
    bitsCost: bitsCostOf(sources),
    each(visit, skip = 0) {
      const seen = noBits(table.width);
      const visitLater = skipping(visit, skip);
      let goesOn = true;
      const visitOnce: Visit = (id, number, row) => {
        if (holds(seen, number)) return true;
        add(seen, number);
        goesOn = visitLater(id, number, row);
        return goesOn;
      };
      for (const source of sources) if (goesOn) source.each(visitOnce);
    },
    bits,
    count: () => countOf(bits()),
  };
};

/** Below this size of the smallest source, its size is the estimate for an intersection; counting would cost more than visiting. */
const MANY = 64;

/** The intersection of sources. */
export const intersection = (table: Table, sources: readonly Source[]): Source => {
  const [rarest, ...others] = sources.toSorted((a, b) => a.size - b.size);
  if (!rarest) return union(table, []);
  if (others.length === 0) return rarest;
  const bits = once(() => others.reduce((both, source) => common(both, source.bits()), rarest.bits()));
  return {
    // The intersection of large sources may be small, and counting bits is cheap.
    size: rarest.size < MANY ? rarest.size : countOf(bits()),
    isExact: sources.every(isExact),
    isOrdered: rarest.isOrdered,
    bitsCost: bitsCostOf(sources),
    each(visit, skip = 0) {
      if (rarest.size === 0) return;
      const all = bits();
      const visitLater = skipping(visit, skip);
      rarest.each((id, number, row) => !holds(all, number) || visitLater(id, number, row));
    },
    bits,
    count: () => (rarest.size === 0 ? 0 : countOf(bits())),
  };
};

const bitsCostOf = (sources: readonly Source[]): number => sources.reduce((sum, { bitsCost }) => sum + bitsCost, 0);

/** The cost of testing the whole predicate on one row, in rows visited for a bitmap. */
const TEST_COST = 16;

/**
 * The sources that are worth intersecting: if one has few rows, testing them is cheaper than building the bitmap of a large source. This matters for
 * predicates that recur with other values, such as which of 500 identities have a session, among all sessions with recent activity.
 */
export const worthIntersecting = (sources: readonly Source[]): readonly Source[] => {
  const rarest = sources.reduce<Source | undefined>((least, source) => (least && least.size <= source.size ? least : source), undefined);
  return sources.filter((source) => source === rarest || source.bitsCost <= TEST_COST * (rarest?.size ?? 0));
};

const bitmapOf = (table: Table, each: Source['each']): Bits => {
  const bits = noBits(table.width);
  each((_, number) => {
    add(bits, number);
    return true;
  });
  return bits;
};

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};
