import type { StorageAdapter, Store } from '../../src/storage/port.ts';

/** A store in which something happens between the reads of a call and its write. */
export interface Interleaved {
  readonly storage: StorageAdapter;
  /** Runs `meanwhile` once, after so many more reads are over; default: after the next one. */
  afterReads(meanwhile: () => Promise<unknown>, reads?: number): void;
  /** Runs `meanwhile` once, before the next write begins: after all that was looked at before it. */
  beforeWrite(meanwhile: () => Promise<unknown>): void;
  /** Whether what was asked for has run. */
  readonly isOver: boolean;
}

export const interleaved = (adapter: StorageAdapter): Interleaved => {
  let waiting: { readonly meanwhile: () => Promise<unknown>; left: number } | undefined;
  let first: (() => Promise<unknown>) | undefined;
  const writeBegins = async () => {
    const meanwhile = first;
    first = undefined;
    await meanwhile?.();
  };
  const readIsOver = async () => {
    if (!waiting || --waiting.left > 0) return;
    const { meanwhile } = waiting;
    waiting = undefined;
    await meanwhile();
  };
  const open = async (...given: Parameters<StorageAdapter['open']>): Promise<Store> => {
    const store = await adapter.open(...given);
    return {
      transaction: async (mode, work, options) => {
        if (mode === 'write') await writeBegins();
        const result = await store.transaction(mode, work, options);
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
    beforeWrite: (meanwhile) => {
      first = meanwhile;
    },
    get isOver() {
      return waiting === undefined && first === undefined;
    },
  };
};
