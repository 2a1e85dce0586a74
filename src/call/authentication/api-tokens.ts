import { apiToken } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { idInApiToken } from '../../contract/wire/api-token.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { addressesIn } from '../../runtime/platform/addresses.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Call } from '../call.ts';

type Token = RowOf<typeof apiToken>;
type Presenting = Pick<Call, 'remoteAddress' | 'now'>;

/**
 * Finds what belongs to the API token that a request presents. A text with a wrong checksum costs no query. The refusal of a stored token,
 * which may be cached, costs as many as that of an unknown one, which never is.
 * @param accepted called with the stored token and the hash of the presented one; undefined refuses it
 */
export const fromApiToken = async <T>(
  entities: Entities,
  text: string,
  accepted: (row: Token, hash: string) => Promise<T | undefined>,
): Promise<T | undefined> => {
  const id = idInApiToken(text);
  const row = id === undefined ? undefined : await entities.get(apiToken, id, { allowStale: true });
  const found = row && (await accepted(row, hashToken(text)));
  if (row && !found) await entities.get(apiToken, '', { allowStale: true });
  return found;
};

const hasSecret = ({ secretHash, previousSecretHash, previousSecretEndsAt }: Token, hash: string, now: string): boolean =>
  hash === secretHash || (hash === previousSecretHash && now < (previousSecretEndsAt ?? ''));

/** True if a token has the presented secret, has not expired, and accepts the address of the call. */
export const isAccepted = (token: Token, presentedHash: string, call: Presenting): boolean =>
  hasSecret(token, presentedHash, call.now()) && call.now() < token.expiresAt && isFrom(token.addressRanges, call.remoteAddress);

const isFrom = (ranges: readonly string[], address: string): boolean => ranges.length === 0 || addressesIn(ranges)(ipv4(address));

/** Only mapped IPv4 addresses count as IPv4: other IPv6 addresses that contain one are chosen by the client. */
const ipv4 = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '');
