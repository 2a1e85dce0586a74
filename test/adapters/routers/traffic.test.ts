import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circuitHeader, edgeHeader, type Header, routeHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { until } from '../../support/until.ts';
import { bindBy, CLIENT_KEY, dialBy, HOST_KEY, KEY, routed, tokenFor, traffic, withSecond } from './traffic.ts';

const { createCircuit, route, routeResult, unroute, fault, circuitConfirmation } = messages.circuits;
const { removeTerminators, validateTerminators, validateTerminatorsResponse } = messages.terminators;
const { apiSessionAdded, apiSessionRemoved, sessionRemoved, validateSessions } = messages.sessions;
const { subscribeToDataModel, dataState } = messages.dataModel;

test('a session shows the routers of its circuit, as long as it has one', async () => {
  await using at = await traffic();
  const { sessions } = at.network.controller.api;
  await bindBy(at, 'terminator');
  const { id, token } = await at.dialing.sessions.create({ body: { serviceId: at.serviceId, type: 'Dial' } });
  const shown = async () => (await sessions.getRoutePath({ id })).routePath;
  assert.deepEqual(await shown(), []);
  const made = await dialBy(at, { token });
  assert.ok(made.isMade);
  assert.deepEqual(await shown(), [at.fra1.id]);
  await at.network.controller.api.circuits.delete({ id: made.id });
  assert.deepEqual(await shown(), []);
});

test('a router learns the keys of tokens, and the API sessions as their clients use them', async () => {
  await using at = await traffic();
  const { router, hosting, serviceId } = at;
  router.send(subscribeToDataModel, { subscriptionDurationSeconds: 300 });
  const { events } = dataState.decode((await router.next(dataState)).body);
  const token = await tokenFor(hosting, serviceId, 'Bind');
  const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
  const key = events.map(({ publicKey }) => publicKey).find((one) => one?.kid === kid);
  assert.deepEqual([key?.usages, key?.format], [['jwtValidation', 'clientCertificateValidation'], 'certificate']);

  const first = await router.next(apiSessionAdded);
  assert.deepEqual(apiSessionAdded.decode(first.body), { isFullState: false, apiSessions: [] });
  assert.equal(edgeHeader.syncStrategy.in(first), 'instant');
  assert.partialDeepStrictEqual(JSON.parse(edgeHeader.syncState.required(first)), { isLast: true, sequence: 0 });
  const { apiSessions } = apiSessionAdded.decode((await router.next(apiSessionAdded)).body);
  assert.partialDeepStrictEqual(apiSessions, [{ token: hosting.token, id: hosting.id, identityId: hosting.identityId }]);
  assert.match(apiSessions[0]?.certFingerprints[0] ?? '', /^[0-9a-f]{40}$/);
  await hosting.currentApiSession.delete({});
  assert.deepEqual(apiSessionRemoved.decode((await router.next(apiSessionRemoved)).body), { tokens: [hosting.token], ids: [hosting.id] });
});

test('a client hosts a service by a router, and another one reaches it', async () => {
  await using at = await traffic();
  const { router, network, serviceId, host, client } = at;
  assert.partialDeepStrictEqual(await bindBy(at, 'terminator-1'), { terminatorId: 'terminator-1', result: 'success', msg: '' });
  const [shown] = (await network.controller.api.terminators.list({})).data;
  assert.partialDeepStrictEqual(shown, { id: 'terminator-1', binding: 'edge', address: 'terminator-1', serviceId, routerId: at.fra1.id });
  assert.equal((await bindBy(at, 'terminator-1')).result, 'success');

  const made = await dialBy(at);
  assert.ok(made.isMade);
  const asked = route.decode((await router.next(route)).body);
  const ingress = circuitHeader.address.required(made.answer);
  const egress = asked.egress?.address ?? '';
  assert.deepEqual(asked, {
    circuitId: made.id,
    attempt: 0,
    egress: { binding: 'edge', address: egress, destination: 'terminator-1', peerData: new Map([[KEY, CLIENT_KEY]]) },
    forwards: [
      { srcAddress: ingress, dstAddress: egress, dstType: 'end' },
      { srcAddress: egress, dstAddress: ingress, dstType: 'start' },
    ],
    context: undefined,
    timeout: 10_000_000_000n,
    tags: new Map([
      ['serviceId', serviceId],
      ['clientId', client.id],
      ['hostId', host.id],
    ]),
  });
  assert.deepEqual(circuitHeader.peerData.in(made.answer), new Map([[KEY, HOST_KEY]]));

  // Both ends say that it has ended: it is taken down once.
  router.send(fault, { subject: 'ingress', id: made.id });
  router.send(fault, { subject: 'egress', id: made.id });
  assert.deepEqual(unroute.decode((await router.next(unroute)).body), { circuitId: made.id, now: false });
  router.send(fault, { subject: 'forward', id: `${made.id} unknown` });
  for (const circuitId of [made.id, 'unknown'])
    assert.deepEqual(unroute.decode((await router.next(unroute)).body), { circuitId, now: true });
});

