import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';

const X = '/edge/management/extensions/v1';

onEveryStore('the audit', (open) => {
  test('says who did what to which entity, from where, for whom and why, newest first', async () => {
    await using app = await open();
    const ann = await app.user({ name: 'ann', isAdmin: true });
    const as = await ann.login();
    const { body } = await app.request('POST', '/services', {
      as,
      address: '192.0.2.7',
      headers: { 'x-change-reason': Buffer.from('für Prüfung #12').toString('latin1'), 'x-request-id': 'r-1' },
      body: { name: 'printer', encryptionRequired: true },
    });
    await app.controller.api.services.patch(
      { id: body.data.id, body: { name: 'printers' } },
      { actor: 'sso:7', onBehalfOf: 'ben', reason: 'a typo' },
    );
    const { data, pagination } = await app.controller.api.audit.list({ entityId: body.data.id });
    assert.equal(pagination.totalCount, 2);
    const [renamed, created] = data;
    assert.ok(renamed && created);
    assert.partialDeepStrictEqual(created, {
      action: 'create',
      entity: 'service',
      entityName: 'printer',
      actor: ann.id,
      actorName: 'ann',
      origin: 'http',
      operation: 'services.create',
      address: '192.0.2.7',
      requestId: 'r-1',
      reason: 'für Prüfung #12',
    });
    assert.ok(created.differences.some(({ field, before, after }) => field === 'name' && before === null && after === 'printer'));
    assert.partialDeepStrictEqual(renamed, {
      actor: 'sso:7',
      actorName: null,
      onBehalfOf: 'ben',
      reason: 'a typo',
      origin: 'facade',
      address: null,
      differences: [{ field: 'name', before: 'printer', after: 'printers' }],
    });
    assert.equal(renamed.previousHash?.length, 64);
  });

  test('answers questions by actor, kind, field, operation and time, and conditions of the filter language', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id } = await api.services.create({ body: { name: 'a', encryptionRequired: true } }, { actor: 'sso:1' });
    app.clock.advance('1m');
    const noon = new Date(app.clock.now()).toISOString();
    await api.services.patch({ id, body: { roleAttributes: ['x'] } }, { actor: 'sso:1', onBehalfOf: 'ben' });
    app.clock.advance('1m');
    await api.services.patch({ id, body: { name: 'b' } }, { actor: 'sso:2' });
    const actions = async (questions: Parameters<typeof api.audit.list>[0]) =>
      (await api.audit.list({ entityId: id, ...questions })).data.map(({ actor, differences }) => [
        actor,
        differences.length > 1 ? 'all' : differences[0]?.field,
      ]);
    const [created, attributes, name] = [
      ['sso:1', 'all'],
      ['sso:1', 'roleAttributes'],
      ['sso:2', 'name'],
    ];
    assert.deepEqual(await actions({}), [name, attributes, created]);
    assert.deepEqual(await actions({ order: 'oldest' }), [created, attributes, name]);
    assert.deepEqual(await actions({ actor: 'sso:1' }), [attributes, created]);
    assert.deepEqual(await actions({ onBehalfOf: 'ben' }), [attributes]);
    assert.deepEqual(await actions({ field: 'roleAttributes' }), [attributes]);
    assert.deepEqual(await actions({ field: 'name' }), [name, created]);
    assert.deepEqual(await actions({ operation: 'services.create' }), [created]);
    assert.deepEqual(await actions({ from: noon }), [name, attributes]);
    assert.deepEqual(await actions({ to: noon }), [created]);
    assert.deepEqual(await actions({ filter: 'actor = "sso:2" or action = "create"' }), [name, created]);
    assert.deepEqual(await actions({ limit: 1, offset: 1 }), [attributes]);
    assert.equal((await api.audit.list({ kind: 'identity', entityId: id })).data.length, 0);
    const refused = await app.request('GET', `${X}/audit?kind=cat`);
    assert.equal(refused.status, 400);
  });

  test('has the attempts of callers without a right, wrong passwords and lock-outs, within bounds', async () => {
    await using app = await open();
    await app.controller.api.authPolicies.patch({ id: 'default', body: { primary: { updb: { maxAttempts: 3 } } } });
    const user = await app.user();
    const as = await user.login();
    for (let i = 0; i < 150; i++) await app.request('GET', '/identities', { as, address: '192.0.2.9' });
    for (let i = 0; i < 20; i++) await app.login(user.username, `wrong ${i}`);
    const { data, pagination } = await app.controller.api.audit.list({ kind: 'securityEvent', limit: 500 });
    const typeOf = ({ differences }: (typeof data)[number]) => differences.find(({ field }) => field === 'type')?.after;
    const denied = data.filter((record) => typeOf(record) === 'denied');
    assert.equal(denied.length, 100);
    assert.partialDeepStrictEqual(denied[0], { actor: user.id, operation: 'identities.list', origin: 'http', address: '192.0.2.9' });
    const failed = data.filter((record) => typeOf(record) === 'loginFailed');
    assert.equal(failed[0]?.actor, 'anonymous');
    assert.deepEqual(failed[0]?.differences.find(({ field }) => field === 'identityId')?.after, user.id);
    assert.ok(data.some((record) => typeOf(record) === 'lockedOut'));
    assert.ok(pagination.totalCount <= 140);
    assert.equal((await app.controller.api.audit.verify()).isIntact, true);
  });

  test('is exported one record per line, and continues with the records to come', async () => {
    await using app = await open();
    for (let i = 0; i < 120; i++)
      await app.controller.api.services.create({ body: { name: `s${i}`, encryptionRequired: true } }, { actor: 'sso:1' });
    const { headers, text } = await app.request('GET', `${X}/audit/export?actor=sso:1`);
    assert.equal(headers['content-type'], 'application/x-ndjson');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ entityName }) => entityName),
      Array.from({ length: 120 }, (_, i) => `s${i}`),
    );
    for (const [i, { previousHash }] of lines.entries()) if (i > 0) assert.equal(previousHash, lines[i - 1].hash);
    const newestFirst = await app.request('GET', `${X}/audit/export?actor=sso:1&order=newest`);
    assert.equal(newestFirst.text, `${text.trimEnd().split('\n').toReversed().join('\n')}\n`);
    const listed = await app.request('GET', `${X}/audit?limit=1000`);
    assert.equal(listed.body.meta.pagination.limit, 500, 'what a page holds at most');
    const { revision } = await app.controller.api.audit.head();
    const { body } = await app.controller.api.audit.export({ after: revision, follow: true });
    assert.ok(body && typeof body === 'object' && Symbol.asyncIterator in body);
    const following = body[Symbol.asyncIterator]();
    const next = following.next();
    await app.controller.api.services.create({ body: { name: 'later', encryptionRequired: true } });
    assert.equal(JSON.parse(String((await next).value)).entityName, 'later');
    await following.return?.();
  });

  test('changes are listed by the same questions, and the newest first', async () => {
    await using app = await open();
    const { api } = app.controller;
    for (let i = 0; i < 5; i++) await api.services.create({ body: { name: `s${i}`, encryptionRequired: true } }, { actor: `sso:${i % 2}` });
    const names = async (query: Parameters<typeof api.changes.list>[0]) =>
      (await api.changes.list({ kinds: ['service'], ...query })).data.map(({ after }) => (after as { readonly name?: string }).name);
    assert.deepEqual(await names({}), ['s0', 's1', 's2', 's3', 's4']);
    assert.deepEqual(await names({ order: 'newest' }), ['s4', 's3', 's2', 's1', 's0']);
    assert.deepEqual(await names({ actor: 'sso:1' }), ['s1', 's3']);
    assert.deepEqual(await names({ filter: 'actor = "sso:0"', order: 'newest' }), ['s4', 's2', 's0']);
    const { data } = await api.changes.list({ kinds: ['service'], order: 'newest', limit: 2 });
    assert.deepEqual(await names({ order: 'newest', limit: 2, before: data.at(-1)?.revision }), ['s2', 's1']);
  });

  test('refuses a reason that is too long, and changes nothing', async () => {
    await using app = await open();
    const before = await app.controller.api.audit.head();
    const headers = { 'x-change-reason': 'x'.repeat(1001) };
    const { status } = await app.request('POST', '/services', { headers, body: { name: 'a', encryptionRequired: true } });
    assert.equal(status, 400);
    assert.deepEqual(await app.controller.api.audit.head(), before);
  });
});
