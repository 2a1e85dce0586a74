import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { App } from './app.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** What an authenticator app shows (RFC 6238 with SHA-1, six digits, 30 s), by an implementation of its own. @param at ms */
export const totp = (secret: string, at: number): string => {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE((mac[19] ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
};

/** The second factor of somebody, as its owner has it. */
export interface Factor {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** What the app shows now, or so many intervals from now. */
  code(intervals?: number): string;
  /** A code that is none of those of the intervals around. */
  wrongCode(): string;
}

export const MFA = '/current-identity/mfa';
export const RECOVERY_CODES = `${MFA}/recovery-codes`;

/** Begins to enroll the identity of a session. */
export const beginMfa = async (app: App, as: string): Promise<Factor> => {
  assert.equal((await app.request('POST', MFA, { as })).status, 201);
  const { provisioningUrl, recoveryCodes } = (await app.request('GET', MFA, { as })).body.data;
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  const code = (intervals = 0) => totp(secret, app.clock.now() + intervals * 30_000);
  const wrongCode = () => {
    const near = new Set(Array.from({ length: 9 }, (_, i) => code(i - 4)));
    const none = ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777', '888888', '999999'];
    return none.find((each) => !near.has(each)) ?? assert.fail('nine codes took ten');
  };
  return { secret, recoveryCodes, code, wrongCode };
};

/** Enrolls the identity of a session, which is then complete. */
export const enrollMfa = async (app: App, as: string): Promise<Factor> => {
  const factor = await beginMfa(app, as);
  const { status, text } = await app.request('POST', `${MFA}/verify`, { as, body: { code: factor.code() } });
  assert.equal(status, 200, text);
  return factor;
};

/** Gives a code to complete the login of a session. */
export const giveCode = (app: App, as: string, code: string) => app.request('POST', '/authenticate/mfa', { as, body: { code } });

export const mfaStatus = (app: App, as: string) => app.request('GET', MFA, { as });

export const isMfaEnabled = async (app: App, identityId: string) =>
  (await app.request('GET', `/identities/${identityId}`)).body.data.isMfaEnabled;

export const recoveryCodesOf = async (app: App, as: string, code: string): Promise<readonly string[]> =>
  (await app.request('GET', RECOVERY_CODES, { as, headers: { 'mfa-validation-code': code } })).body.data.recoveryCodes;

/** A user with a session. */
export const userWithSession = async (app: App, fields?: Readonly<Record<string, unknown>>) => {
  const user = await app.user(fields);
  return { ...user, as: await user.login() };
};

/** A user with MFA, and sessions that owe a code. */
export const userWithMfa = async (app: App, sessions = 1) => {
  const user = await app.user();
  const full = await user.login();
  const factor = await enrollMfa(app, full);
  const owing: string[] = [];
  for (let i = 0; i < sessions; i++) owing.push(await user.login());
  return { ...user, full, factor, owing, as: owing[0] ?? '' };
};
