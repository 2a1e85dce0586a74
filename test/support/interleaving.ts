import type { StorageAdapter, Store, Transaction } from '../../src/store/storage/port.ts';
import { isOf, lastBeginning } from './beginnings.ts';

/**
 * A store in which something happens between the reads of a call and its write. The transactions of what an app has begun before that was
 * asked for do not count: its jobs, and what earlier requests have left to the background.
 */
export interface Interleaved {
  readonly storage: StorageAdapter;
  /** Runs `meanwhile` once, after so many more reads are over; default: after the next one. */
  afterReads(meanwhile: () => Promise<unknown>, reads?: number): void;
  /** Runs `meanwhile` once, before the next write begins: after all that was looked at before it. */
  beforeWrite(meanwhile: () => Promise<unknown>): void;
  /** Runs `meanwhile` once, after the next write was committed, and before who wrote hears of that. */
  afterWrite(meanwhile: () => Promise<unknown>): void;
  /**
   * Runs `meanwhile` once, inside of the next transaction that only reads and lists rows of this kind: after these, and before it reads
   * anything else.
   */
  duringRead(kind: string, meanwhile: () => Promise<unknown>): void;
  /** Whether what was asked for has run. */
  readonly isOver: boolean;
}

/**
 * A store in which another writer has just committed rows that reads do not see before the end of the next write, as in databases with
 * snapshots.
 */
export const committedUnseen = (adapter: StorageAdapter) => {
  let unseen: string | undefined;
  const without = (tx: Transaction, kind: string): Transaction =>
    new Proxy(tx, {
      get: (target, name: keyof Transaction) => {
        if (name === 'get') return async (of: string, id: string) => (of === kind ? undefined : target.get(of, id));
        if (name === 'list') return async (...given: Parameters<Transaction['list']>) => (given[0] === kind ? [] : target.list(...given));
        const operation: unknown = target[name];
        return typeof operation === 'function' ? operation.bind(target) : operation;
      },
    });
  const open = async (...given: Parameters<StorageAdapter['open']>): Promise<Store> => {
    const store = await adapter.open(...given);
    return {
      transaction: async (mode, work, options) => {
        const kind = unseen;
        try {
          return await store.transaction(mode, (tx) => work(kind === undefined ? tx : without(tx, kind)), options);
        } finally {
          if (mode === 'write') unseen = undefined;
        }
      },
      join: (host) => store.join(host),
      close: () => store.close(),
    };
  };
  return {
    storage: { ...adapter, open },
    /** Hides the rows of a kind until the next write is over. */
    hide: (kind: string): void => {
      unseen = kind;
    },
  };
};

export const interleaved = (adapter: StorageAdapter): Interleaved => {
  let waiting: { readonly meanwhile: () => Promise<unknown>; left: number } | undefined;
  let first: (() => Promise<unknown>) | undefined;
  let last: (() => Promise<unknown>) | undefined;
  /** What had begun when something was asked for. */
  let begun = 0;
  let happening = 0;
  const ask = () => {
    // What asks again while it happens goes on with what it was asked for.
    if (happening === 0) begun = lastBeginning();
  };
  const happen = async (meanwhile: (() => Promise<unknown>) | undefined) => {
    happening++;
    try {
      await meanwhile?.();
    } finally {
      happening--;
    }
  };
  const writeBegins = async () => {
    if (isOf(begun)) return;
    const meanwhile = first;
    first = undefined;
    await happen(meanwhile);
  };
  let inside: { readonly kind: string; readonly meanwhile: () => Promise<unknown> } | undefined;
  const reading = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get: (target, name: keyof Transaction) => {
        const operation: unknown = target[name];
        if (typeof operation !== 'function') return operation; // `host`
        return async (...given: unknown[]) => {
          const result: unknown = await operation.apply(target, given);
          const { kind, meanwhile } = inside ?? {};
          if (name !== 'list' || kind !== given[0]) return result;
          inside = undefined;
          await happen(meanwhile);
          return result;
        };
      },
    });
  const writeIsOver = async () => {
    if (isOf(begun)) return;
    const meanwhile = last;
    last = undefined;
    await happen(meanwhile);
  };
  const readIsOver = async () => {
    if (!waiting || isOf(begun) || --waiting.left > 0) return;
    const { meanwhile } = waiting;
    waiting = undefined;
    await happen(meanwhile);
  };
  const open = async (...given: Parameters<StorageAdapter['open']>): Promise<Store> => {
    const store = await adapter.open(...given);
    return {
      transaction: async (mode, work, options) => {
        if (mode === 'write') await writeBegins();
        const isWatched = mode === 'read' && inside !== undefined && !isOf(begun);
        const result = await store.transaction(mode, (tx) => work(isWatched ? reading(tx) : tx), options);
        await (mode === 'read' ? readIsOver() : writeIsOver());
        return result;
      },
      join: (host) => store.join(host),
      close: () => store.close(),
    };
  };
  return {
    storage: { ...adapter, open },
    afterReads: (meanwhile, reads = 1) => {
      ask();
      waiting = { meanwhile, left: reads };
    },
    beforeWrite: (meanwhile) => {
      ask();
      first = meanwhile;
    },
    afterWrite: (meanwhile) => {
      ask();
      last = meanwhile;
    },
    duringRead: (kind, meanwhile) => {
      ask();
      inside = { kind, meanwhile };
    },
    get isOver() {
      return [waiting, first, last, inside].every((one) => one === undefined);
    },
  };
};
