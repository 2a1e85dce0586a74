import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareNetworks } from '../../adopt/command/compare.ts';
import { withoutExpired } from '../../adopt/command/open-enrollments.ts';
import { differingFieldsOf, textOf } from '../../adopt/command/same-values.ts';
import { openAdopted } from '../support/adopted.ts';
import type { App } from '../support/app.ts';
import type { FormerSeeds } from '../support/former-in-memory.ts';
import { NOW } from '../support/pki.ts';

const SEEDS: FormerSeeds = {
  identities: [
    { id: 'ann', name: 'ann', roleAttributes: ['sales'] },
    { id: 'bob', name: 'bob' },
  ],
  services: [{ id: 'crm', name: 'crm', edge: { encryptionRequired: true, roleAttributes: [], configs: [] } }],
  servicePolicies: [{ id: 'p', name: 'p', type: 1, semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['@crm'] }],
};

const differencesOf = async (former: App, adopted: App, now = NOW) => {
  const { differences } = await compareNetworks(former.controller.api, adopted.controller.api, now);
  return differences.map(({ collection, name, what, former: one, adopted: other }) => [collection, name, what, one, other]);
};

test('two controllers that show the same of a network do not differ', async () => {
  await using former = await openAdopted('memory', SEEDS);
  await using adopted = await openAdopted('memory', SEEDS);
  assert.deepEqual(await differencesOf(former.app, adopted.app), []);
});

test('differences are reported by collection, name and field, including the services that an identity gains or loses', async () => {
  await using former = await openAdopted('memory', SEEDS);
  await using adopted = await openAdopted('memory', SEEDS);
  const { api } = adopted.app.controller;
  await api.services.patch({ id: 'crm', body: { terminatorStrategy: 'sticky' } });
  await api.servicePolicies.delete({ id: 'p' });
  const differences = await differencesOf(former.app, adopted.app);
  assert.deepEqual(
    differences.filter(([, , what]) => what !== 'updatedAt'),
    [
      ['services', 'crm', 'terminatorStrategy', '"smartrouting"', '"sticky"'],
      ['identities', 'ann', 'services', '["crm"]', '[]'],
      ['identities', 'ann', 'policy advice for crm', '{"isDialAllowed":true}', '{}'],
      ['servicePolicies', 'p', 'missing', undefined, undefined],
    ],
  );
});

test('a controller that answers the same full page for ever is reported, and ends the comparison', async () => {
  const identities = Array.from({ length: 1100 }, (_, i) => ({ id: `i${String(i).padStart(4, '0')}`, name: `i${i}` }));
  await using former = await openAdopted('memory', { ...SEEDS, identities });
  await using adopted = await openAdopted('memory', { ...SEEDS, identities });
  assert.deepEqual(await differencesOf(former.app, adopted.app), []);
  const { api } = former.app.controller;
  const stuck: typeof api = { ...api, identities: { ...api.identities, list: (input) => api.identities.list({ ...input, offset: 0 }) } };
  await assert.rejects(
    compareNetworks(stuck, adopted.app.controller.api, NOW),
    /does not list identities by ascending ids.*'adm\.in-1' follows 'i0498'/,
  );
});

test('expired enrollments, which are left out, do not count as a difference; before, they do, and their tokens are not shown', async () => {
  const end = NOW + 60_000;
  const enrollment = { id: 'e', identity: 'ann', method: 'ott', token: 'the-token', jwt: 'the.jwt', expiresAt: new Date(end) } as const;
  const unverified = { unverifiedCertPem: null, unverifiedFingerprint: null };
  const edge = { certPem: null, isVerified: false, isTunnelerEnabled: false, roleAttributes: [], appData: {}, ...unverified };
  const router = { id: 'r', name: 'paris', edge };
  const ofRouter = { ...enrollment, id: 'f', identity: null, edgeRouter: 'r', method: 'erott', token: 'its-token' } as const;
  await using former = await openAdopted('memory', { ...SEEDS, routers: [router], enrollments: [enrollment, ofRouter] });
  await using adopted = await openAdopted('memory', { ...SEEDS, routers: [router] });
  assert.deepEqual(await differencesOf(former.app, adopted.app, end), []);
  const differences = await differencesOf(former.app, adopted.app, end - 1);
  assert.deepEqual(
    differences.map(([collection, name, what]) => [collection, name, what]),
    [
      ['edgeRouters', 'paris', 'enrollmentExpiresAt'],
      ['edgeRouters', 'paris', 'enrollmentJwt'],
      ['edgeRouters', 'paris', 'enrollmentToken'],
      ['identities', 'ann', 'enrollment'],
      ['enrollments', 'e', 'missing'],
      ['enrollments', 'f', 'missing'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(differences), /the-token|its-token|the\.jwt/);
});

test('an identity that the former controller still shows as disabled differs only until the time has ended', () => {
  const shown = { id: 'i', disabled: false, disabledAt: new Date(NOW - 60_000).toISOString(), disabledUntil: new Date(NOW).toISOString() };
  const adopted = { id: 'i', disabled: false };
  const differences = (now: number) => differingFieldsOf('identities', withoutExpired('identities', shown, now) ?? {}, adopted);
  assert.deepEqual(differences(NOW), []);
  assert.deepEqual(differences(NOW - 1), ['disabledAt', 'disabledUntil']);
});

test('the dates of enrollments, which the former controller does not keep, do not count as a difference', () => {
  const [yearOne, issued] = ['0001-01-01T00:00:00.000Z', '2026-11-27T06:48:55.053Z'];
  const former = { id: 'e', createdAt: yearOne, updatedAt: yearOne, expiresAt: issued };
  assert.deepEqual(differingFieldsOf('enrollments', former, { ...former, createdAt: issued, updatedAt: issued }), []);
  assert.deepEqual(differingFieldsOf('enrollments', former, { ...former, expiresAt: yearOne }), ['expiresAt']);
  assert.deepEqual(differingFieldsOf('edgeRouters', { enrollmentCreatedAt: yearOne }, { enrollmentCreatedAt: issued }), []);
  assert.deepEqual(differingFieldsOf('identities', former, { ...former, createdAt: issued }), ['createdAt']);
  // Release 1.6.0 keeps those of authenticators, but its list lacks them.
  const dated = { ...former, createdAt: issued, updatedAt: issued };
  assert.deepEqual(differingFieldsOf('authenticators', former, dated), []);
  assert.deepEqual(differingFieldsOf('authenticators', dated, { ...dated, createdAt: '2026-11-28T00:00:00.000Z' }), ['createdAt']);
});

test('values that mean the same are the same', () => {
  assert.equal(textOf([{ osType: 'Linux', path: '/a' }]), textOf([{ path: '/a', os: 'Linux', osType: 'Linux' }]));
  assert.notEqual(textOf([{ osType: 'Linux', path: '/a' }]), textOf([{ path: '/a', os: 'Windows', osType: 'Windows' }]));
  assert.equal(
    textOf({ a: ['x', 'y'], at: '2026-01-02T03:04:05Z', none: null }),
    textOf({ at: '2026-01-02T03:04:05.000Z', a: ['y', 'x'], off: false }),
  );
  assert.notEqual(textOf({ a: ['x'] }), textOf({ a: ['y'] }));
  assert.notEqual(textOf({ a: { x: 1 } }), textOf({ a: { x: 2 } }));
});
