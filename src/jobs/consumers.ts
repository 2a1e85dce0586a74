import { type Change, type ChangedKind, isChangedKind } from '../changelog/events.ts';
import { checkedOptions } from '../options.ts';
import type { Background } from './background.ts';
import { type ConsumerParts, consumeChanges } from './consumer.ts';

/** The second argument of handlers. */
export interface HandlerContext {
  /** Aborted when the consumer or the controller is closed, and when another controller has taken over: the change will be handled again. */
  readonly signal: AbortSignal;
}

/** Changes that left the change log before they were handled: the first and the last revision. */
export interface MissingChanges {
  readonly from: number;
  readonly to: number;
}

/** How a consumer reads the change log. */
export interface ConsumeOptions<K extends ChangedKind = ChangedKind> {
  /** Kinds of entities; default: all. */
  readonly kinds?: readonly K[];
  /** Where a new consumer starts: with the oldest change in the log, or with the next one (default). */
  readonly at?: 'oldest' | 'next';
  /** Closes the consumer when this signal is aborted. */
  readonly signal?: AbortSignal;
  /**
   * Called if changes left the log (settings `changesKept`, `changeBytesKept`) before they were handled: it should rebuild what was derived from them.
   * When it resolves, the consumer continues with the oldest change in the log. Default: the consumer does not advance, but retries and logs warnings.
   */
  readonly onMissing?: (missing: MissingChanges, context: HandlerContext) => unknown;
}

/** An open consumer. The controller closes it, too. */
export interface Consumer {
  /** Resolves when its cursor exists, so that no later change is missed. Also resolves if the consumer is closed before that. */
  readonly ready: Promise<void>;
  /** Aborts the signal of the handler, waits for it (2 seconds at most), and releases the name. */
  close(): Promise<void>;
}

/**
 * Calls a handler for every committed change, in order, one at a time, at least once: changes made over HTTP, in process, by other controllers, and in
 * transactions of the host. The cursor is kept in the store under the name of the consumer, and advances when the handler resolves; after a restart, the
 * consumer resumes from there. Of all consumers with the same name, on all controllers of a store, one is active; another takes over when it is closed, or
 * 30 seconds after it was lost.
 *
 * If the handler rejects, it is called again with the same change, with exponential backoff from 1 to 60 seconds; no change is skipped. `revision`
 * identifies a change that is delivered twice.
 *
 * ```ts
 * controller.changes.consume('crm', async (change, { signal }) => {
 *   await fetch('https://crm.example/changes', { method: 'POST', body: JSON.stringify(change), signal });
 * }, { kinds: ['identity'] });
 * ```
 * @param name 1 to 64 letters, digits and `_ . : / -`
 * @throws TypeError for an invalid name, kind or option
 */
export type Consume = <K extends ChangedKind = ChangedKind>(
  name: string,
  handler: (change: Change<K>, context: HandlerContext) => unknown,
  options?: ConsumeOptions<K>,
) => Consumer;

export const createConsume =
  ({ background, ...parts }: ConsumerParts & { readonly background: Background }): Consume =>
  (name, handler, options = {}) => {
    const { kinds, at = 'next', signal, onMissing = standStill } = checkedOptions('changes.consume', options, OPTIONS);
    if (typeof name !== 'string' || !/^[\w.:/-]{1,64}$/.test(name))
      throw new TypeError(`changes.consume needs a name of 1 to 64 letters, digits and _ . : / -, got '${String(name).slice(0, 100)}'`);
    if (typeof handler !== 'function') throw new TypeError(`changes.consume needs a function that is given changes, got ${typeof handler}`);
    if (at !== 'oldest' && at !== 'next') throw new TypeError(`changes.consume begins at 'oldest' or 'next', got '${String(at)}'`);
    const unknownKind = kinds?.find((kind) => !isChangedKind(kind));
    if (unknownKind !== undefined)
      throw new TypeError(`changes.consume takes kinds of entities that have changes, got '${String(unknownKind)}'`);
    const wanted = kinds && new Set<ChangedKind>(kinds);

    const id = `consumer/${name}`;
    const closing = new AbortController();
    const close = () => closing.abort();
    const consumption = {
      id,
      at,
      isWanted: (kind: ChangedKind) => wanted?.has(kind) ?? true,
      handle: (change: Change, signal: AbortSignal) => handler(change as Parameters<typeof handler>[0], { signal }), // `isWanted` has checked its kind
      handleMissing: (from: number, to: number, signal: AbortSignal) => onMissing({ from, to }, { signal }),
    };
    const { promise: ready, resolve: opened } = Promise.withResolvers<void>();
    signal?.addEventListener('abort', close);
    if (signal?.aborted) close();
    // Rejects only if the consumer or the controller is closed before it has started.
    const ended = background
      .run({ actor: 'system', requestId: id }, (job) => consumeChanges(job, parts, consumption, closing.signal, opened))
      .catch(() => opened())
      .then(() => signal?.removeEventListener('abort', close));
    return {
      ready,
      close: () => {
        close();
        return ended;
      },
    };
  };

const OPTIONS = { kinds: true, at: true, signal: true, onMissing: true } as const;

const standStill = ({ from, to }: MissingChanges): never => {
  throw new Error(
    `the changes ${from} to ${to} have left the change log: changes.consume needs an onMissing that reads again what was derived from them`,
  );
};
