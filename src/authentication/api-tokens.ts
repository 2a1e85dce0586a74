import { apiToken } from '../api/kinds.ts';
import type { RowOf } from '../api/kit/index.ts';
import type { Call } from '../call/call.ts';
import type { Entities } from '../entities/entities.ts';
import { addressesIn } from '../platform/addresses.ts';
import { hashToken } from '../tokens/opaque.ts';
import { idInApiToken } from '../wire/api-token.ts';

type Token = RowOf<typeof apiToken>;
type Presenting = Pick<Call, 'remoteAddress' | 'now'>;

/** The row of an API token that a request presents, if its secret is right. A text with a wrong checksum costs no query. */
export const storedToken = async (entities: Entities, call: Presenting, text: string): Promise<Token | undefined> => {
  const id = idInApiToken(text);
  const row = id === undefined ? undefined : await entities.get(apiToken, id, { allowStale: true });
  return row && hasSecret(row, hashToken(text), call.now()) ? row : undefined;
};

const hasSecret = ({ secretHash, previousSecretHash, previousSecretEndsAt }: Token, hash: string, now: string): boolean =>
  hash === secretHash || (hash === previousSecretHash && now < (previousSecretEndsAt ?? ''));

/** True if a token has not expired, and accepts the address of the call. */
export const isAccepted = ({ expiresAt, addressRanges }: Token, call: Presenting): boolean =>
  call.now() < expiresAt && (addressRanges.length === 0 || addressesIn(addressRanges)(ipv4(call.remoteAddress)));

/** Only mapped IPv4 addresses count as IPv4: other IPv6 addresses that contain one are chosen by the client. */
const ipv4 = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '');
