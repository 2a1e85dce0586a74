import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUnreadAnswers } from '../../src/http/unread-answers.ts';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const VERSIONS = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' };
const ann = { name: 'ann', type: 'User', isAdmin: false } as const;
const kinds: Readonly<Record<string, object>> = {
  '/identities': ann,
  '/auth-policies': policyBody('ann'),
  '/config-types': { name: 'ann' },
};

onEveryStore('conventions of every answer', (open) => {
  test('every answer is JSON and tells the versions of the API, errors too', proves(1, 18, 473), async () => {
    await using app = await open();
    const id = await app.create('/identities', ann);
    const identityRoles = Array.from({ length: 3000 }, (_, i) => `#attribute-${i}`);
    const large = await app.create('/edge-router-policies', { name: 'p', semantic: 'AnyOf', identityRoles });
    for (const [method, path, body] of [
      ['GET', '/version'],
      ['GET', '/identities'],
      ['GET', '/edge-router-policies'],
      ['GET', `/edge-router-policies/${large}`],
      ['GET', '/database/data-integrity-results'],
      ['GET', '/nope'],
      ['POST', '/identities'],
      ['POST', '/identities', { ...ann, name: 'bob' }],
      ['GET', '/current-identity'],
      ['GET', '/summary'],
      ['GET', '/specs'],
      ['PUT', '/identities'],
      ['PATCH', `/identities/${id}`, { tags: {} }],
      ['POST', `/identities/${id}/disable`, { durationMinutes: 1 }],
      ['DELETE', `/identities/${id}`],
    ] as const) {
      const { headers, body: answer } = await app.request(method, path, body === undefined ? {} : { body });
      const { apiVersion, apiEnrollmentVersion } = answer.meta;
      assert.equal(headers['content-type'], 'application/json', `${method} ${path}`);
      assert.deepEqual({ apiEnrollmentVersion, apiVersion }, VERSIONS, `${method} ${path}`);
    }
  });

  test('an operation of administrators is found under its prefix alone', proves(2, 472), async () => {
    await using app = await open();
    assert.equal((await app.request('GET', '/edge/management/v1/identities')).status, 200);
    for (const prefix of ['/edge', '/edge/management', '/edge/management/v2', '/edge/v1', '/edge/client/v1', '/fabric/v1', '/oidc'])
      assert.equal((await app.request('GET', `${prefix}/identities`)).status, 404, prefix);
  });

  test('a create answers 201 with the id and the place of what was made', proves(17, 21, 295, 305), async () => {
    await using app = await open();
    for (const [collection, body] of Object.entries(kinds)) {
      const { status, body: answer } = await app.request('POST', collection, { body });
      const { id } = answer.data;
      assert.equal(status, 201);
      assert.deepEqual(answer, { data: { _links: { self: { href: `.${collection}/${id}` } }, id }, meta: VERSIONS });
      assert.match(id, /^[A-Za-z0-9_][A-Za-z0-9._-]{7,63}$/);
    }
  });

  test('replace, patch and delete answer with an empty object', proves(17, 22, 306, 307, 308), async () => {
    await using app = await open();
    for (const [collection, body] of Object.entries(kinds)) {
      const id = await app.create(collection, body);
      for (const [method, sent] of [
        ['PUT', body],
        ['PATCH', { tags: {} }],
        ['DELETE', undefined],
      ] as const) {
        const answer = await app.request(method, `${collection}/${id}`, { body: sent });
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.body, { data: {}, meta: VERSIONS });
      }
    }
  });

  test('an accepted replace or patch moves updatedAt on, a refused one does not', proves(24), async () => {
    await using app = await open();
    for (const [collection, body] of Object.entries(kinds)) {
      const id = await app.create(collection, body);
      const read = async () => (await app.request('GET', `${collection}/${id}`)).body.data;
      const updatedAt = async () => (await read()).updatedAt;
      const { createdAt } = await read();
      for (const [method, sent] of [
        ['PUT', body],
        ['PATCH', { tags: { a: 'b' } }],
      ] as const) {
        app.clock.advance('1m');
        await app.request(method, `${collection}/${id}`, { body: sent });
        assert.equal(await updatedAt(), new Date(app.clock.now()).toISOString(), `${method} ${collection}`);
      }
      const before = await updatedAt();
      app.clock.advance('1m');
      assertInvalid(await app.request('PATCH', `${collection}/${id}`, { body: { name: '' } }), 'name');
      assert.deepEqual([await updatedAt(), (await read()).createdAt], [before, createdAt]);
    }
  });

  test('an error has a code, a message, an id of its own, and a cause', proves(458), async () => {
    await using app = await open();
    const ids = new Set<string>();
    for (let i = 0; i < 5; i++) {
      const { body } = await app.request('POST', '/identities', { body: { ...ann, defaultHostingCost: 65536 } });
      const { requestId, ...error } = body.error;
      ids.add(requestId);
      assert.deepEqual(error, {
        code: 'COULD_NOT_VALIDATE',
        message: 'The supplied request contains an invalid document or no valid accept content were available, see cause',
        cause: { field: 'defaultHostingCost', reason: 'defaultHostingCost in body should be less than or equal to 65535', value: '65536' },
      });
      assert.equal(body.data, undefined);
    }
    assert.equal(ids.size, 5);
  });

  test('of several faults the first by name is reported', proves(445), async () => {
    await using app = await open();
    assertInvalid(
      await app.request('POST', '/identities', { body: { name: '', type: 'x', isAdmin: false, defaultHostingCost: -1 } }),
      'defaultHostingCost',
    );
    assertInvalid(await app.request('POST', '/auth-policies', { body: {} }), 'name');
  });

  test('what is not there is 404 with the kind and the id that were asked for', proves(304, 450), async () => {
    await using app = await open();
    for (const [collection, kind] of [
      ['/identities', 'identity'],
      ['/auth-policies', 'authPolicy'],
      ['/config-types', 'configType'],
      ['/configs', 'config'],
      ['/authenticators', 'authenticator'],
      ['/api-sessions', 'apiSession'],
      ['/identity-types', 'identityType'],
    ] as const) {
      const { status, body } = await app.request('GET', `${collection}/no-such-id`);
      assert.equal(status, 404);
      assert.deepEqual(
        [body.error.code, body.error.cause],
        ['NOT_FOUND', { code: 'UNHANDLED', message: `${kind} with id no-such-id not found` }],
      );
    }
  });

  test('a body is validated before rights are looked at, and rights before existence', async () => {
    await using app = await open();
    const as = await (await app.user()).login();
    assertInvalid(await app.request('POST', '/identities', { as, body: {} }), 'isAdmin');
    assertRefused(await app.request('POST', '/identities', { as, body: ann }), 401, 'UNAUTHORIZED');
    assertRefused(await app.request('GET', '/identities/no-such-id', { as }), 401, 'UNAUTHORIZED');
    assertRefused(await app.request('POST', '/identities', { as: null, body: {} }), 401, 'UNAUTHORIZED');
  });

  test('fields that a version does not know are ignored, so that newer clients get on with it', proves(478), async () => {
    await using app = await open();
    const id = await app.create('/identities', { ...ann, aFieldOfTomorrow: { deep: [1] }, constructor: 'x' });
    assert.equal((await app.request('PATCH', `/identities/${id}`, { body: { name: 'bob', aFieldOfTomorrow: true } })).status, 200);
    assert.equal((await app.request('GET', `/identities/${id}?aParameterOfTomorrow=1`)).body.data.name, 'bob');
  });

  test('a client that does not read its answers is asked to come back later for its lists', proves(303, 414, 456), async () => {
    await using app = await open();
    const unread = createUnreadAnswers({ maxUnreadBytesPerSession: 1, stalledAnswerMs: 3_600_000 });
    const held = unread.open(app.admin, () => assert.fail('it was broken off'));
    held.add(1);
    try {
      const lists = Array.from({ length: 17 }, () => app.request('GET', '/identities', { unread }));
      const refused = await Promise.race(lists);
      assertRefused(refused, 429, 'SERVER_TOO_MANY_REQUESTS');
      assert.equal(refused.headers['retry-after'], '1');
      held.end();
      assert.deepEqual((await Promise.all(lists)).map(({ status }) => status).toSorted(), [...Array(16).fill(200), 429]);
    } finally {
      held.end();
    }
  });
});
