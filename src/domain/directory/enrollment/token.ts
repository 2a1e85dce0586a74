import { enrollment } from '../../../api/enrollments.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { advertisedAddress } from '../../../call/advertised-address.ts';
import type { Call } from '../../../call/call.ts';
import { createTimeSlice, inBatches } from '../../../concurrency/event-loop.ts';
import { sealText, unsealText } from '../../../entities/sealed.ts';
import { hashToken } from '../../../tokens/opaque.ts';

type Row = RowOf<typeof enrollment>;
type Kept = Pick<Row, 'tokenHash' | 'sealed'>;

/** The part of an enrollment's JWT that clients look at. */
interface Claims {
  readonly iss: string;
  /** Id of whom it is for. */
  readonly sub: string;
  readonly aud: readonly string[];
  /** Seconds. */
  readonly exp: number;
  /** The token. */
  readonly jti: string;
  /** The method. */
  readonly em: string;
  readonly ctrls: readonly string[];
}

/**
 * A new token for an enrollment, within a JWT that says where, for whom and by when it is good.
 * @returns what the enrollment's row keeps of it: a hash to find it by, and the JWT, sealed
 * @throws ApiError `NOT_CONFIGURED` if the host has set no address
 */
export const newToken = async (
  call: Call,
  { sub, method, expiresAt }: { readonly sub: string; readonly method: string; readonly expiresAt: string },
): Promise<Kept> => {
  const { ctrlAddress, pki, platform, secrets } = call.core;
  const address = advertisedAddress(call.core);
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

/** The token of an enrollment, and its JWT. */
type Token = { readonly token: string; readonly jwt: string };

/** Tokens that are unsealed before yielding to the event loop. */
const AT_ONCE = 50;

/** The tokens of enrollments, in their order, for those who may see them. */
export const tokensOf = async (call: Call, enrollments: readonly Kept[]): Promise<readonly Token[]> => {
  const tokens: Token[] = [];
  const turn = createTimeSlice(AT_ONCE);
  for (const part of inBatches(enrollments, () => 1, AT_ONCE)) {
    tokens.push(...(await Promise.all(part.map((kept) => tokenOf(call, kept)))));
    await turn(part.length);
  }
  return tokens;
};

const tokenOf = async (call: Call, kept: Kept): Promise<Token> => {
  const jwt = await unsealText(call.core.secrets, enrollment, 'sealed', kept);
  const [, claims = ''] = jwt.split('.');
  return { token: (JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as Claims).jti, jwt }; // made above
};
