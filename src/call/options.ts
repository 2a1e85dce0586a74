import type { Operation } from '../api/kit/operation.ts';
import { expectedVersion } from '../if-version.ts';
import { checkedOptions } from '../options.ts';
import { REQUEST_ID } from '../wire/request-id.ts';
import type { CallSource } from './call.ts';

/** How one call is made. */
export interface CallOptions {
  /**
   * The host's own open transaction on the same database, in the form that the storage adapter takes. The host commits it and then calls `publish()`;
   * if a call rejects, the host must roll back, because part of the call may be written. Omit it for a transaction of the call's own: an `undefined`
   * by mistake is refused with a TypeError, because the call would be committed on its own.
   */
  readonly transaction?: unknown;
  /** After an abort, nothing more is committed. */
  readonly signal?: AbortSignal;
  /**
   * The version that the entity must still have (see `versionOf`): otherwise the call changes nothing and rejects with ApiError
   * `PRECONDITION_FAILED`. For `replace`, `patch` and `delete` of entities; with other operations, or without a version (`undefined` by mistake), it
   * is refused with a TypeError, because the call would be unconditional.
   */
  readonly ifVersion?: number | undefined;
  /**
   * The host's own name for the actor, kept in change records in place of `system`: a scheme, a colon and a name, such as `sso:123`, so that it cannot be
   * taken for the id of an identity. At most 256 characters. It changes no right by itself: the option `authorize` of `open` judges by it.
   */
  readonly actor?: string | undefined;
  /** For whom the actor does it, kept in change records. At most 256 characters. */
  readonly onBehalfOf?: string | undefined;
  /** Why, kept in change records. At most 1,000 characters. */
  readonly reason?: string | undefined;
  /** The host's id for the request, kept in change records and logs: at most 128 visible ASCII characters. Default: a new one. */
  readonly requestId?: string | undefined;
}

const NAMES = { transaction: true, signal: true, ifVersion: true, actor: true, onBehalfOf: true, reason: true, requestId: true } as const;

type Said = 'actor' | 'onBehalfOf' | 'reason' | 'requestId';

/** The form of each text from the host, as a pattern and in words. Control characters would break lines of logs. */
const FORMS: { readonly [N in Said]: readonly [pattern: RegExp, form: string] } = {
  actor: [
    /^(?=.{1,256}$)[a-z][a-z0-9+.-]*:[^\p{Cc}\p{Cs}]+$/iu,
    "a scheme, a colon and a name, such as 'sso:123', of at most 256 characters",
  ],
  onBehalfOf: [/^[^\p{Cc}\p{Cs}]{1,256}$/u, '1 to 256 characters without control characters'],
  reason: [/^[^\p{Cc}\p{Cs}]{1,1000}$/u, '1 to 1,000 characters without control characters'],
  requestId: [REQUEST_ID, '1 to 128 visible ASCII characters'],
};

/**
 * Checks the options of a call.
 * @param name of the operation in the API, for messages
 * @throws TypeError for an unknown option, and for one that is out of form
 */
export const readCallOptions = (name: string, operation: Operation, options: CallOptions): Partial<CallSource> => {
  const { transaction, signal, ...given } = checkedOptions(name, options, NAMES);
  // In some libraries, a transaction is a function that takes a query.
  if ('transaction' in options && (transaction === null || !['object', 'function'].includes(typeof transaction)))
    throw new TypeError(
      `${name} takes as transaction an open transaction of the host's, got ${String(transaction)}; without the option, the call is committed on its own`,
    );
  const versions = 'ifVersion' in given ? [expectedVersion(name, operation.isConditional, given.ifVersion)] : undefined;
  return {
    ...(signal && { signal }),
    ...(versions && { expectedVersions: () => versions }),
    ...(transaction === undefined ? {} : { hostTransaction: transaction }),
    ...textsOf(name, given),
  };
};

const textsOf = (name: string, given: Pick<CallOptions, Said>): { readonly [N in Said]?: string } =>
  Object.fromEntries(
    (Object.keys(FORMS) as Said[]) // the keys of FORMS
      .filter((option) => given[option] !== undefined)
      .map((option) => {
        const [pattern, form] = FORMS[option];
        const value: unknown = given[option];
        if (typeof value !== 'string' || !pattern.test(value))
          throw new TypeError(`${name} takes as ${option} ${form}, got '${String(value).slice(0, 300)}'`);
        return [option, value];
      }),
  );
