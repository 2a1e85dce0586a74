import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { consoleQuery, type forms, openAndSave, save } from '../support/console.ts';
import { aNetwork, read, TAGS } from '../support/console-network.ts';
import { policyBody } from '../support/policies.ts';

onEveryStore('what the admin console saves', (open) => {
  test('what is opened and saved with another name keeps everything else', async () => {
    await using app = await open();
    const net = await aNetwork(app);
    const transit = await app.create('/transit-routers', { name: 'another', tags: TAGS });
    const policy = await app.create('/auth-policies', policyBody('strict', { extJwt: { allowedSigners: [net.signer] }, tags: TAGS }));
    const type = await app.create('/config-types', {
      name: 'a type',
      schema: { type: 'object', properties: { a: { type: 'string' } } },
      tags: TAGS,
    });
    const opened: readonly (readonly [collection: keyof typeof forms, id: string])[] = [
      ['identities', net.identity],
      ['services', net.service],
      ['configs', net.config],
      ['config-types', type],
      ['edge-routers', net.router],
      ['transit-routers', transit],
      ['service-policies', net.servicePolicy],
      ['edge-router-policies', net.routerPolicy],
      ['service-edge-router-policies', net.serviceRouterPolicy],
      ['posture-checks', net.check],
      ['auth-policies', policy],
      ['cas', net.ca],
    ];
    for (const [collection, id] of opened) {
      const before = await read(app, collection, id);
      const name = `renamed ${collection}`;
      const { status, text } = await openAndSave(app, collection, id, { name });
      assert.equal(status, 200, `${collection}: ${text}`);
      assert.deepEqual(await read(app, collection, id), { ...before, name }, collection);
    }
  });

  test('each type of posture check is saved with the fields of all types, and keeps its own', async () => {
    await using app = await open();
    const process = { osType: 'Linux', path: '/bin/agent', hashes: ['ab'.repeat(64)], signerFingerprint: 'cd'.repeat(20) };
    const { signerFingerprint, ...multi } = process;
    const blank = {
      semantic: 'AllOf',
      roleAttributes: [],
      domains: [],
      macAddresses: [],
      operatingSystems: [],
      processes: [{ hashes: [], osType: '', path: '', signerFingerprints: [] }],
      process: { hashes: [], osType: '', path: '', signerFingerprint: '' },
      promptOnWake: false,
      promptOnUnlock: false,
      timeoutSeconds: 0,
      tags: {},
    };
    const own: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      DOMAIN: { domains: ['corp.example'] },
      MAC: { macAddresses: ['0123456789ab'] },
      MFA: { promptOnWake: true, promptOnUnlock: true, timeoutSeconds: 600 },
      OS: { operatingSystems: [{ type: 'Windows', versions: ['>=10.0.0'] }] },
      PROCESS: { process },
      PROCESS_MULTI: { semantic: 'AnyOf', processes: [{ ...multi, signerFingerprints: [signerFingerprint] }] },
    };
    for (const [typeId, fields] of Object.entries(own)) {
      const id = await app.create('/posture-checks', { ...blank, name: typeId, typeId, ...fields });
      const before = await read(app, 'posture-checks', id);
      assert.partialDeepStrictEqual(before, fields, typeId);
      const saved = await openAndSave(app, 'posture-checks', id, { name: `${typeId} renamed` });
      assert.equal(saved.status, 200, saved.text);
      assert.deepEqual(await read(app, 'posture-checks', id), { ...before, name: `${typeId} renamed` });
    }
  });

  test('roles that are removed or added in the form are removed from the policy or added to it', async () => {
    await using app = await open();
    const { servicePolicy, bob, as } = await aNetwork(app);
    const sees = async () => (await app.request('GET', '/edge/client/v1/services', { as })).body.data[0].postureQueries.length;
    assert.equal(await sees(), 2);
    await openAndSave(app, 'service-policies', servicePolicy, { identityRoles: [`@${bob}`], postureCheckRoles: [] });
    assert.equal(await sees(), 1);
    const { data } = (await app.request('GET', `/service-policies/${servicePolicy}`)).body;
    assert.deepEqual([data.identityRoles, data.postureCheckRoles], [[`@${bob}`], null]);
    await openAndSave(app, 'service-policies', servicePolicy, { identityRoles: ['#sales', `@${bob}`] });
    assert.equal(await sees(), 2);
  });

  test('terminators, JWT signers and overrides are saved as their forms send them', async () => {
    await using app = await open();
    const net = await aNetwork(app);
    const fields = {
      service: net.service,
      router: net.router,
      identity: '',
      binding: 'transport',
      precedence: 'default',
      cost: 0,
      identitySecret: '',
    };
    const terminator = await app.create('/terminators', { ...fields, address: 'tcp:10.0.0.2:80' });
    assert.equal((await save(app, 'terminators', terminator, { ...fields, address: 'tcp:10.0.0.3:80', cost: 9 })).status, 200);
    const { address, cost, serviceId, router } = await read(app, 'terminators', terminator);
    assert.deepEqual([address, cost, serviceId, router.name], ['tcp:10.0.0.3:80', 9, net.service, 'edge']);

    const before = await read(app, 'external-jwt-signers', net.signer);
    const { name, audience, issuer, clientId, certPem, claimsProperty, enabled, useExternalId, externalAuthUrl, scopes, tags } = before;
    const form = { name, audience, issuer, clientId, certPem, claimsProperty, enabled, useExternalId, kid: before.kid ?? '', scopes, tags };
    const enrolling = { enrollToCertEnabled: before.enrollToCertEnabled, enrollToTokenEnabled: before.enrollToTokenEnabled };
    const sent = { ...form, ...enrolling, externalAuthUrl: externalAuthUrl ?? '', targetToken: 'ACCESS', name: 'renamed', id: net.signer };
    const saved = await save(app, 'external-jwt-signers', net.signer, sent);
    assert.equal(saved.status, 200, saved.text);
    const after = await read(app, 'external-jwt-signers', net.signer);
    assert.deepEqual({ ...after, externalAuthUrl: after.externalAuthUrl || null }, { ...before, name: 'renamed' });

    const overrides = `/identities/${net.identity}/service-configs`;
    const pair = [{ serviceId: net.service, configId: net.config }];
    const list = async () => (await app.request('GET', `${overrides}${consoleQuery()}`)).body.data;
    assert.deepEqual(
      (await list()).map(({ service, config }: { service: { name: string }; config: { name: string } }) => [service.name, config.name]),
      [['web', 'db host']],
    );
    assert.equal((await app.request('DELETE', overrides, { body: pair })).status, 200);
    assert.deepEqual(await list(), []);
    assert.equal((await app.request('POST', overrides, { body: pair })).status, 200);
  });
});
