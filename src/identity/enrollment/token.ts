import { advertisedAddress } from '../../call/advertised-address.ts';
import type { Call } from '../../call/call.ts';
import { enrollment } from '../../contract/api/enrollments.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { createTimeSlice, inBatches } from '../../runtime/concurrency/event-loop.ts';
import { sealText, unsealText } from '../../store/entities/sealed.ts';

type Row = RowOf<typeof enrollment>;
type StoredToken = Pick<Row, 'tokenHash' | 'sealed'>;

/** The claims of an enrollment JWT that clients read. */
interface Claims {
  readonly iss: string;
  /** Id of the enrollee. */
  readonly sub: string;
  readonly aud: readonly string[];
  /** Unix time in seconds. */
  readonly exp: number;
  /** The enrollment token. */
  readonly jti: string;
  /** The enrollment method. */
  readonly em: string;
  readonly ctrls: readonly string[];
}

/**
 * Creates a token for an enrollment, in a JWT that names the controller, the enrollee and the expiry.
 * @returns the fields to store in the enrollment's row: a hash for lookups, and the sealed JWT
 * @throws ApiError `NOT_CONFIGURED` if those who enroll cannot reach the controller at its address
 */
export const newToken = async (
  call: Call,
  { sub, method, expiresAt }: { readonly sub: string; readonly method: string; readonly expiresAt: string },
): Promise<StoredToken> => {
  const { ctrlAddress, pki, platform, secrets } = call.core;
  const address = advertisedAddress(call.core, { overHttp: method === 'updb' });
  const token = platform.random.uuid();
  const claims: Claims = {
    iss: address,
    sub,
    aud: [''],
    exp: Math.floor(Date.parse(expiresAt) / 1000),
    jti: token,
    em: method,
    ctrls: ctrlAddress === undefined ? [] : [ctrlAddress],
  };
  const jwt = await (await pki.networkKey()).sign({ ...claims });
  const tokenHash = hashToken(token);
  return { tokenHash, sealed: await sealText(secrets, enrollment, 'sealed', { tokenHash }, jwt) };
};

/** An enrollment token, and the JWT that contains it. */
type Token = { readonly token: string; readonly jwt: string };

/** Number of tokens to unseal before yielding to the event loop. */
const BATCH_SIZE = 50;

/** Unseals the tokens of enrollments, in the same order, for callers that may see them. */
export const tokensOf = async (call: Call, enrollments: readonly StoredToken[]): Promise<readonly Token[]> => {
  const tokens: Token[] = [];
  const yieldIfDue = createTimeSlice(BATCH_SIZE);
  for (const part of inBatches(enrollments, () => 1, BATCH_SIZE)) {
    tokens.push(...(await Promise.all(part.map((stored) => tokenOf(call, stored)))));
    await yieldIfDue(part.length);
  }
  return tokens;
};

const tokenOf = async (call: Call, stored: StoredToken): Promise<Token> => {
  // Change records contain no tokens.
  if (call.isPast) return { token: '', jwt: '' };
  const jwt = await unsealText(call.core.secrets, enrollment, 'sealed', stored);
  const [, claims = ''] = jwt.split('.');
  return { token: (JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as Claims).jti, jwt }; // created by `newToken`
};
