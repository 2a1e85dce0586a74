import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { costOf, counting } from '../support/counting.ts';
import { list } from '../support/lists.ts';
import { network } from '../support/network.ts';
import { anotherSession, checkOf, client } from '../support/posture.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { ask, begin, dialGround, isThere } from '../support/sessions.ts';
import { newStorage } from '../support/stores.ts';

const CLIENT = '/edge/client/v1';

onEveryStore('sessions', (open, store) => {
  test('a session is granted with the routers that lead to the service, and a token that says whose it is', proves(421), async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    const policy = await net.dial(staff);
    const { status, body } = await app.request('POST', `${CLIENT}/sessions`, { as: ann.as, body: { serviceId: wiki, tags: { a: 'b' } } });
    const { token, ...rest } = body.data;
    const router = {
      name: 'r',
      hostname: '',
      isOnline: false,
      supportedProtocols: {},
      urls: {},
      syncStatus: 'SYNC_UNKNOWN',
      cost: 0,
      noTraversal: false,
      disabled: false,
    };
    assert.equal(status, 201);
    assert.deepEqual(rest, {
      _links: null,
      createdAt: null,
      updatedAt: null,
      apiSession: null,
      service: null,
      id: rest.id,
      apiSessionId: ann.sessionId,
      serviceId: wiki,
      identityId: ann.id,
      type: 'Dial',
      edgeRouters: [router],
    });
    const { iat = 0, exp = 0, ...claims } = decodeJwt(token);
    assert.deepEqual(claims, {
      iss: 'https://127.0.0.1:1280/',
      sub: wiki,
      aud: ['openziti'],
      jti: rest.id,
      z_asid: ann.sessionId,
      z_iid: ann.id,
      z_t: 's',
      z_st: 'Dial',
      z_leg: true,
    });
    assert.deepEqual([iat, exp - iat], [Math.floor(app.clock.now() / 1000), 31_557_600]);
    const network = (await app.request('GET', '/network-jwts', { as: null })).body.data[0].token;
    assert.equal(decodeProtectedHeader(token).kid, decodeProtectedHeader(network).kid);
    const { createdAt, updatedAt, ...detail } = (await ann.get(`/sessions/${rest.id}`)).body.data;
    assert.ok(createdAt && updatedAt);
    assert.deepEqual(
      {
        ...detail,
        apiSession: detail.apiSession.id,
        service: detail.service.name,
        servicePolicies: detail.servicePolicies.map(({ id }: { id: string }) => id),
      },
      {
        _links: { self: { href: `./sessions/${rest.id}` }, 'route-path': { href: `./sessions/${rest.id}/route-path` } },
        id: rest.id,
        token: rest.id,
        tags: { a: 'b' },
        apiSession: ann.sessionId,
        apiSessionId: ann.sessionId,
        service: 'wiki',
        serviceId: wiki,
        identityId: ann.id,
        type: 'Dial',
        edgeRouters: [router],
        servicePolicies: [policy],
      },
    );
    assert.deepEqual((await app.request('GET', `/sessions/${rest.id}/route-path`)).body.data, { routePath: [] });
    await net.bind(staff);
    assert.equal(decodeJwt((await ask(app, ann, wiki, 'Bind')).body.data.token).z_st, 'Bind');
  });

  test('an API session has one session for each service and type, and asking again writes nothing', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    await net.dial(staff);
    await net.bind(staff);
    const dial = await begin(app, ann, wiki);
    assert.deepEqual(await app.trail(async () => assert.equal(await begin(app, ann, wiki), dial)), []);
    const bind = await begin(app, ann, wiki, 'Bind');
    const elsewhere = await begin(app, await anotherSession(app, ann), wiki);
    assert.equal(new Set([dial, bind, elsewhere]).size, 3);
    assert.equal((await ann.get('/sessions')).body.data.length, 3);
    const ofType = await list(app, '/sessions', { filter: `type = "Bind" and service = "${wiki}" and token = "${bind}"` });
    assert.deepEqual(
      ofType.body.data.map(({ id }: { id: string }) => id),
      [bind],
    );
    const ofLogin = await list(app, '/sessions', { filter: `apiSession = "${ann.sessionId}"` });
    assert.equal(ofLogin.body.data.length, 2);
  });

  test('two that ask at once get the same session', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    await net.dial(staff);
    const answers = await Promise.all([1, 2, 3, 4].map(() => begin(app, ann, wiki)));
    assert.equal(new Set(answers).size, 1);
    assert.equal((await app.rows('session')).length, 1);
  });

  test('a session is refused in the order that clients know: service, right, posture, routers', proves(421), async () => {
    await using app = await open();
    const { net, ann, wiki, router, staff } = await dialGround(app);
    assertRefused(await ask(app, ann, 'no-such-service'), 404, 'NOT_FOUND');
    assertRefused(await ask(app, ann, wiki), 404, 'NOT_FOUND');
    assertRefused(await app.request('POST', `${CLIENT}/sessions`, { as: ann.as, body: {} }), 404, 'NOT_FOUND');
    const check = await checkOf(app, 'domain', { typeId: 'DOMAIN', domains: ['a.test'] });
    const policy = await net.dial({ ...staff, checks: [`@${check}`] });
    assertInvalid(await ask(app, ann, wiki, 'Bind'), 'ServiceId');
    for (const type of ['Invalid', 'Both', 'dial'])
      assertInvalid(await app.request('POST', `${CLIENT}/sessions`, { as: ann.as, body: { serviceId: wiki, type } }), 'type');
    await app.request('DELETE', `/edge-routers/${router}`);
    const { status, body } = await ask(app, ann, wiki);
    assert.deepEqual([status, body.error.code], [409, 'INVALID_POSTURE']);
    assert.deepEqual(body.error.cause.data, { [policy]: [{ id: check, typeId: 'DOMAIN', isPassing: false }] });
    await ann.tell({ typeId: 'DOMAIN', id: check, domain: 'a.test' });
    assertRefused(await ask(app, ann, wiki), 400, 'NO_EDGE_ROUTERS_AVAILABLE');
    assert.deepEqual(await app.rows('session'), []);
  });

  test("an administrator's client sees every service, and may dial those that a policy grants", async () => {
    await using app = await open();
    const { net, wiki } = await dialGround(app);
    const boss = await client(app, { isAdmin: true });
    assertInvalid(await ask(app, boss, wiki), 'ServiceId');
    await net.dial({ identities: [`@${boss.id}`], services: ['#all'] });
    await begin(app, boss, wiki);
  });

  test('sessions are seen and ended by their identity and by administrators, and are not there for anybody else', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    await net.dial(staff);
    const bob = await client(app, { roleAttributes: ['staff'] });
    const id = await begin(app, ann, wiki);
    const others = await begin(app, bob, wiki);
    for (const prefix of ['', CLIENT]) {
      assert.deepEqual(
        (await app.request('GET', `${prefix}/sessions`, { as: bob.as })).body.data.map((one: { id: string }) => one.id),
        [others],
      );
      for (const method of ['GET', 'DELETE'])
        assertRefused(await app.request(method, `${prefix}/sessions/${id}`, { as: bob.as }), 404, 'NOT_FOUND');
    }
    assert.equal((await app.request('GET', '/sessions')).body.data.length, 2);
    assertRefused(await app.request('POST', '/sessions', { as: ann.as, body: { serviceId: wiki } }), 405, 'METHOD_NOT_ALLOWED');
    assert.equal((await app.request('DELETE', `${CLIENT}/sessions/${id}`, { as: ann.as })).status, 200);
    assert.equal(await isThere(app, ann, id), false);
    assert.equal((await app.request('DELETE', `/sessions/${others}`)).status, 200);
    assert.deepEqual(await app.rows('session'), []);
  });

  test("a session's token opens the list of routers, and any other is refused", async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    await net.dial(staff);
    const bob = await client(app, { roleAttributes: ['staff'] });
    const token = async (who: { as: string }) => (await ask(app, who, wiki)).body.data.token;
    const [own, others] = [await token(ann), await token(bob)];
    const look = (sessionToken: string) =>
      app.request('GET', `${CLIENT}/services/${wiki}/edge-routers`, { as: ann.as, headers: { 'session-token': sessionToken } });
    assert.equal((await look(own)).body.data.edgeRouters.length, 1);
    const network = (await app.request('GET', '/network-jwts', { as: null })).body.data[0].token;
    for (const bad of ['junk', '', others, network, `${own}x`]) assertRefused(await look(bad), 401, 'UNAUTHORIZED');
    await app.request('DELETE', `${CLIENT}/sessions/${decodeJwt(own).jti}`, { as: ann.as });
    assertRefused(await look(own), 401, 'UNAUTHORIZED');
  });

  test('in process a session is asked for, seen and ended by the same operations', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    await net.dial(staff);
    const own = app.controller.as(ann.as);
    const { id, edgeRouters } = await own.sessions.create({ body: { serviceId: wiki, type: 'Dial' } });
    assert.deepEqual(
      edgeRouters.map(({ name }) => name),
      ['r'],
    );
    assert.deepEqual(
      (await app.controller.api.sessions.list({})).data.map((one) => one.id),
      [id],
    );
    await assert.rejects(app.controller.api.sessions.create({ body: { serviceId: wiki } }), { code: 'UNAUTHORIZED' });
    await own.sessions.delete({ id });
    await assert.rejects(own.sessions.get({ id }), { code: 'NOT_FOUND' });
  });

  test('each session of a list has its own routers, twenty-five at most, however many the others have', async () => {
    await using app = await open();
    const net = network(app);
    const ann = await client(app, { roleAttributes: ['staff'] });
    await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
    await net.dial({ identities: ['#staff'], services: ['#all'] });
    const expected = new Map<string, number>();
    for (const [name, count] of [
      ['few', 20],
      ['some', 25],
      ['many', 26],
    ] as const) {
      const service = await net.service(name, name);
      await net.routersOfServices({ services: [`#${name}`], routers: [`#${name}`] });
      for (let i = 0; i < count; i++) await net.router(`${name} ${i}`, name);
      await begin(app, ann, service);
      expected.set(name, Math.min(count, 25));
    }
    for (const session of (await app.request('GET', '/sessions')).body.data) {
      const { service, edgeRouters } = session;
      assert.equal(edgeRouters.length, expected.get(service.name), service.name);
      for (const { name } of edgeRouters) assert.ok(name.startsWith(service.name), `${name} for ${service.name}`);
    }
  });

  test('a page of sessions costs the same, however many there are on it', async () => {
    const storage = counting(newStorage(store));
    await using app = await open({ storage, settings: { roleIndexBytes: 0 } });
    const { net, ann, staff } = await dialGround(app);
    await net.dial(staff);
    const costs: number[] = [];
    for (const more of [2, 6]) {
      for (let i = 0; i < more; i++) await begin(app, ann, await net.service(`${more} ${i}`, 'web'));
      await app.forget();
      costs.push(await costOf(() => app.request('GET', '/sessions?limit=100')));
    }
    assert.equal(costs[0], costs[1]);
    assert.ok((costs[0] ?? 0) <= 20, `${costs[0]}`);
  });
});
