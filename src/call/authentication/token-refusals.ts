import type { TokenRefusal } from '../../runtime/observability/events.ts';
import type { Call } from '../call.ts';

/** Why a token of an external signer was refused, with its signer and identity, if known. */
export interface Refusal {
  readonly reason: TokenRefusal;
  readonly signerId?: string | undefined;
  readonly identityId?: string | undefined;
}

export const REFUSAL_TEXTS: Readonly<Record<TokenRefusal, string>> = {
  missing: 'no token was presented',
  malformed: 'it is not a signed JWT that names its algorithm and its key',
  issuer: 'no signer has its issuer',
  'signer-disabled': 'its signer is disabled',
  key: 'its signer has no key of that name for its algorithm',
  signature: 'its signature is wrong',
  audience: "it is not for the signer's audience",
  expired: 'it has expired',
  'not-yet-valid': 'it is not valid yet',
  claim: "it has no exp, or no text in the signer's claimsProperty",
  unknown: 'no identity has the id that it names',
  disabled: 'its identity is disabled',
  policy: 'the auth policy of its identity does not allow tokens of the signer',
  changed: 'its signer was changed at the same time',
  'other-signer': 'the auth policy wants one of another signer',
  'other-identity': 'it is of another identity than the session',
};

/**
 * The description of these tokens in a challenge (RFC 6750, section 3, with the words of the field). A good token that no identity or
 * policy accepts counts as missing.
 */
export const bearerErrorOf = (refusals: readonly TokenRefusal[]): 'missing' | 'expired' | 'invalid' => {
  if (refusals.includes('expired')) return 'expired';
  return refusals.some((reason) => INVALID.includes(reason)) ? 'invalid' : 'missing';
};

/** Reasons in a token of a known, enabled signer. */
const INVALID: readonly TokenRefusal[] = ['key', 'signature', 'audience', 'not-yet-valid', 'claim'];

/**
 * Records why a token was refused: for the event of a failed authentication, and in the log, at most once every ten seconds for each signer
 * and reason. The token itself is never logged.
 */
export const reportRefusal = (
  { core, observation, requestId }: Pick<Call, 'core' | 'observation' | 'requestId'>,
  refusal: Refusal,
): void => {
  const { reason, signerId, identityId } = refusal;
  observation?.setFailureReason(reason, identityId, signerId);
  if (reason === 'missing') return;
  const details = { requestId, ...refusal, why: REFUSAL_TEXTS[reason] };
  core.tokenLog('warn', 'a token of an external JWT signer was refused', details, `${reason} ${signerId}`);
};
