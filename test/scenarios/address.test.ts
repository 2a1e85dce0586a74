import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { groups } from '../../src/contract/api/index.ts';
import type { Operation } from '../../src/contract/api/kit/operation.ts';
import { codesOf } from '../../src/contract/api/kit/refusals.ts';
import { ApiError, ManagementController, type Settings, webPlatform } from '../../src/index.ts';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';
import { testNetwork } from '../../testing/index.ts';
import { authority } from '../support/pki.ts';

/** The platform's own clock runs here. */
const LATER = new Date(Date.now() + 3_600_000).toISOString();
const DEFAULT = 'https://127.0.0.1:1280';

/** A controller, and what it warned of. */
const opened = async (settings?: Partial<Settings>, storage = memoryStorage()) => {
  const warnings: string[] = [];
  const logger = { error: () => undefined, warn: (line: string) => void warnings.push(line), info: () => undefined };
  const platform = webPlatform({ passwords: fastPasswordHasher(), logger });
  const controller = await ManagementController.open({ storage, platform, ...(settings ? { settings } : {}) });
  return { controller, warnings };
};

const newIdentity = (name: string) => ({ name, type: 'User', isAdmin: false }) as const;

test('a controller that was not told its address says once when it is opened what does not work and what to set', async () => {
  for (const settings of [undefined, {}, { mfaIssuer: 'example' }]) {
    const { controller, warnings } = await opened(settings);
    assert.equal(controller.settings.address, DEFAULT);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? '',
      /^settings\.address is not set: .*https:\/\/127\.0\.0\.1:1280.*tokens cannot be issued; set settings\.address/,
    );
    await controller.close();
  }
});

test('one that was says nothing, and leads clients there, even when it is the default', async () => {
  for (const address of ['https://controller.example', DEFAULT]) {
    const { controller, warnings } = await opened({ address });
    const { id } = await controller.api.identities.create({ body: { ...newIdentity('ann'), enrollment: { ott: true } } });
    const { enrollment } = await controller.api.identities.get({ id });
    const [, claims = ''] = enrollment.ott?.jwt?.split('.') ?? [];
    assert.equal(JSON.parse(Buffer.from(claims, 'base64url').toString()).iss, address);
    assert.deepEqual(warnings, []);
    await controller.close();
  }
});

/** A network with one of everything that tokens are made for, whose controller lost its address. */
const withoutAddress = async () => {
  const storage = memoryStorage();
  const { controller: before } = await opened({ address: 'https://controller.example' }, storage);
  const { id: identityId } = await before.api.identities.create({ body: newIdentity('ann') });
  const { id: authenticatorId } = await before.api.authenticators.create({
    body: { identityId, method: 'updb', username: 'ann@example', password: 'a-good-password' },
  });
  const { id: enrollmentId } = await before.api.enrollments.create({ body: { identityId, method: 'ott', expiresAt: LATER } });
  const { id: routerId } = await before.api.edgeRouters.create({ body: { name: 'paris' } });
  const flags = { isAuthEnabled: true, isOttCaEnrollmentEnabled: true, isAutoCaEnrollmentEnabled: true };
  const { cert: certPem } = await authority('partner');
  const { id: caId } = await before.api.cas.create({ body: { name: 'partner', certPem, identityRoles: [], ...flags } });
  await before.close();
  const { controller } = await opened({}, storage);
  return { controller, identityId, authenticatorId, enrollmentId, routerId, caId };
};
type Network = Awaited<ReturnType<typeof withoutAddress>>;

test('an http address is refused where devices or routers would enroll, told by the log and by health, and leads to no router port', async () => {
  const told = /^devices and routers need https to enroll, and settings\.address is http:\/\/localhost:3000: serve the controller with TLS/;
  const { controller, warnings } = await opened({ address: 'http://localhost:3000' });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', told);
  const { isHealthy, reasons } = await controller.health();
  assert.deepEqual([isHealthy, reasons.map(({ concerns, severity }) => `${concerns} ${severity}`)], [true, ['address warning']]);
  assert.match(reasons[0]?.message ?? '', told);

  const { api } = controller;
  const { cert: certPem } = await authority('partner');
  const flags = { isAuthEnabled: true, isOttCaEnrollmentEnabled: true, isAutoCaEnrollmentEnabled: true };
  const { id: caId } = await api.cas.create({ body: { name: 'partner', certPem, identityRoles: [], ...flags } });
  const { id: identityId } = await api.identities.create({ body: newIdentity('ann') });
  const refused: readonly (() => Promise<unknown>)[] = [
    () => api.identities.create({ body: { ...newIdentity('lift'), enrollment: { ott: true } } }),
    () => api.enrollments.create({ body: { identityId, method: 'ott', expiresAt: LATER } }),
    () => api.edgeRouters.create({ body: { name: 'rome' } }),
    () => api.transitRouters.create({ body: { name: 'rome' } }),
    () => api.cas.getJwt({ id: caId }),
    () => api.trust.listNetworkJwts(),
  ];
  for (const make of refused)
    await assert.rejects(make, (error) => {
      assert.ok(error instanceof ApiError && error.code === 'NOT_CONFIGURED', String(error));
      assert.match(error.cause.message, told);
      return true;
    });
  await controller.close();
});