test('a router that removes a terminator, or is gone, hosts it no more', async () => {
  await using at = await traffic();
  const { router, network } = at;
  await bindBy(at, 'one');
  await bindBy(at, 'two');
  await router.request(removeTerminators, { terminatorIds: ['one', 'unknown'] });
  assert.deepEqual(
    (await network.controller.api.terminators.list({})).data.map(({ id }) => id),
    ['two'],
  );
  router.close();
  await until(() => at.log().includes('info: the connection of a router has ended (the connection was lost)'));
  const again = await at.fra1.dial({ port: at.port });
  const refused = await dialBy({ ...at, router: again });
  assert.deepEqual([refused.isMade, refused.said], [false, `service ${at.serviceId} has no terminators`]);
  assert.equal((await bindBy({ ...at, router: again }, 'two')).result, 'success');
});

test('a router that connects again has a minute to create its terminators anew; it is asked about the others, which go', async () => {
  await using at = await traffic();
  const { network, router } = at;
  for (const address of ['again', 'gone']) await bindBy(at, address);
  router.close();
  await until(() => at.log().includes('info: the connection of a router has ended (the connection was lost)'));
  const asked: string[] = [];
  const validated: NonNullable<Parameters<typeof at.fra1.dial>[0]['script']> = {
    ...routed,
    [validateTerminators.name]: (frame, to) => {
      const { terminators } = validateTerminators.decode(frame.body);
      asked.push(...terminators.map(({ id }) => id));
      const states = terminators.map(({ id, marker }) => [id, { valid: false, marker }] as const);
      to.answer(frame, validateTerminatorsResponse, { states: new Map(states) });
    },
  };
  const back = { ...at, router: await at.fra1.dial({ port: at.port, script: validated }) };
  await network.advance('50s');
  assert.deepEqual(asked, []);
  assert.equal((await bindBy(back, 'again')).result, 'success');
  assert.equal((await dialBy(back)).isMade, true);
  await network.advance('20s');
  await until(async () => (await network.controller.api.terminators.list({})).data.length === 1);
  assert.deepEqual(asked, ['gone']);
  assert.equal((await dialBy(back)).isMade, true);
});

test('a right that is taken away ends what stands on it, on the router', async () => {
  const ways: Readonly<Record<string, (at: Awaited<ReturnType<typeof traffic>>) => Promise<unknown>>> = {
    'the policy': ({ network, dialPolicy }) => network.controller.api.servicePolicies.delete({ id: dialPolicy }),
    'the identity': ({ network, client }) => network.controller.api.identities.disable({ id: client.id, body: { durationMinutes: 0 } }),
    'its role': ({ network, client }) => network.controller.api.identities.patch({ id: client.id, body: { roleAttributes: [] } }),
    'the API session': ({ dialing }) => dialing.currentApiSession.delete({}),
    'the service': ({ network, serviceId }) => network.controller.api.services.delete({ id: serviceId }),
    'the router for clients': async ({ network }) => {
      const { data } = await network.controller.api.edgeRouterPolicies.list({});
      await network.controller.api.edgeRouterPolicies.patch({ id: data[0]?.id ?? '', body: { identityRoles: ['#hosts'] } });
    },
  };
  for (const [way, take] of Object.entries(ways)) {
    await using at = await traffic();
    await bindBy(at, 'terminator');
    const made = await dialBy(at);
    assert.ok(made.isMade, way);
    await take(at);
    assert.deepEqual(unroute.decode((await at.router.next(unroute)).body), { circuitId: made.id, now: true }, way);
  }
});

test('a right that ends by itself ends what stands on it, on the router, at that moment', async () => {
  const ways: Readonly<Record<string, (at: Awaited<ReturnType<typeof traffic>>, validUntil: string) => Promise<unknown>>> = {
    'the policy': ({ network, dialPolicy }, validUntil) =>
      network.controller.api.servicePolicies.patch({ id: dialPolicy, body: { validUntil, reason: 'ticket 7' } }),
    'its role': ({ network, client }, validUntil) =>
      network.controller.api.identities.patch({ id: client.id, body: { roleAttributeGrants: { clients: { validUntil } } } }),
  };
  for (const [way, limit] of Object.entries(ways)) {
    await using at = await traffic();
    await limit(at, new Date(at.network.clock.now() + 60_000).toISOString());
    await bindBy(at, 'terminator');
    const made = await dialBy(at);
    assert.ok(made.isMade, way);
    at.network.clock.advance('59s');
    assert.equal((await dialBy(at)).isMade, true, `${way}: until then`);
    at.network.clock.advance('1s');
    const { circuitId, now } = unroute.decode((await at.router.next(unroute)).body);
    assert.equal(now, true, way);
    assert.ok(circuitId !== '', way);
    await assert.rejects(dialBy(at), { code: 'NOT_FOUND' }, `${way}: from then on`);
    await until(async () => (await at.network.controller.api.circuits.list({})).data.length === 0);
  }
});

