import type { Operation } from '../api/kit/operation.ts';
import { expectedVersion } from '../if-version.ts';
import { checkedOptions } from '../options.ts';
import { IDEMPOTENCY_KEY } from '../wire/idempotency-key.ts';
import { REASON } from '../wire/reason.ts';
import { REQUEST_ID } from '../wire/request-id.ts';
import type { CallSource } from './call.ts';

/** How one call is made. */
export interface CallOptions {
  /**
   * An open transaction of the host on the same database, in the form that the storage adapter expects. The host commits it and then calls `publish()`;
   * if a call rejects, the host must roll back, because part of the call may have been written. Without this option, the call runs in a separate transaction.
   * An explicit `undefined` is probably a mistake that would commit the call on its own, so it is refused with a TypeError.
   */
  readonly transaction?: unknown;
  /** After an abort, nothing more is committed. */
  readonly signal?: AbortSignal;
  /**
   * The version that the entity must still have (see `versionOf`): otherwise the call changes nothing and rejects with ApiError
   * `PRECONDITION_FAILED`. Only for `replace`, `patch` and `delete` of entities. With other operations, or with an explicit `undefined`, the call would be
   * unconditional, so the option is refused with a TypeError.
   */
  readonly ifVersion?: number | undefined;
  /**
   * The host's own name for the actor, kept in change records in place of `system`: a scheme, a colon and a name, such as `sso:123`, so that it cannot be
   * mistaken for the id of an identity. At most 256 characters. By itself it changes no rights; the option `authorize` of `open` receives it.
   */
  readonly actor?: string | undefined;
  /** The person or system on whose behalf the actor makes the call, kept in change records. At most 256 characters. */
  readonly onBehalfOf?: string | undefined;
  /** The reason for the call, kept in change records. At most 1,000 characters. */
  readonly reason?: string | undefined;
  /**
   * True to be told what the call would do: it is carried out in a transaction that is rolled back, so that nothing is written, no event is emitted, no hook
   * after it runs, and no session ends. The call then resolves to a `Preview` of its answer: `previewing(api)` has the
   * types of that. For operations that write by a right; others are refused.
   */
  readonly preview?: true | undefined;
  /**
   * A key of the caller's choice, for operations that create (POST): if the call is repeated with the same key and input within a day, because its answer was
   * lost, it is not carried out again, and gets the same answer, without secrets that are given once. With another input, or while the first call is in
   * progress, it is refused. 1 to 255 visible ASCII characters.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * How much access the call may take away: identities that lose the right to dial or to bind a service, counted for each service and type. If it would be
   * more, the call is refused with `ACCESS_LOST` and the list, and nothing is written. Default: any.
   */
  readonly maxLost?: number | undefined;
  /** True to carry the call out even if policy tests would then fail. Takes a `reason`, which is recorded, and the rights of an administrator. Default: false. */
  readonly overrideTests?: true | undefined;
  /** The host's id for the request, kept in change records and logs: at most 128 visible ASCII characters. Default: a random one. */
  readonly requestId?: string | undefined;
}

/** How one read of a past state is made. */
export type PastOptions = Omit<CallOptions, 'transaction' | 'ifVersion' | 'preview' | 'maxLost' | 'overrideTests'>;

const NAMES = {
  preview: true,
  idempotencyKey: true,
  maxLost: true,
  overrideTests: true,
  transaction: true,
  signal: true,
  ifVersion: true,
  actor: true,
  onBehalfOf: true,
  reason: true,
  requestId: true,
} as const;

type TextOption = 'actor' | 'onBehalfOf' | 'reason' | 'requestId' | 'idempotencyKey';

/** The form of each text option, as a pattern and in words. Control characters would break log lines. */
const FORMS: { readonly [N in TextOption]: readonly [pattern: RegExp, form: string] } = {
  actor: [
    /^(?=.{1,256}$)[a-z][a-z0-9+.-]*:[^\p{Cc}\p{Cs}]+$/iu,
    "a scheme, a colon and a name, such as 'sso:123', of at most 256 characters",
  ],
  onBehalfOf: [/^[^\p{Cc}\p{Cs}]{1,256}$/u, '1 to 256 characters without control characters'],
  reason: [REASON, '1 to 1,000 characters without control characters'],
  requestId: [REQUEST_ID, '1 to 128 visible ASCII characters'],
  idempotencyKey: [IDEMPOTENCY_KEY, '1 to 255 visible ASCII characters'],
};

/**
 * Checks the options of a call.
 * @param name the operation's name in the API, for messages
 * @throws TypeError for an unknown option or an invalid value
 */
export const readCallOptions = (name: string, operation: Operation, options: CallOptions): Partial<CallSource> => {
  const { transaction, signal, preview, maxLost, overrideTests, ...given } = checkedOptions(name, options, NAMES);
  if ('preview' in options && preview !== undefined && preview !== true)
    throw new TypeError(`${name} takes as preview true, got ${String(preview)}`);
  if (preview && 'transaction' in options)
    throw new TypeError(`${name} takes either preview or transaction: a preview is rolled back, and the transaction is the host's`);
  // In some libraries, a transaction is a function that takes a query.
  if ('transaction' in options && (transaction === null || !['object', 'function'].includes(typeof transaction)))
    throw new TypeError(
      `${name} takes as transaction an open transaction of the host's, got ${String(transaction)}; without the option, the call is committed on its own`,
    );
  const versions = 'ifVersion' in given ? [expectedVersion(name, operation.isConditional, given.ifVersion)] : undefined;
  return {
    ...(signal && { signal }),
    ...(preview && { isPreview: true }),
    ...(overrideTests && { overridesTests: true }),
    ...(maxLost === undefined ? {} : { maxLost: checkedMaxLost(name, maxLost) }),
    ...(versions && { expectedVersions: () => versions }),
    ...(transaction === undefined ? {} : { hostTransaction: transaction }),
    ...textsOf(name, given),
  };
};

const checkedMaxLost = (name: string, maxLost: number): number => {
  if (Number.isSafeInteger(maxLost) && maxLost >= 0) return maxLost;
  throw new TypeError(`${name} takes as maxLost a number from 0, got ${String(maxLost)}`);
};

const textsOf = (name: string, given: Pick<CallOptions, TextOption>): { readonly [N in TextOption]?: string } =>
  Object.fromEntries(
    (Object.keys(FORMS) as TextOption[]) // the keys of FORMS
      .filter((option) => given[option] !== undefined)
      .map((option) => {
        const [pattern, form] = FORMS[option];
        const value: unknown = given[option];
        if (typeof value !== 'string' || !pattern.test(value))
          throw new TypeError(`${name} takes as ${option} ${form}, got '${String(value).slice(0, 300)}'`);
        return [option, value];
      }),
  );
