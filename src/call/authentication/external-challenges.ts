/** The challenges for tokens of external JWT signers (RFC 9110, 11.6.1), by which clients of level 2.0 learn where to get one. */

import { externalJwtSigner } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { CHALLENGE } from '../../contract/wire/challenge.ts';
import { booleanField, equals } from '../../query/index.ts';
import type { TokenRefusal } from '../../runtime/observability/events.ts';
import type { Call } from '../call.ts';
import { bearerErrorOf } from './token-refusals.ts';

type Challenged = Pick<Call, 'read' | 'answerHeaders'>;

/** Maximum number of characters of the lists of signers; proxies limit the headers of an answer to 4 or 8 KiB. */
const MAX_LENGTH = 3072;
const MAX_SIGNERS = 100;

const DESCRIPTIONS = { missing: 'no matching token was provided', expired: 'token expired', invalid: 'token is invalid' } as const;

/**
 * A text as the content of a quoted string (RFC 9110, 5.6.4), where `|` separates texts. Characters that a header cannot carry are
 * percent-encoded.
 */
const quotable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\x20-\x7e]|\|/gu, (character) => encodeURIComponent(character))
    .replaceAll(/["\\]/g, '\\$&');

/** The challenge for tokens of these signers. Signers that do not fit into the header are left out. */
export const externalChallenge = (
  realm: 'openziti-primary-ext-jwt' | 'openziti-secondary-ext-jwt',
  refusals: readonly TokenRefusal[],
  signers: readonly Pick<RowOf<typeof externalJwtSigner>, 'id' | 'issuer'>[],
): string => {
  const error = bearerErrorOf(refusals);
  const listed: { readonly id: string; readonly issuer: string }[] = [];
  let room = MAX_LENGTH;
  for (const signer of signers) {
    const [id, issuer] = [quotable(signer.id), quotable(signer.issuer)];
    const length = id.length + issuer.length + 2;
    if (length > room) continue;
    room -= length;
    listed.push({ id, issuer });
  }
  const [ids, issuers] = [listed.map(({ id }) => id).join('|'), listed.map(({ issuer }) => issuer).join('|')];
  return `Bearer realm="${realm}" error="${error}" error_description="${DESCRIPTIONS[error]}" id="${ids}" issuer="${issuers}"`;
};

/** Sets the challenge of a refused login with an external token: all enabled signers. Without any, there is no challenge. */
export const challengePrimary = async (call: Challenged, refusals: readonly TokenRefusal[]): Promise<void> => {
  const where = equals(booleanField('enabled'), true);
  const signers = await call.read((entities) => entities.list(externalJwtSigner, { where, limit: MAX_SIGNERS }));
  if (signers.length > 0) call.answerHeaders.set(CHALLENGE, externalChallenge('openziti-primary-ext-jwt', refusals, signers));
};

/** Sets the challenge of a session or login that owes a token of a signer. */
export const challengeSecondary = async (call: Challenged, signerId: string, refusals: readonly TokenRefusal[]): Promise<void> => {
  const signer = await call.read((entities) => entities.get(externalJwtSigner, signerId));
  const owed = signer ?? { id: signerId, issuer: '' };
  call.answerHeaders.set(CHALLENGE, externalChallenge('openziti-secondary-ext-jwt', refusals, [owed]));
};
