import { dataModelMessages } from '../../../control-channel/messages/data-model.ts';
import type { DataEvent } from './documents.ts';

/** A change set as it was sent. */
export interface SentSet {
  /** The revision after which it holds. */
  readonly index: number;
  /** Whether it is about something that is not in the change log, so that it has no index of its own. */
  readonly isSynthetic: boolean;
  readonly body: Uint8Array;
}

/** The change sets of late, for routers that were away for a short time. */
export interface ChangeSets {
  add(index: number, changes: readonly DataEvent[], isSynthetic: boolean): SentSet;
  /** What a router with this index has missed; undefined if that is no longer known. */
  since(index: number): readonly SentSet[] | undefined;
}

const MOST = 1000;
/** Bytes of all of them. */
const MOST_BYTES = 4_194_304;

/** @param first the index before the first change set */
export const createChangeSets = (first: number): ChangeSets => {
  const sets: SentSet[] = [];
  let bytes = 0;
  let reachesBackTo = first;
  return {
    add: (index, changes, isSynthetic) => {
      const set = { index, isSynthetic, body: dataModelMessages.changeSet.encode({ index: BigInt(index), isSynthetic, changes }) };
      sets.push(set);
      bytes += set.body.length;
      while (sets.length > MOST || bytes > MOST_BYTES) {
        const dropped = sets.shift();
        if (!dropped) break;
        bytes -= dropped.body.length;
        // One without an index of its own may be needed by whoever has that very index.
        reachesBackTo = dropped.isSynthetic ? dropped.index + 1 : dropped.index;
      }
      return set;
    },
    since: (index) =>
      index < reachesBackTo ? undefined : sets.filter((set) => set.index > index || (set.isSynthetic && set.index === index)),
  };
};
