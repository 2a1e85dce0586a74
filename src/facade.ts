import type { groups } from './api/index.ts';
import type { InputOf, OutputOf } from './api/kit/operation.ts';
import { surfaces } from './api/surfaces/index.ts';
import type { Credentials, Entry, Invoke } from './call/call.ts';
import { jsonCopy } from './call/json.ts';
import { expectedVersion } from './if-version.ts';
import { checkedOptions } from './options.ts';
import type { Random } from './platform/platform.ts';
import { newId } from './storage/ids.ts';

type Groups = typeof groups;
type Verbs<G> = G extends { readonly operations: infer O } ? O : never;
/** An input of which nothing is needed may be left out. */
type Call<I, O, P> = Partial<I> extends I ? (input?: I, options?: P) => Promise<O> : (input: I, options?: P) => Promise<O>;

/** Every operation as a function: `facade.<group>.<verb>(input)`. Input is `{ ...path, ...query, body }`; what comes back is the answer's data, or a `Page`. */
export type Facade<P = CallOptions> = {
  readonly [G in keyof Groups]: {
    readonly [V in keyof Verbs<Groups[G]>]: Call<InputOf<Verbs<Groups[G]>[V]>, OutputOf<Verbs<Groups[G]>[V]>, P>;
  };
};

/** How one call is made. */
export interface CallOptions {
  /**
   * The host's own open transaction on the same database, in the form that the storage adapter takes. The host commits it, and then calls
   * `publish()`; when a call rejects, the host rolls back, for part of the call may be written. Leave it out for a call of its own: one that is named and
   * is none (`undefined` by mistake) is refused with a TypeError, for the call would be committed on its own.
   */
  readonly transaction?: unknown;
  /** Once aborted, nothing is committed any more. */
  readonly signal?: AbortSignal;
  /**
   * The version that the entity must still have (see `versionOf`): with another one the call changes nothing, and rejects with ApiError
   * `PRECONDITION_FAILED`. For `replace`, `patch` and `delete` of entities; elsewhere, and for what is no version (`undefined` by mistake), it is refused
   * with a TypeError, for the call would be made without condition.
   */
  readonly ifVersion?: number | undefined;
}

const CALL_OPTIONS = { transaction: true, signal: true, ifVersion: true } as const;

/** The operations in process. They go the same way as requests over HTTP: nobody skips validation or authorisation by embedding. */
export const createFacade = (entries: readonly Entry[], invoke: Invoke, random: Random, credentials: Credentials): Facade => {
  const facade: Record<string, Record<string, unknown>> = {};
  for (const entry of entries) {
    const call = async (input: unknown = {}, options: CallOptions = {}) => {
      const { transaction, signal } = checkedOptions(`${entry.group}.${entry.verb}`, options, CALL_OPTIONS);
      if ('transaction' in options && (typeof transaction !== 'object' || transaction === null))
        throw new TypeError(`${entry.group}.${entry.verb} was given a transaction that is none, but ${String(transaction)}`);
      const expected =
        'ifVersion' in options ? [expectedVersion(`${entry.group}.${entry.verb}`, entry.operation, options.ifVersion)] : undefined;
      const source = {
        requestId: newId(random),
        surface: surfaces.management,
        credentials,
        input: () => jsonCopy(input),
        ...(signal ? { signal } : {}),
        ...('ifVersion' in options ? { expectedVersions: () => expected } : {}),
        ...(transaction === undefined ? {} : { hostTransaction: transaction }),
      } as const;
      return (await invoke(entry, source)).output;
    };
    facade[entry.group] ??= {};
    Object.assign(facade[entry.group] ?? {}, { [entry.verb]: call });
  }
  return facade as Facade; // one function for each entry of the table, under its names
};
