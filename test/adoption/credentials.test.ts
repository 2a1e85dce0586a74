import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodePlatform } from '../../adapters/platform/node.ts';
import { restoreSnapshot } from '../../src/index.ts';
import { openAdopted } from '../support/adopted.ts';
import { type App, openApp, PASSWORD, SECRET_KEY } from '../support/app.ts';
import { chainOf } from '../support/certificates.ts';
import { sendCsr } from '../support/enrolling.ts';
import { formerPassword } from '../support/former-password.ts';
import { giveCode, totp } from '../support/mfa.ts';
import { lives, tokensOf } from '../support/oidc.ts';
import { authority, csr, NOW, party, sharedPki } from '../support/pki.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

/** Password hashing as in production, instead of the quick one. */
const open = { platform: { passwords: nodePlatform().passwords } };

const MINUTE = 60_000;

for (const store of stores) {
  test(`on ${store}, old passwords log in, and those of disabled identities do not`, async () => {
    const updb = async (identity: string) => ({
      id: `of-${identity}`,
      identity,
      method: 'updb',
      updbUsername: identity,
      ...(await formerPassword(`the password of ${identity}`)),
    });
    const names = ['anne', 'bobby', 'cleo'];
    await using adopted = await openAdopted(
      store,
      {
        identities: [
          { id: 'anne', name: 'ann' },
          { id: 'bobby', name: 'bob', disabledAt: new Date(NOW - MINUTE) },
          { id: 'cleo', name: 'cleo', disabledAt: new Date(NOW - MINUTE), disabledUntil: new Date(NOW + MINUTE) },
        ],
        authenticators: await Promise.all(names.map(updb)),
      },
      { open },
    );
    const login = async (name: string, password = `the password of ${name}`) => (await adopted.app.login(name, password)).status;
    assert.deepEqual([await login('anne'), await login('anne', 'another password')], [200, 401]);
    assert.deepEqual([await login('bobby'), await login('cleo')], [401, 401]);
    adopted.app.clock.advance('1m');
    assert.deepEqual([await login('bobby'), await login('cleo')], [401, 200]);
  });

  test(`on ${store}, usernames that no new one may be like log in, change their password, and are restored from a snapshot`, async () => {
    const usernames = ['al', 'x'.repeat(150), 'p\u0430ypal', ' blank '];
    await using adopted = await openAdopted(
      store,
      {
        identities: usernames.map((_, i) => ({ id: `i${i}`, name: `i${i}` })),
        authenticators: await Promise.all(
          usernames.map(async (updbUsername, i) => ({
            id: `a${i}`,
            identity: `i${i}`,
            method: 'updb',
            updbUsername,
            ...(await formerPassword(PASSWORD)),
          })),
        ),
      },
      { open },
    );
    const { app, report } = adopted;
    assert.deepEqual(report.losses, []);
    const [changed = ''] = Object.keys(report.kinds.find(({ kind }) => kind === 'authenticators')?.changed ?? {});
    assert.match(changed, /fewer than 4 or more than 100/);
    // The limits of the published login are those of the former controller.
    const statuses = await Promise.all(usernames.map(async (name) => (await app.login(name, PASSWORD)).status));
    assert.deepEqual(statuses, [400, 400, 200, 200]);
    const everyoneLogsIn = async (on: App) => {
      for (const name of usernames) assert.equal(await lives(on, (await tokensOf(on, name)).access_token), true);
    };
    await everyoneLogsIn(app);
    for (const i of usernames.keys()) await app.controller.api.authenticators.patch({ id: `a${i}`, body: { password: PASSWORD } });
    await app.controller.api.identities.patch({ id: 'i0', body: { name: 'albert' } });
    await everyoneLogsIn(app);
    await app.controller.api.database.createSnapshot();
    await using shared = newSharedStorage(store);
    await restoreSnapshot({ storage: shared.adapter(), snapshot: [[...app.snapshots.values()][0] ?? ''], secretKey: SECRET_KEY });
    await using restored = await openApp(store, { storage: shared.adapter(), ...open });
    await everyoneLogsIn(restored);
  });

  test(`on ${store}, the app of an old second factor keeps working, and so do its unused recovery codes`, async () => {
    const secret = 'JBSWY3DPEHPK3PXP'; // ten bytes
    await using adopted = await openAdopted(
      store,
      {
        identities: [{ id: 'ann', name: 'ann' }],
        authenticators: [{ id: 'a', identity: 'ann', method: 'updb', updbUsername: 'annie', ...(await formerPassword('the password')) }],
        mfas: [{ id: 'm', identity: 'ann', isVerified: true, secret, recoveryCodes: ['ABCDEF', 'GHIJKL'] }],
      },
      { open },
    );
    const { app } = adopted;
    const token = async () => (await app.login('annie', 'the password')).body.data.token;
    assert.equal((await giveCode(app, await token(), totp(secret, NOW))).status, 200);
    assert.equal((await giveCode(app, await token(), 'ABCDEF')).status, 200);
    assert.equal((await giveCode(app, await token(), 'ABCDEF')).status, 400);
    assert.equal((await giveCode(app, await token(), 'MNOPQR')).status, 400);
  });

  test(`on ${store}, an open enrollment is completed with its old token, which administrators still see`, async () => {
    const token = '0d7a5ee2-6a4b-4d62-8f0e-0d9d6d3a1c11';
    const jwt = ['e30', Buffer.from(JSON.stringify({ jti: token, em: 'ott' })).toString('base64url'), 'c2lnbmVk'].join('.');
    const expiresAt = new Date(NOW + MINUTE);
    await using adopted = await openAdopted(
      store,
      {
        identities: [{ id: 'ann', name: 'ann' }],
        enrollments: [
          { id: 'e1', identity: 'ann', method: 'ott', token, jwt, expiresAt, issuedAt: new Date(NOW - MINUTE) },
          { id: 'e2', identity: 'ann', method: 'ott', token: 'past', jwt, expiresAt: new Date(NOW) },
        ],
      },
      { allow: ['expired'] },
    );
    const { app, report } = adopted;
    assert.deepEqual(report.enrollmentsUntil, expiresAt);
    const shown = await app.controller.api.enrollments.list();
    assert.partialDeepStrictEqual(shown.data, [{ id: 'e1', token, jwt, identityId: 'ann', createdAt: '2026-11-21T09:59:00.000Z' }]);
    assert.equal(shown.data.length, 1);
    const { status, text } = await sendCsr(app, token, (await csr('ann')).csr);
    assert.equal(status, 200, text);
    assert.equal((await sendCsr(app, token, (await csr('ann')).csr)).status, 400);
  });

  test(`on ${store}, administrators still see the token of an open enrollment whose JWT is missing, or is none`, async () => {
    const tokens = { none: '', text: 'the.jwt', 'no claims': `e30.${btoa('null')}.c2ln`, 'no token': `e30.${btoa('{}')}.c2ln` };
    const open = { identity: 'ann', method: 'ott', expiresAt: new Date(NOW + MINUTE) } as const;
    const enrollments = Object.entries(tokens).map(([token, jwt], at) => ({ ...open, id: `e${at}`, token, jwt }));
    await using adopted = await openAdopted(store, { identities: [{ id: 'ann', name: 'ann' }], enrollments });
    const { data } = await adopted.app.controller.api.enrollments.list({ sort: 'id' });
    assert.deepEqual(
      data.map(({ token }) => token),
      Object.keys(tokens),
    );
  });

  test(`on ${store}, old certificates log in: of the network with their chain, of a third party by its authority`, async () => {
    const { signer } = await sharedPki();
    const [third, claiming, unverified] = await Promise.all([authority('third'), authority('claiming'), authority('unverified')]);
    const middle = await authority('middle', { by: third });
    const own = await party('own', { by: signer });
    const [foreign, external, doubtful, ...below] = await Promise.all([
      party('foreign', { by: third }),
      party('ann-at-third', { by: claiming }),
      party('doubtful', { by: unverified }),
      party('below', { by: middle }),
      party('below, too', { by: middle }),
    ]);
    const flags = { isAuthEnabled: true, isOttCaEnrollmentEnabled: true, identityRoles: ['from-third'] };
    await using adopted = await openAdopted(store, {
      identities: [
        { id: 'own', name: 'own' },
        { id: 'foreign', name: 'foreign' },
        { id: 'ann', name: 'ann', externalId: 'ann-at-third' },
        { id: 'doubtful', name: 'doubtful' },
      ],
      cas: [
        {
          id: 'c0',
          name: 'claiming',
          certPem: claiming.cert,
          isVerified: true,
          ...flags,
          externalIdClaim: {
            'externalIdClaim.location': 'COMMON_NAME',
            'externalIdClaim.matcher': 'ALL',
            'externalIdClaim.matcherCriteria': '',
            'externalIdClaim.parser': 'NONE',
            'externalIdClaim.parserSeparator': '',
            'externalIdClaim.index': 0,
          },
        },
        { id: 'c1', name: 'third', certPem: third.cert, isVerified: true, ...flags },
        { id: 'c2', name: 'unverified', certPem: unverified.cert, verificationToken: 'the-old-token', ...flags },
      ],
      authenticators: [
        { id: 'a1', identity: 'own', method: 'cert', certPem: own.cert + signer.cert, isIssuedByNetwork: true },
        { id: 'a2', identity: 'foreign', method: 'cert', certPem: foreign.cert },
        { id: 'a3', identity: 'doubtful', method: 'cert', certPem: doubtful.cert },
        ...below.map(({ cert }, i) => ({ id: `a${4 + i}`, identity: 'foreign', method: 'cert', certPem: cert + middle.cert })),
      ],
    });
    const { app } = adopted;
    assert.deepEqual(
      await loginsOf(app, { own: chainOf(own, signer), foreign: chainOf(foreign), ann: chainOf(external), doubtful: chainOf(doubtful) }),
      {
        own: 'own',
        foreign: 'foreign',
        ann: 'ann',
        doubtful: 401,
      },
    );
    const rows = new Map((await app.rows('authenticator')).map((row) => [row.id, row]));
    assert.deepEqual(
      ['a1', 'a2', 'a3', 'a4', 'a5'].map((id) => rows.get(id)?.caId),
      [null, 'c1', null, 'c1', 'c1'],
    );
    assert.deepEqual(rows.get('a1')?.certPem, own.cert);
    // With its old token, the authority is verified.
    const proof = await party('the-old-token', { by: unverified });
    const verified = await app.controller.api.cas.verify({ id: 'c2', body: proof.cert });
    assert.ok(verified);
    assert.deepEqual(await loginsOf(app, { doubtful: chainOf(doubtful) }), { doubtful: 'doubtful' });
  });
}

/** Whose session each certificate opens; otherwise the status. */
const loginsOf = async (app: App, clients: Readonly<Record<string, readonly Uint8Array[]>>) => {
  const found: Record<string, unknown> = {};
  for (const [name, certificates] of Object.entries(clients)) {
    const { status, body } = await app.request('POST', '/authenticate?method=cert', { as: null, certificates, body: {} });
    found[name] = status === 200 ? body.data.identityId : status;
  }
  return found;
};
