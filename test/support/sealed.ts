import { createSecrets, keyNameOf } from '../../src/runtime/platform/secrets.ts';
import { webRandom } from '../../src/runtime/platform/web.ts';
import type { App, OpenOptions } from './app.ts';
import { enrollMfa, type Factor } from './mfa.ts';
import { everything } from './snapshots.ts';

/** As most tests leave it out: the network's own authority, kept sealed in its store. */
export const OWN_AUTHORITY = { pki: undefined, serverCertificate: undefined } as unknown as OpenOptions; // in place of what `openApp` gives otherwise

/** Under which keys texts of the store are sealed, by kind: the name of the key and how many there are. */
export const sealsIn = async (app: App): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>> => {
  const found: Record<string, Record<string, number>> = {};
  for (const [kind, rows] of Object.entries(await everything(app)))
    for (const [seal] of JSON.stringify(rows).matchAll(/v1\.[0-9a-f]{8}\.[\w-]+/g)) {
      const name = keyNameOf(seal) ?? '';
      found[kind] = { ...found[kind], [name]: (found[kind]?.[name] ?? 0) + 1 };
    }
  return found;
};

/** All keys that something in the store is sealed under. */
export const keysIn = async (app: App): Promise<readonly string[]> => [
  ...new Set(Object.values(await sealsIn(app)).flatMap((names) => Object.keys(names))),
];

export const nameOfKey = async (secretKey: string): Promise<string> => (await createSecrets([secretKey], webRandom)).names[0] ?? '';

/** Something of every kind that seals: an enrollment, a second factor, the secret of a terminator; and many enrollments. */
export const sealMuch = async (
  app: App,
  count: number,
): Promise<{ readonly enrollmentId: string; readonly jwt: string; readonly username: string; readonly factor: Factor }> => {
  const user = await app.user();
  const factor = await enrollMfa(app, await user.login());
  const service = await app.create('/services', { name: 's', encryptionRequired: true });
  const router = await app.create('/routers', { name: 'r' });
  await app.create('/terminators', { service, router, binding: 'edge', address: 'x', identity: 'one', identitySecret: 'dGhlIHNlY3JldA==' });
  let enrollmentId = '';
  for (let i = 0; i < count; i++) enrollmentId = await enroll(app, `device ${i}`);
  return { enrollmentId, jwt: await jwtOf(app, enrollmentId), username: user.username, factor };
};

/** @returns the id of an enrollment of a new identity */
export const enroll = async (app: App, name: string): Promise<string> => {
  const identityId = await app.create('/identities', { name, type: 'Device', isAdmin: false });
  return app.create('/enrollments', { identityId, method: 'ott', expiresAt: '2030-01-01T00:00:00Z' });
};

export const jwtOf = async (app: App, enrollmentId: string): Promise<string> =>
  (await app.request('GET', `/enrollments/${enrollmentId}`)).body.data.jwt;
