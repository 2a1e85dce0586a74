import type { Operation } from '../contract/api/kit/operation.ts';
import type { CallOptions } from '../contract/call-options.ts';
import { checkIfVersion } from '../contract/if-version.ts';
import { checkedOptions } from '../contract/options.ts';
import { REASON } from '../contract/wire/change-reason.ts';
import { IDEMPOTENCY_KEY } from '../contract/wire/idempotency-key.ts';
import { REQUEST_ID } from '../contract/wire/request-id.ts';
import type { CallSource } from './call-source.ts';

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
  const { transaction, signal, preview, maxLost, overrideTests, ...others } = checkedOptions(name, options, NAMES);
  for (const [option, value] of Object.entries({ preview, overrideTests }))
    if (value !== undefined && value !== true) throw new TypeError(`the option ${option} of ${name} must be true, got ${String(value)}`);
  if (preview && 'transaction' in options)
    throw new TypeError(`${name} accepts either preview or transaction: a preview is rolled back, and the transaction is the host's`);
  // In some libraries, a transaction is a function.
  if ('transaction' in options && (transaction === null || !['object', 'function'].includes(typeof transaction)))
    throw new TypeError(
      `the option transaction of ${name} must be an open transaction of the host, got ${String(transaction)}; without the option, the call commits on its own`,
    );
  const versions = 'ifVersion' in others ? [checkIfVersion(name, operation.isConditional, others.ifVersion)] : undefined;
  return {
    ...(signal && { signal }),
    ...(preview && { isPreview: true }),
    ...(overrideTests && { overridesTests: true }),
    ...(maxLost === undefined ? {} : { maxLost: checkedMaxLost(name, maxLost) }),
    ...(versions && { expectedVersions: () => versions }),
    ...(transaction === undefined ? {} : { hostTransaction: transaction }),
    ...checkedTexts(name, others),
  };
};

const checkedMaxLost = (name: string, maxLost: number): number => {
  if (Number.isSafeInteger(maxLost) && maxLost >= 0) return maxLost;
  throw new TypeError(`the option maxLost of ${name} must be a non-negative integer, got ${String(maxLost)}`);
};

const checkedTexts = (name: string, options: Pick<CallOptions, TextOption>): { readonly [N in TextOption]?: string } =>
  Object.fromEntries(
    (Object.keys(FORMS) as TextOption[]) // the keys of FORMS
      .filter((option) => options[option] !== undefined)
      .map((option) => {
        const [pattern, form] = FORMS[option];
        const value: unknown = options[option];
        if (typeof value !== 'string' || !pattern.test(value))
          throw new TypeError(`the option ${option} of ${name} must be ${form}, got '${String(value).slice(0, 300)}'`);
        return [option, value];
      }),
  );
