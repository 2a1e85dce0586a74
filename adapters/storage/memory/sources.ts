/** Rows of a table from where a question finds them: one row, the posting of a value, or several sources together. */
import type { Row, Scalar } from '../../../src/adapter-kit.ts';
import { add, addAll, type Bits, bitsOf, common, countOf, holds, isMarked, noBits } from './bits.ts';
import type { Posting, Table } from './table.ts';
import { walk } from './tree.ts';

/** Is given a row by its id and number, and itself where it is at hand. @returns whether to go on */
export type Visit = (id: string, number: number, row?: Row) => boolean;

/** The same after passing over so many. */
export const skipping = (visit: Visit, skip: number): Visit => {
  let toPass = skip;
  return (id, number, row) => (toPass > 0 ? toPass-- > 0 : visit(id, number, row));
};

export interface Source {
  /** About how many rows there are; 0 only if there are none. */
  readonly size: number;
  /** Whether the rows are just those that satisfy the question. */
  readonly isExact: boolean;
  /** Whether `each` goes in order of id. */
  readonly isOrdered: boolean;
  /** How many rows are visited to make `bits`. */
  readonly marking: number;
  /** Visits each row once until `visit` gives false, after passing over `skip` of them. */
  each(visit: Visit, skip?: number): void;
  bits(): Bits;
  count(): number;
}

export const isExact = (source: Source): boolean => source.isExact;

export const posted = (table: Table, posting: Posting): Source => ({
  size: posting.size,
  isExact: true,
  isOrdered: true,
  get marking() {
    return isMarked(posting) ? 0 : posting.size;
  },
  each: (visit, skip = 0) => void walk(posting, (number, id) => visit(id as string, number), { skip }), // postings hold ids
  bits: () => bitsOf(posting, table.width),
  count: () => posting.size,
});

export const single = (number: number | undefined, id: Scalar): Source => ({
  size: number === undefined ? 0 : 1,
  isExact: true,
  isOrdered: true,
  marking: 0,
  each: (visit, skip = 0) => void (number !== undefined && skip === 0 && visit(id as string, number)), // a row was found by it
  bits: () => {
    const bits = noBits((number ?? 0) + 1);
    if (number !== undefined) add(bits, number);
    return bits;
  },
  count: () => (number === undefined ? 0 : 1),
});

/** So many rows in order of id, from wherever they come. */
export const counted = (table: Table, size: number, each: Source['each']): Source => ({
  size,
  isExact: true,
  isOrdered: true,
  marking: size,
  each,
  bits: once(() => marked(table, each)),
  count: () => size,
});

/** The rows of postings that have none in common. */
export const spread = (table: Table, size: number, postings: (visit: (posting: Posting) => boolean) => void): Source => {
  const each: Source['each'] = (visit, skip = 0) => {
    const visitLater = skipping(visit, skip);
    postings((posting) => walk(posting, (number, id) => visitLater(id as string, number))); // postings hold ids
  };
  const bits = once(() => marked(table, each));
  const count = () => {
    let rows = 0;
    postings((posting) => {
      rows += posting.size;
      return true;
    });
    return rows;
  };
  return { size, isExact: true, isOrdered: false, marking: size, each, bits, count };
};

/** The rows of any source, each once. */
export const merged = (table: Table, sources: readonly Source[]): Source => {
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
    marking: markingOf(sources),
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

/** So few rows are met sooner than counted. */
const MANY = 64;

/** The rows that are in every source. */
export const shared = (table: Table, sources: readonly Source[]): Source => {
  const [rarest, ...others] = sources.toSorted((a, b) => a.size - b.size);
  if (!rarest) return merged(table, []);
  if (others.length === 0) return rarest;
  const bits = once(() => others.reduce((both, source) => common(both, source.bits()), rarest.bits()));
  return {
    // The intersection of many rows may be small: counting it is cheap.
    size: rarest.size < MANY ? rarest.size : countOf(bits()),
    isExact: sources.every(isExact),
    isOrdered: rarest.isOrdered,
    marking: markingOf(sources),
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

const markingOf = (sources: readonly Source[]): number => sources.reduce((sum, { marking }) => sum + marking, 0);

/** A row is asked the whole question at the cost of marking so many. */
const ASKING = 16;

/**
 * Of sources whose common rows are wanted, those that are worth it: where one has few rows, these are sooner asked than all rows of a wide one are marked. It
 * matters where one question is asked again and again: which of five hundred identities have a session, of all sessions that were active of late.
 */
export const worthSharing = (sources: readonly Source[]): readonly Source[] => {
  const rarest = sources.reduce<Source | undefined>((least, source) => (least && least.size <= source.size ? least : source), undefined);
  return sources.filter((source) => source === rarest || source.marking <= ASKING * (rarest?.size ?? 0));
};

const marked = (table: Table, each: Source['each']): Bits => {
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
