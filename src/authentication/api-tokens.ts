import { apiToken } from '../api/kinds.ts';
import type { RowOf } from '../api/kit/index.ts';
import type { Call } from '../call/call.ts';
import type { Entities } from '../entities/entities.ts';
import { addressesIn } from '../platform/addresses.ts';
import { hashToken } from '../tokens/opaque.ts';
import { idInApiToken } from '../wire/api-token.ts';

type Token = RowOf<typeof apiToken>;
type Presenting = Pick<Call, 'remoteAddress' | 'now'>;

/**
 * Finds what belongs to the API token that a request presents. A text with a wrong checksum costs no query. The refusal of a stored token, which may be cached,
 * costs as many as that of an unknown one, which never is.
 * @param accepted called with a token whose secret is right; undefined refuses it
 */
export const fromApiToken = async <T>(
  entities: Entities,
  call: Presenting,
  text: string,
  accepted: (row: Token) => Promise<T | undefined>,
): Promise<T | undefined> => {
  const id = idInApiToken(text);
  const row = id === undefined ? undefined : await entities.get(apiToken, id, { allowStale: true });
  const found = row && hasSecret(row, hashToken(text), call.now()) ? await accepted(row) : undefined;
  if (row && !found) await entities.get(apiToken, '', { allowStale: true });
  return found;
};

const hasSecret = ({ secretHash, previousSecretHash, previousSecretEndsAt }: Token, hash: string, now: string): boolean =>
  hash === secretHash || (hash === previousSecretHash && now < (previousSecretEndsAt ?? ''));

/** True if a token has not expired, and accepts the address of the call. */
export const isAccepted = ({ expiresAt, addressRanges }: Token, call: Presenting): boolean =>
  call.now() < expiresAt && (addressRanges.length === 0 || addressesIn(addressRanges)(ipv4(call.remoteAddress)));

/** Only mapped IPv4 addresses count as IPv4: other IPv6 addresses that contain one are chosen by the client. */
const ipv4 = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '');
