import { type Change, type ChangedKind, isChangedKind } from '../../contract/changes/events.ts';
import { checkedOptions } from '../../contract/options.ts';
import type { Background } from './background.ts';
import { ChangeConsumer, type ConsumerServices } from './consumer.ts';

/** The second argument of handlers. */
export interface HandlerContext {
  /**
   * Aborted when the consumer or the controller is closed, and when another controller has taken over. The change will be handled again.
   */
  readonly signal: AbortSignal;
}

/** Changes that were dropped from the change log before they were handled. */
export interface MissingChanges {
  /** Revision of the first missing change. */
  readonly from: number;
  /** Revision of the last missing change. */
  readonly to: number;
}

/** Options of a consumer of the change log. */
export interface ConsumeOptions<K extends ChangedKind = ChangedKind> {
  /** The kinds of entities whose changes are handled. Default: all. */
  readonly kinds?: readonly K[];
  /** Where a new consumer starts: at the oldest change in the log, or at the next one (default). */
  readonly at?: 'oldest' | 'next';
  /** Closes the consumer when this signal is aborted. */
  readonly signal?: AbortSignal;
  /**
   * Called if changes were dropped from the log (settings `changesKept`, `changeBytesKept`) before they were handled. It should rebuild the
   * data that depends on them. When it resolves, the consumer continues with the oldest change in the log. Default: the consumer does not
   * advance, but retries and logs warnings.
   */
  readonly onMissing?: (missing: MissingChanges, context: HandlerContext) => unknown;
}

/** An open consumer. It is also closed with the controller. */
export interface Consumer {
  /** Resolves when the cursor exists, so that no later change is missed. Also resolves if the consumer is closed before that. */
  readonly ready: Promise<void>;
  /** Aborts the signal of the handler, waits up to 2 seconds for the handler, and releases the name. */
  close(): Promise<void>;
}

/**
 * Calls a handler at least once for every committed change, in order and one at a time. This includes changes made over HTTP, in process,
 * by other controllers, and in transactions of the host. The cursor is stored under the name of the consumer, and advances when the handler
 * resolves; after a restart, the consumer resumes from there. Of all consumers with the same name, on all controllers of a store, only one
 * is active. Another one takes over when it is closed, or 30 seconds after its controller was lost.
 *
 * If the handler rejects, it is called again with the same change, with exponential backoff from 1 to 60 seconds; no change is skipped.
 * `revision` identifies a change that is delivered twice.
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
  ({ background, ...services }: ConsumerServices & { readonly background: Background }): Consume =>
  (name, handler, options = {}) => {
    const { kinds, at = 'next', signal, onMissing = rejectMissing } = checkedOptions('changes.consume', options, OPTIONS);
    assertValid(name, handler, { at, kinds });
    const wanted = kinds && new Set<ChangedKind>(kinds);

    const id = `consumer/${name}`;
    const closing = new AbortController();
    const close = () => closing.abort();
    const consumption = {
      id,
      at,
      closing: closing.signal,
      isWanted: (kind: ChangedKind) => wanted?.has(kind) ?? true,
      handle: (change: Change, signal: AbortSignal) => handler(change as Parameters<typeof handler>[0], { signal }), // `isWanted` has checked its kind
      handleMissing: (from: number, to: number, signal: AbortSignal) => onMissing({ from, to }, { signal }),
    };
    const { promise: ready, resolve: onOpened } = Promise.withResolvers<void>();
    signal?.addEventListener('abort', close);
    if (signal?.aborted) close();
    // Rejects only if the consumer or the controller is closed before it has started.
    const ended = background
      .run({ actor: 'system', requestId: id }, (job) => new ChangeConsumer(job, services, consumption).run(onOpened))
      .catch(() => onOpened())
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

const assertValid = (
  name: unknown,
  handler: unknown,
  { at, kinds }: { readonly at: unknown; readonly kinds: readonly ChangedKind[] | undefined },
): void => {
  if (typeof name !== 'string' || !/^[\w.:/-]{1,64}$/.test(name))
    throw new TypeError(`changes.consume requires a name of 1 to 64 letters, digits and _ . : / -, got '${String(name).slice(0, 100)}'`);
  if (typeof handler !== 'function') throw new TypeError(`changes.consume requires a handler function, got ${typeof handler}`);
  if (at !== 'oldest' && at !== 'next') throw new TypeError(`option at of changes.consume must be 'oldest' or 'next', got '${String(at)}'`);
  const unknownKind = kinds?.find((kind) => !isChangedKind(kind));
  if (unknownKind !== undefined)
    throw new TypeError(`option kinds of changes.consume accepts kinds of entities that have changes, got '${String(unknownKind)}'`);
};

const rejectMissing = ({ from, to }: MissingChanges): never => {
  throw new Error(
    `the changes ${from} to ${to} were dropped from the change log: changes.consume requires an onMissing that rebuilds the data that depends on them`,
  );
};