test('a user sets a password over http, where no device enrolls', async () => {
  const { controller } = await opened({ address: 'http://localhost:3000' });
  const { id } = await controller.api.identities.create({ body: { ...newIdentity('ann'), enrollment: { updb: 'ann@example' } } });
  const { enrollment } = await controller.api.identities.get({ id });
  const answer = await fetchHandler(controller)(
    new Request(`http://localhost:3000/edge/client/v1/enroll?method=updb&token=${enrollment.updb?.token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'ann@example', password: 'a-good-password' }),
    }),
  );
  assert.equal(answer.status, 200);
  await controller.close();
});

const { identities, enrollments, authenticators, edgeRouters, routers, transitRouters, cas, trust } = groups;
/** Every operation that makes a token by which clients find the controller. */
const makers: readonly (readonly [Operation, (network: Network) => Promise<unknown>])[] = [
  [
    identities.operations.create,
    ({ controller }) => controller.api.identities.create({ body: { ...newIdentity('bob'), enrollment: { ott: true } } }),
  ],
  [
    enrollments.operations.create,
    ({ controller, identityId }) =>
      controller.api.enrollments.create({ body: { identityId, method: 'updb', username: 'ann@example', expiresAt: LATER } }),
  ],
  [
    enrollments.operations.refresh,
    ({ controller, enrollmentId: id }) => controller.api.enrollments.refresh({ id, body: { expiresAt: LATER } }),
  ],
  [
    authenticators.operations.reEnroll,
    ({ controller, authenticatorId: id }) => controller.api.authenticators.reEnroll({ id, body: { expiresAt: LATER } }),
  ],
  [edgeRouters.operations.create, ({ controller }) => controller.api.edgeRouters.create({ body: { name: 'rome' } })],
  [edgeRouters.operations.reEnroll, ({ controller, routerId: id }) => controller.api.edgeRouters.reEnroll({ id })],
  [routers.operations.create, ({ controller }) => controller.api.routers.create({ body: { name: 'rome' } })],
  [transitRouters.operations.create, ({ controller }) => controller.api.transitRouters.create({ body: { name: 'rome' } })],
  [cas.operations.getJwt, ({ controller, caId: id }) => controller.api.cas.getJwt({ id })],
  [trust.operations.listNetworkJwts, ({ controller }) => controller.api.trust.listNetworkJwts()],
];

for (const [operation, make] of makers) {
  test(`${operation.operationId} makes no token with an address that was never set, says what to set, and writes nothing`, async () => {
    const network = await withoutAddress();
    const { controller } = network;
    const before = await controller.api.changes.list({ limit: 500 });
    await assert.rejects(make(network), (error) => {
      assert.ok(error instanceof ApiError && error.code === 'NOT_CONFIGURED');
      assert.match(error.cause.message, /settings\.address is not set.*: set settings\.address, an option of ManagementController\.open/);
      return true;
    });
    assert.ok(codesOf(operation).includes('NOT_CONFIGURED'), 'declared');
    assert.deepEqual(await controller.api.changes.list({ limit: 500 }), before);
    await controller.close();
  });
}

test('what needs no token works without an address', async () => {
  const { controller, identityId, routerId } = await withoutAddress();
  await controller.api.identities.create({ body: newIdentity('bob') });
  await controller.api.identities.patch({ id: identityId, body: { name: 'anna' } });
  await controller.api.edgeRouters.patch({ id: routerId, body: { name: 'lyon' } });
  const { enrollment } = await controller.api.identities.get({ id: identityId });
  assert.ok(enrollment.ott?.jwt, 'a token that was made with an address stays');
  await controller.close();
});

test('a network of tests has an address, and keeps the one that it is given', async () => {
  await using network = await testNetwork({ settings: { address: 'https://controller.example' } });
  assert.equal(network.controller.settings.address, 'https://controller.example');
  await using other = await testNetwork({ settings: { enrollmentMinutes: 10 } });
  assert.equal(other.controller.settings.enrollmentMinutes, 10);
});
