/** Former entities of kinds that are rare, and adoptions that fail at their end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL } from '../../src/query/index.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { adoptSeeds, FORMER_ADMIN, openAdopted } from '../support/adopted.ts';
import { SECRET_KEY } from '../support/app.ts';
import { formerInMemory } from '../support/former-in-memory.ts';
import { authority, NOW, party } from '../support/pki.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

const LATER = new Date(NOW + 60_000);

const edge = {
  certPem: null,
  isVerified: false,
  isTunnelerEnabled: false,
  roleAttributes: [],
  appData: {},
  unverifiedCertPem: null,
  unverifiedFingerprint: null,
};

test('terminators that the former controller kept for itself are left out, and their hosts make them again', async () => {
  const terminator = { service: 's', router: 'r', binding: 'transport', address: 'a' };
  await using adopted = await openAdopted('memory', {
    services: [{ id: 's', name: 's', edge: { encryptionRequired: true, roleAttributes: [], configs: [] } }],
    routers: [{ id: 'r', name: 'r' }],
    terminators: [
      { id: 't1', ...terminator },
      { id: 't2', ...terminator, isSystem: true },
    ],
  });
  assert.deepEqual(
    (await adopted.app.rows('terminator')).map(({ id }) => id),
    ['t1'],
  );
  const reported = adopted.report.kinds.find(({ kind }) => kind === 'terminators');
  assert.deepEqual([reported?.adopted, Object.values(reported?.leftOut ?? {})], [1, [1]]);
});

test('a router of the fabric is enrolled if it has a fingerprint, or as its verification says', async () => {
  const waiting = { isVerified: false, unverifiedCertPem: 'PEM', unverifiedFingerprint: 'ff' };
  await using adopted = await openAdopted('memory', {
    routers: [
      { id: 'enrolled', name: 'enrolled', fingerprint: 'aa' },
      { id: 'new', name: 'new', fingerprint: null },
      { id: 'waiting', name: 'waiting', fingerprint: 'bb', transitRouter: waiting },
      { id: 'verified', name: 'verified', fingerprint: 'cc', transitRouter: { ...waiting, isVerified: true } },
    ],
  });
  const rows = new Map((await adopted.app.rows('router')).map((row) => [row.id, row]));
  const shown = ['enrolled', 'new', 'waiting', 'verified'].map((id) => {
    const row = rows.get(id);
    return [row?.isVerified, row?.enrolledBy !== null, row?.unverifiedFingerprint, row?.unverifiedCertPem];
  });
  assert.deepEqual(shown, [
    [true, true, null, null],
    [false, false, null, null],
    [false, false, 'ff', 'PEM'],
    [true, true, 'ff', 'PEM'],
  ]);
});

test('a router keeps the names in its certificate for itself, except those that every machine has', async () => {
  const { cert: certPem } = await party('r', { names: { dnsNames: ['localhost', 'r.example'], ipAddresses: ['127.0.0.1', '192.0.2.1'] } });
  await using adopted = await openAdopted('memory', { routers: [{ id: 'r', name: 'r', edge: { ...edge, certPem } }] });
  const [row] = await adopted.app.rows('router');
  const names = JSON.stringify(row?.serverNames);
  assert.match(names, /r\.example/);
  assert.match(names, /192\.0\.2\.1/);
  assert.doesNotMatch(names, /localhost|127\.0\.0\.1/);
});

test('a default administrator counts as one, although nothing else says so', async () => {
  const seeds = { identities: [{ ...FORMER_ADMIN, isAdmin: false }] };
  const { administrators } = await adoptSeeds(seeds, { plan: true });
  assert.deepEqual(
    administrators.map(({ id, isDefaultAdmin }) => [id, isDefaultAdmin]),
    [[FORMER_ADMIN.id, true]],
  );
});

test('a policy that allowed signers that do not exist allows none, not all', async () => {
  const policy = { 'primary.extJwt.allowed': true, 'primary.cert.allowed': true };
  await using adopted = await openAdopted(
    'memory',
    {
      authPolicies: [
        { id: 'p', name: 'p', ...policy, 'primary.extJwt.allowedSigners': ['gone'] },
        { id: 'q', name: 'q', ...policy },
      ],
    },
    { allow: ['dangling'] },
  );
  const allowed = async (id: string) => (await adopted.app.controller.api.authPolicies.get({ id })).primary.extJwt.allowed;
  assert.deepEqual([await allowed('p'), await allowed('q')], [false, true]);
});

test('a signer whose certificate cannot be read does not exist for the policies that name it', async () => {
  await using adopted = await openAdopted(
    'memory',
    {
      externalJwtSigners: [{ id: 's', name: 's', certPem: 'not PEM' }],
      authPolicies: [
        { id: 'p', name: 'p', 'primary.cert.allowed': true, 'primary.extJwt.allowed': true, 'primary.extJwt.allowedSigners': ['s'] },
        { id: 'q', name: 'q', 'primary.cert.allowed': true, 'secondary.requireExtJwtSigner': 's' },
      ],
    },
    { allow: ['certificates', 'dangling'] },
  );
  const policy = async (id: string) => {
    const { primary, secondary } = await adopted.app.controller.api.authPolicies.get({ id });
    return [primary.cert.allowed, primary.extJwt.allowed, primary.extJwt.allowedSigners, secondary.requireExtJwtSigner ?? null];
  };
  assert.deepEqual(await policy('p'), [true, false, [], null]);
  assert.deepEqual(await policy('q'), [false, false, [], null]);
});

test('a signer with a JWKS endpoint and an empty certificate is adopted without loss, and policies keep it', async () => {
  await using adopted = await openAdopted('memory', {
    externalJwtSigners: [{ id: 's', name: 's', issuer: 'i', audience: 'a', certPem: '', jwksEndpoint: 'https://i.example/keys' }],
    authPolicies: [{ id: 'p', name: 'p', 'primary.extJwt.allowed': true, 'primary.extJwt.allowedSigners': ['s'] }],
  });
  assert.deepEqual([adopted.report.losses, adopted.report.kinds.find(({ kind }) => kind === 'externalJwtSigners')?.adopted], [[], 1]);
  const [signer] = await adopted.app.rows('externalJwtSigner');
  assert.deepEqual([signer?.certPem, signer?.jwksEndpoint, signer?.fingerprint], [null, 'https://i.example/keys', null]);
  const { api } = adopted.app.controller;
  assert.deepEqual((await api.authPolicies.get({ id: 'p' })).primary.extJwt, { allowed: true, allowedSigners: ['s'] });
});

test('an enrollment of an edge router does not apply to a router of the fabric, and one running controller does not make a cluster', async () => {
  const ofRouter = { method: 'erott', token: 't', jwt: 'a.b.c', expiresAt: LATER };
  const { losses } = await adoptSeeds(
    {
      identities: [FORMER_ADMIN],
      routers: [
        { id: 'fabric', name: 'fabric' },
        { id: 'edge', name: 'edge', edge },
      ],
      enrollments: [
        { id: 'e1', ...ofRouter, edgeRouter: 'edge' },
        { id: 'e2', ...ofRouter, token: 'u', edgeRouter: 'fabric' },
      ],
      controllers: [{ id: 'c', name: 'c', isOnline: true }],
    },
    { plan: true },
  );
  assert.deepEqual(
    losses.map(({ name, entities }) => [name, entities.map(({ id }) => id)]),
    [['dangling', ['e2']]],
  );
});

test('an enrollment is kept with the router that it is for', async () => {
  const waiting = { jwt: 'a.b.c', expiresAt: LATER };
  await using adopted = await openAdopted('memory', {
    routers: [
      { id: 'fabric', name: 'fabric', fingerprint: null },
      { id: 'edge', name: 'edge', edge },
    ],
    enrollments: [
      { id: 'e1', ...waiting, method: 'erott', token: 't', edgeRouter: 'edge' },
      { id: 'e2', ...waiting, method: 'trott', token: 'u', transitRouter: 'fabric' },
    ],
  });
  const rows = (await adopted.app.rows('enrollment')).map(({ id, edgeRouterId, transitRouterId }) => [id, edgeRouterId, transitRouterId]);
  assert.deepEqual(rows.toSorted(), [
    ['e1', 'edge', null],
    ['e2', null, 'fabric'],
  ]);
});

test('a certificate that the network has issued is of no other authority, also if one has the same key', async () => {
  const third = await authority('third');
  const device = await party('device', { by: third });
  const authenticator = { method: 'cert', identity: 'i', certPem: device.cert };
  await using adopted = await openAdopted('memory', {
    cas: [{ id: 'c', name: 'c', certPem: third.cert, isVerified: true, isAuthEnabled: true }],
    identities: [{ id: 'i', name: 'i' }],
    authenticators: [
      { id: 'a1', ...authenticator, isIssuedByNetwork: true },
      { id: 'a2', ...authenticator, certPem: (await party('another', { by: third })).cert },
    ],
  });
  const caIds = new Map((await adopted.app.rows('authenticator')).map(({ id, caId }) => [id, caId]));
  assert.deepEqual([caIds.get('a1'), caIds.get('a2')], [null, 'c']);
});

for (const name of stores)
  test(`nothing of a network that changed while it was adopted is written (${name})`, async () => {
    await using shared = newSharedStorage(name);
    const changed = new Error('the database has changed');
    const former = {
      ...formerInMemory({ identities: [FORMER_ADMIN] }),
      assertUnchanged: () => {
        throw changed;
      },
    };
    await assert.rejects(adoptSeeds({}, { former, storage: shared.adapter(), secretKey: SECRET_KEY }), changed);
    const store = await shared.adapter().open(storageSchema);
    for (const { kind } of storageSchema) assert.equal(await store.transaction('read', (tx) => tx.count(kind, ALL)), 0, kind);
    await store.close();
  });
