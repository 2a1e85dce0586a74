import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testNetwork } from '../../../testing/index.ts';

test('a router comes and goes', async () => {
  await using network = await testNetwork();
  const paris = await network.edgeRouter('paris');
  const isOnline = async () => (await network.controller.api.edgeRouters.get({ id: paris.id })).isOnline;
  assert.equal(await isOnline(), false);

  const connection = await paris.connect();
  assert.equal(await isOnline(), true);
  assert.equal(paris.connection, connection);
  paris.disconnect();
  assert.equal(await isOnline(), false);
  assert.equal(paris.connection, undefined);

  const { certificate } = paris;
  await paris.connect({ hostname: 'paris.example', port: 443 });
  assert.equal(paris.certificate, certificate, 'it enrolled once');
  const { supportedProtocols } = await network.controller.api.edgeRouters.get({ id: paris.id });
  assert.deepEqual(supportedProtocols, { tls: 'tls://paris.example:443' });
});

test('a router carries identities, which are unknown for a while after it is lost', async () => {
  await using network = await testNetwork();
  const ann = await network.identity('ann');
  const status = async () => (await network.controller.api.identities.get({ id: ann.id })).edgeRouterConnectionStatus;
  const paris = await network.edgeRouter('paris');
  await (await paris.connect()).identityConnected(ann.id);
  assert.equal(await status(), 'online');
  paris.disconnect();
  assert.equal(await status(), 'unknown');
  await network.advance('6m');
  assert.equal(await status(), 'offline');
});

test('a router that must enroll again does so when it comes again; one that is disabled does not come', async () => {
  await using network = await testNetwork();
  const { edgeRouters } = network.controller.api;
  const paris = await network.edgeRouter('paris');
  await paris.connect();
  const { certificate } = paris;
  await edgeRouters.reEnroll({ id: paris.id });
  assert.equal(paris.connection, undefined);
  await paris.connect();
  assert.notEqual(paris.certificate, certificate);
  await edgeRouters.patch({ id: paris.id, body: { disabled: true } });
  await assert.rejects(paris.connect(), { code: 'UNAUTHORIZED' });
});

test('routers enroll with the JWTs that an application got for them', async () => {
  await using network = await testNetwork();
  const { edgeRouters, routers } = network.controller.api;
  const edge = await edgeRouters.create({ body: { name: 'paris' } });
  const transit = await routers.create({ body: { name: 'core' } });
  const jwts = [(await edgeRouters.get(edge)).enrollmentJwt ?? '', (await routers.get(transit)).enrollmentJwt ?? ''];
  const [paris, core] = await Promise.all(jwts.map((jwt) => network.enrollRouter(jwt)));
  assert.deepEqual([paris?.name, core?.name], ['paris', 'core']);
  assert.deepEqual([(await paris?.connect())?.isEdgeRouter, (await core?.connect())?.isEdgeRouter], [true, false]);
  await assert.rejects(network.enrollRouter(jwts[0] ?? ''), { code: 'INVALID_ENROLLMENT_TOKEN' });
  await assert.rejects(network.enroll(jwts[0] ?? ''), { name: 'TypeError', message: /for the method erott: network\.enrollRouter\(jwt\)/ });
});

test('with a route and a router that is online, a session is made, which ends with its policy', async () => {
  await using network = await testNetwork();
  const ann = await network.identity('ann');
  const crm = await network.service('crm');
  const policy = await network.dial([ann], [crm]);
  const paris = await network.edgeRouter('paris');
  const asAnn = await ann.login();
  const request = { body: { serviceId: crm.id, type: 'Dial' } } as const;
  await assert.rejects(asAnn.sessions.create(request), { code: 'NO_EDGE_ROUTERS_AVAILABLE' });
  await network.route([ann], [crm]);
  await paris.connect();
  const { id } = await asAnn.sessions.create(request);
  await network.controller.api.servicePolicies.delete({ id: policy.id });
  await assert.rejects(asAnn.sessions.get({ id }), { code: 'NOT_FOUND' });
  assert.equal(await network.mayDial(ann, crm), false);
  await network.bind(['#hosts'], ['#all']);
  assert.equal(await network.mayBind(await network.identity('host', 'hosts'), crm), true);
});
