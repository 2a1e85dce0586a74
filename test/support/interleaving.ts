import type { StorageAdapter, Store } from '../../src/storage/port.ts';

/** A store in which something happens between the reads of a call and its write. */
export interface Interleaved {
  readonly storage: StorageAdapter;
  /** Runs `meanwhile` once, after so many more reads are over; default: after the next one. */
  afterReads(meanwhile: () => Promise<unknown>, reads?: number): void;
  /** Whether what was asked for has run. */
  readonly isOver: boolean;
}

export const interleaved = (adapter: StorageAdapter): Interleaved => {
  let waiting: { readonly meanwhile: () => Promise<unknown>; left: number } | undefined;
  const readIsOver = async () => {
    if (!waiting || --waiting.left > 0) return;
    const { meanwhile } = waiting;
    waiting = undefined;
    await meanwhile();
  };
  const open = async (...given: Parameters<StorageAdapter['open']>): Promise<Store> => {
    const store = await adapter.open(...given);
    return {
      transaction: async (mode, work) => {
        const result = await store.transaction(mode, work);
        if (mode === 'read') await readIsOver();
        return result;
      },
      join: (host) => store.join(host),
      close: () => store.close(),
    };
  };
  return {
    storage: { ...adapter, open },
    afterReads: (meanwhile, reads = 1) => {
      waiting = { meanwhile, left: reads };
    },
    get isOver() {
      return waiting === undefined;
    },
  };
};