test('a host that may host no more loses its terminator, with the circuits to it', async () => {
  await using at = await traffic();
  const { router, network } = at;
  await bindBy(at, 'terminator');
  const made = await dialBy(at);
  assert.ok(made.isMade);
  await network.controller.api.servicePolicies.delete({ id: at.bindPolicy });
  assert.deepEqual(unroute.decode((await router.next(unroute)).body), { circuitId: made.id, now: true });
  await router.next(sessionRemoved);
  await until(async () => (await network.controller.api.terminators.list({})).data.length === 0);
});

test('who may not is refused, with a reason and a code', async () => {
  await using at = await traffic();
  const { hosting, dialing, serviceId } = at;
  const bindToken = await tokenFor(hosting, serviceId, 'Bind');
  const dialToken = await tokenFor(dialing, serviceId, 'Dial');
  const codeOf = async (change: Parameters<typeof dialBy>[1]) => {
    const { isMade, said, answer } = await dialBy(at, change);
    return [isMade, said, edgeHeader.errorCode.in(answer)];
  };
  assert.deepEqual(await codeOf({}), [false, `service ${at.serviceId} has no terminators`, 1]);
  await bindBy(at, 'terminator');
  assert.deepEqual(await codeOf({ token: bindToken }), [false, 'this session is not for dialing', 4]);
  assert.deepEqual(await codeOf({ token: `${dialToken}x` }), [false, 'invalid session', 3]);
  assert.deepEqual(await codeOf({ key: undefined }), [false, `service ${serviceId} requires encryption, but the client sent no key`, 11]);
  const withOtherData = await dialBy(at, { peerData: new Map([[1100, Uint8Array.of(1)]]) });
  assert.deepEqual([withOtherData.isMade, edgeHeader.errorCode.in(withOtherData.answer)], [false, 11]);
  assert.deepEqual(await bindBy(at, 'other', dialToken), {
    terminatorId: 'other',
    result: 'invalidSession',
    msg: 'this session is not for binding',
    errorCode: 4,
    retryHint: 'startOver',
  });
  // The token of one client's session with the API session of another.
  const stolen = await bindBy({ ...at, hosting: dialing }, 'stolen', bindToken);
  assert.deepEqual([stolen.result, stolen.msg], ['invalidSession', 'invalid api session']);
  const [{ jti }] = [JSON.parse(Buffer.from(dialToken.split('.')[1] ?? '', 'base64url').toString())];
  await dialing.sessions.delete({ id: jti });
  assert.deepEqual(await codeOf({ token: dialToken }), [false, 'invalid session', 3]);
  at.router.send(validateSessions, { sessionTokens: [jti, 'unknown'] });
  const removed = [
    sessionRemoved.decode((await at.router.next(sessionRemoved)).body),
    sessionRemoved.decode((await at.router.next(sessionRemoved)).body),
  ];
  assert.deepEqual(
    removed.map(({ ids }) => ids),
    [[jti], [jti, 'unknown']],
  );
});

test('a terminator that refuses is given up for the next; none is left when all refuse', async () => {
  let refusals = 1;
  await using at = await traffic({
    [route.name]: (frame, router) => {
      const { circuitId, attempt } = route.decode(frame.body);
      const isRefused = refusals-- > 0;
      const outcome = [routeHeader.attempt.of(attempt), routeHeader.success.of(!isRefused)];
      router.answer(frame, routeResult, circuitId, isRefused ? [...outcome, routeHeader.error.of('nobody listens')] : outcome);
    },
  });
  await bindBy(at, 'one');
  await bindBy(at, 'two');
  const made = await dialBy(at);
  assert.ok(made.isMade);
  assert.deepEqual(unroute.decode((await at.router.next(unroute)).body), { circuitId: made.id, now: true });
  refusals = 2;
  const { said } = await dialBy(at);
  assert.equal(said, `service ${at.serviceId} could not be reached: nobody listens`);
});

