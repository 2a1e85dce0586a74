import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries } from '../../src/controller/entries.ts';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { ann, refusal } from '../support/client.ts';

onEveryStore('the facade', (open) => {
  test('every operation of the table is a function of its group', async () => {
    await using app = await open();
    for (const { group, verb } of entries) {
      for (const facade of [app.controller.api, app.controller.system, app.controller.as(app.admin)]) {
        const operations = Reflect.get(facade, group);
        assert.equal(typeof operations[verb], 'function', `${group}.${verb}`);
      }
    }
  });

  test('a value that is not JSON, or that no store can hold, is refused in process as it is over HTTP', async () => {
    await using app = await open();
    const itself: Record<string, unknown> = {};
    itself.self = itself;
    for (const value of [1n, () => {}, Symbol('x'), Number.NaN, Number.POSITIVE_INFINITY, itself, 'a\u0000b', '\ud800']) {
      const made = app.controller.api.identities.create({ body: { ...ann, appData: { value } } });
      await assert.rejects(made, refusal(400, 'COULD_NOT_PARSE_BODY'));
    }
    assert.equal((await app.controller.api.identities.list({ filter: 'name = "ann"' })).pagination.totalCount, 0);
  });

  test('what was handed in can be changed afterwards without harm, and undefined is not given', async () => {
    await using app = await open();
    const appData = { deep: { list: [1] } };
    const { id } = await app.controller.api.identities.create({ body: { ...ann, appData, externalId: undefined } });
    appData.deep.list.push(2);
    assert.deepEqual((await app.controller.api.identities.get({ id })).appData, { deep: { list: [1] } });
  });

  test('what the facade answers is what HTTP answers', async () => {
    await using app = await open();
    const user = await app.user();
    const { controller } = app;
    const json = (value: unknown) => JSON.parse(JSON.stringify(value));
    assert.deepEqual(
      json(await controller.api.identities.get({ id: user.id })),
      (await app.request('GET', `/identities/${user.id}`)).body.data,
    );
    assert.deepEqual(json((await controller.api.authenticators.list()).data), (await app.request('GET', '/authenticators')).body.data);
    assert.deepEqual(json(await controller.api.informational.version()), (await app.request('GET', '/version')).body.data);
    assert.deepEqual(json(await controller.api.informational.summary()), (await app.request('GET', '/summary')).body.data);
  });

  test('refusals are errors with status, code and cause, the same as over HTTP', async () => {
    await using app = await open();
    const { identities } = app.controller.api;
    await assert.rejects(identities.create({ body: { ...ann, name: '' } }), refusal(400, 'COULD_NOT_VALIDATE', 'name'));
    await assert.rejects(
      identities.create({ body: { ...ann, roleAttributes: ['#x'] } }),
      refusal(400, 'COULD_NOT_VALIDATE', 'roleAttributes'),
    );
    await assert.rejects(identities.list({ filter: 'nope = 1' }), refusal(400, 'INVALID_FILTER'));
    await assert.rejects(identities.list({ limit: 1.5 }), refusal(400, 'COULD_NOT_VALIDATE', 'limit'));
    await assert.rejects(identities.patch({ id: 'no-such-id', body: {} }), refusal(404, 'NOT_FOUND'));
    await assert.rejects(
      app.controller.api.authPolicies.delete({ id: 'default' }),
      refusal(409, 'CAN_NOT_DELETE_REFERENCED_ENTITY', 'authPolicyId'),
    );
  });

  test('input that the types would refuse is refused at run time, not half carried out', async () => {
    await using app = await open();
    const { identities } = app.controller.api as unknown as Record<'identities', Record<string, (input?: unknown) => Promise<unknown>>>;
    const left = await app.trail(async () => {
      await assert.rejects(async () => identities.get?.(), refusal(400, 'COULD_NOT_VALIDATE', 'id'));
      await assert.rejects(async () => identities.get?.({ id: 5 }), refusal(400, 'COULD_NOT_VALIDATE', 'id'));
      await assert.rejects(async () => identities.create?.(), refusal(400, 'COULD_NOT_VALIDATE', 'identity'));
      await assert.rejects(async () => identities.create?.(null), refusal(400, 'COULD_NOT_VALIDATE', 'identity'));
      await assert.rejects(async () => identities.create?.({ body: 'text' }), refusal(400, 'COULD_NOT_PARSE_BODY'));
      await assert.rejects(async () => identities.create?.({ body: { ...ann, isAdmin: 'yes' } }), refusal(400, 'COULD_NOT_PARSE_BODY'));
    });
    assert.deepEqual(left, []);
  });

  test('as a session the facade has the rights of its identity, judged anew at every call', async () => {
    await using app = await open();
    const { controller } = app;
    const user = await app.user();
    const session = await controller.api.authentication.authenticate({
      method: 'password',
      body: { username: user.username, password: PASSWORD },
    });
    const own = controller.as(session);
    assert.equal((await own.currentIdentity.get()).id, user.id);
    assert.equal((await own.currentApiSession.get()).token, session.token);
    await assert.rejects(own.identities.list(), refusal(401, 'UNAUTHORIZED'));
    await assert.rejects(own.apiSessions.delete({ id: session.id }), refusal(403, 'UNAUTHORIZED'));
    await controller.api.identities.patch({ id: user.id, body: { isAdmin: true } });
    assert.equal((await own.identities.list()).pagination.totalCount, 2);
    await controller.api.identities.disable({ id: user.id, body: { durationMinutes: 1 } });
    await assert.rejects(own.identities.list(), refusal(401, 'UNAUTHORIZED'));
  });

  test('a token that opens nothing over HTTP opens nothing here', async () => {
    await using app = await open();
    const { controller } = app;
    const { id } = (await app.request('GET', '/current-api-session')).body.data;
    for (const token of ['', 'system', 'nonsense', id, '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f', { token: null }, { token: id }]) {
      await assert.rejects(controller.as(token).identities.list(), refusal(401, 'UNAUTHORIZED'));
    }
  });

  test("the host's own code has no session and no identity of its own", async () => {
    await using app = await open();
    const { system } = app.controller;
    await assert.rejects(system.currentIdentity.get(), refusal(401, 'UNAUTHORIZED'));
    await assert.rejects(system.currentApiSession.get(), refusal(401, 'UNAUTHORIZED'));
    await assert.rejects(system.currentApiSession.delete(), refusal(401, 'UNAUTHORIZED'));
  });

  test('change records name who did it', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    const as = app.controller.as(await user.login());
    await as.identities.create({ body: ann });
    await app.controller.api.identities.create({ body: { ...ann, name: 'bob' } });
    const [byUser, bySystem] = (await app.rows('change')).slice(-2);
    assert.deepEqual([byUser?.actor, bySystem?.actor], [user.id, 'system']);
    assert.notEqual(byUser?.requestId, bySystem?.requestId);
  });

  test('a call whose signal is aborted leaves nothing', async () => {
    await using app = await open();
    const left = await app.trail(async () => {
      await assert.rejects(app.controller.api.identities.create({ body: ann }, { signal: AbortSignal.abort(new Error('gone')) }), /gone/);
      const abort = new AbortController();
      const late = app.controller.api.identities.create({ body: ann }, { signal: abort.signal });
      abort.abort(new Error('gone'));
      await assert.rejects(late, /gone/);
    });
    assert.deepEqual(left, []);
  });

  test('what is handed out or in is not what is stored: changing it changes nothing', async () => {
    await using app = await open();
    const { configs, configTypes } = app.controller.api;
    const type = await configTypes.create({ body: { name: 'a type' } });
    const data = { list: [1], deep: { a: 1 } };
    const { id } = await configs.create({ body: { name: 'a config', configTypeId: type.id, data } });
    data.list.push(2);
    data.deep.a = 2;
    const read = await configs.get({ id });
    assert.deepEqual(read.data, { list: [1], deep: { a: 1 } });
    try {
      Object.assign(read.data, { list: [], deep: null });
    } catch {} // frozen is as good as copied
    assert.deepEqual((await configs.get({ id })).data, { list: [1], deep: { a: 1 } });
  });

  test('documents are given as text with their media type', async () => {
    await using app = await open();
    const { contentType, body } = await app.controller.api.informational.openapi();
    assert.equal(contentType, 'application/json');
    assert.match(JSON.parse(String(body)).openapi, /^3\.1\./);
  });

  test('a closed controller refuses calls rather than lose them', async () => {
    const app = await open();
    await app.close();
    await assert.rejects(app.controller.api.identities.create({ body: ann }), refusal(503, 'SERVER_UNAVAILABLE'));
    const answer = await app.request('GET', '/identities');
    assert.deepEqual([answer.status, answer.body.error.code], [503, 'SERVER_UNAVAILABLE']);
    assert.ok(Number(answer.headers['retry-after']) > 0);
  });
});
