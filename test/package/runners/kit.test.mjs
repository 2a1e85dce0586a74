// Run by Vitest, Jest and `node:test`, each with its own `test` and hooks: no one of them is known here.
import assert from 'node:assert/strict';
import { ManagementController, newSecretKey } from 'overlay-controller';
import { createClient } from 'overlay-controller/client';
import { sqliteStorage } from 'overlay-controller/storage/kysely';
import { testNetwork } from 'overlay-controller/testing';

const { test, beforeEach, afterEach } = 'test' in globalThis ? globalThis : await import('node:test');

let network;
beforeEach(async () => {
  network = await testNetwork();
});
afterEach(() => network.close());

test('a device enrolls, logs in by its certificate and satisfies posture', async () => {
  const lift = await network.device('lift 7', 'lifts');
  const crm = await network.service('crm');
  const linux = await network.postureCheck('linux', { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=6.0.0'] }] });
  const code = await network.postureCheck('code', { typeId: 'MFA' });
  await network.dial(['#lifts'], [crm], [linux, code]);
  const session = await lift.login();
  assert.equal(await network.mayDial(session, crm), false);
  await session.satisfy(linux, code);
  assert.equal(await network.mayDial(session, crm), true);
  await lift.renew();
  const { address: baseUrl } = network.controller.settings;
  const { fetch } = await network.device('lift 8');
  const client = createClient({ baseUrl, api: 'client', credentials: { certificate: true }, fetch });
  assert.equal((await client.currentIdentity.get()).name, 'lift 8');
  await network.advance('31m');
  await assert.rejects(session.currentIdentity.get(), { code: 'UNAUTHORIZED' });
});

test('a CA, a signer and a router take part', async () => {
  const acme = await network.ca('acme');
  assert.equal((await acme.issue('camera', { intermediates: 1 })).certificates.length, 2);
  const scanner = await acme.device('scanner');
  const provider = await network.jwtSigner('provider');
  assert.equal((await provider.login(scanner)).identityId, scanner.id);
  const paris = await network.edgeRouter('paris');
  await paris.connect();
  paris.disconnect();
  assert.ok(network.recorded.changes.length > 0);
});

test('the fake timers of a framework do not stop a network', async () => {
  const timers = globalThis.vi ?? globalThis.jest ?? (await import('@jest/globals').catch(() => ({}))).jest;
  timers?.useFakeTimers();
  try {
    const ann = await network.identity('ann');
    const session = await ann.login();
    await network.advance('29m');
    await network.settled();
    assert.equal((await session.currentIdentity.get()).name, 'ann');
    const controller = await ManagementController.open({
      storage: sqliteStorage({ file: ':memory:' }),
      secretKey: newSecretKey(),
      settings: { address: 'https://overlay.example.com' },
    });
    await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
    assert.equal((await controller.api.audit.verify()).isIntact, true);
    await controller.close();
  } finally {
    timers?.useRealTimers();
  }
});