test('a refused terminator comes with an error code, and with what the host can do about it', async () => {
  await using at = await traffic();
  const { network, serviceId } = at;
  const failure = async (change: Parameters<typeof bindBy>[3], address = 'terminator', token?: string) => {
    const { result, errorCode, retryHint } = await bindBy(at, address, token, change);
    return [result, errorCode, retryHint];
  };
  assert.deepEqual(await failure({ instanceId: 'x', instanceSecret: Uint8Array.of(1) }), ['success', 0, 'default']);
  assert.deepEqual(await failure({}, 'not an address'), ['otherFailure', 1, 'notRetriable']);
  assert.deepEqual(await failure({ cost: 65_535 }, 'dear'), ['success', 0, 'default']);
  assert.deepEqual(await failure({ cost: 65_536 }), ['otherFailure', 10, 'notRetriable']);
  assert.deepEqual(await failure({ instanceId: 'i'.repeat(4096) }, 'long'), ['success', 0, 'default']);
  assert.deepEqual(await failure({ instanceId: 'i'.repeat(4097) }, 'longer'), ['otherFailure', 13, 'notRetriable']);
  assert.deepEqual(await failure({ instanceId: 'x', instanceSecret: Uint8Array.of(2) }, 'other'), ['otherFailure', 13, 'notRetriable']);
  assert.deepEqual(await failure({ apiSessionToken: at.dialing.token }), ['invalidSession', 2, 'startOver']);
  assert.deepEqual(await failure({}, 'other', 'none'), ['invalidSession', 3, 'startOver']);
  const token = await tokenFor(at.hosting, serviceId, 'Bind');
  const { second } = await withSecond(at);
  assert.equal((await bindBy({ ...at, router: second }, 'elsewhere', token)).result, 'success');
  assert.deepEqual(await failure({}, 'elsewhere', token), ['idConflict', 1, 'notRetriable']);
  for (const { id } of (await network.controller.api.edgeRouterPolicies.list({})).data)
    await network.controller.api.edgeRouterPolicies.delete({ id });
  assert.deepEqual(await failure({}, 'other', token), ['invalidSession', 5, 'startOver']);
});

test('a router that fails with nothing but an error code is quoted with what the code means', async () => {
  let sent: readonly Header[] = [];
  await using at = await traffic({
    [route.name]: (frame, router) => {
      const { circuitId, attempt } = route.decode(frame.body);
      router.answer(frame, routeResult, circuitId, [routeHeader.attempt.of(attempt), ...sent]);
    },
  });
  await bindBy(at, 'terminator');
  const said = async (...headers: readonly Header[]) => {
    sent = headers;
    return (await dialBy(at)).said?.replace(`service ${at.serviceId} could not be reached: `, '');
  };
  assert.equal(await said(routeHeader.errorCode.of(5)), 'the application that hosts the service rejected the connection');
  assert.equal(await said(routeHeader.errorCode.of(6), routeHeader.error.of('')), 'the host name of the service could not be resolved');
  assert.equal(await said(routeHeader.errorCode.of(7)), 'the port is not allowed for the service');
  assert.equal(await said(routeHeader.errorCode.of(8)), 'a router on the path does not have the link');
  assert.equal(await said(routeHeader.errorCode.of(9)), 'a router on the path has no resources left');
  assert.equal(await said(routeHeader.errorCode.of(9), routeHeader.error.of('too many files')), 'too many files');
  assert.equal(await said(routeHeader.errorCode.of(200)), 'the router gave no reason');
});

test('a router hears that a circuit does not belong to it', async () => {
  await using at = await traffic();
  await bindBy(at, 'terminator');
  const made = await dialBy(at);
  assert.ok(made.isMade);
  const ams1 = await at.network.edgeRouter('ams1');
  const other = await ams1.dial({ port: at.port });
  other.send(fault, { subject: 'ingress', id: made.id });
  other.send(circuitConfirmation, { circuitIds: [made.id] });
  assert.deepEqual(unroute.decode((await other.next(unroute)).body), { circuitId: made.id, now: true });
  at.router.send(circuitConfirmation, { circuitIds: [made.id, 'gone'] });
  assert.deepEqual(unroute.decode((await at.router.next(unroute)).body), { circuitId: 'gone', now: true });
});

test('a request for a circuit that is malformed ends the connection of its router', async () => {
  await using at = await traffic();
  await assert.rejects(at.router.request(createCircuit, '', {}), /closed the connection/);
  assert.ok(at.log().includes('info: the connection of a router has ended (header 11 is missing)'));
});

test('a router that does not answer in time is given up, and told to forget the circuit', async () => {
  await using at = await traffic({});
  await bindBy(at, 'terminator');
  const dialed = dialBy(at);
  const { circuitId } = route.decode((await at.router.next(route)).body);
  // Less than the router itself waits for its circuit.
  at.network.clock.advance('10s');
  assert.deepEqual(unroute.decode((await at.router.next(unroute)).body), { circuitId, now: true });
  const { isMade, said } = await dialed;
  assert.deepEqual([isMade, said], [false, `service ${at.serviceId} could not be reached: there was no answer for 10 s`]);
});
