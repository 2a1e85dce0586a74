import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askForToken, EXTENSIONS, giveToken, inDays, rotate, statusAs, tokenPath } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';

/** An identity with a token. */
const program = async (app: App, rights: Readonly<Record<string, unknown>>, fields: object = rights) => {
  const user = await app.user(rights);
  return { user, ...(await giveToken(app, user.id, fields)) };
};

onEveryStore('an API token', (open) => {
  test('is accepted as zt-session and as a bearer, on the management API, its extensions and the fabric', async () => {
    await using app = await open();
    const { secret } = await program(app, { permissions: ['service', 'ops.read', 'controllers.read'] });
    for (const path of ['/services', '/current-identity', '/fabric/v1/links'])
      for (const headers of [{ 'zt-session': secret }, { authorization: `Bearer ${secret}` }, { authorization: `bearer  ${secret}` }])
        assert.equal((await app.request('GET', path, { as: null, headers })).status, 200, path);
    const created = await app.request('POST', '/services', { as: secret, body: { name: 'wiki', encryptionRequired: true } });
    assert.equal(created.status, 201);
  });

  test('has a prefix and a checksum, and is shown only when it is made', async () => {
    await using app = await open();
    const { user, id, secret } = await program(app, {});
    assert.match(secret, /^oct_[0-9A-Za-z]{50}$/);
    const shown = (await app.request('GET', tokenPath(id))).body.data;
    assert.deepEqual(
      [shown.identityId, shown.name, shown.isAdmin, shown.permissions, shown.addressRanges, shown.lastActivityAt],
      [user.id, 'for CI', false, [], [], null],
    );
    for (const path of [tokenPath(id), `${EXTENSIONS}/api-tokens`, `${EXTENSIONS}/changes?kinds=apiToken`])
      assert.doesNotMatch((await app.request('GET', path)).text, /oct_|Hash/, path);
  });

  test('tells clients who they are, and how long', async () => {
    await using app = await open();
    const { user, id, secret } = await program(app, {});
    const self = (await app.request('GET', '/current-identity', { as: secret })).body.data;
    assert.equal(self.id, user.id);
    const { status, headers, body } = await app.request('GET', '/current-api-session', { as: secret, address: '192.0.2.7' });
    assert.equal(status, 200);
    const { data } = body;
    assert.deepEqual(
      [data.identityId, data.identity.name, data.token, data.authQueries, data.ipAddress],
      [user.id, self.name, id, [], '192.0.2.7'],
    );
    assert.deepEqual([data.expiresAt, data.expirationSeconds], [inDays(app, 30), 30 * 86_400]);
    assert.deepEqual([headers['expires-at'], headers['expiration-seconds']], [inDays(app, 30), `${30 * 86_400}`]);
    assert.equal(await app.count('apiSession'), 1, "the administrator's alone");
  });

  test('expires, at most a year ahead, and can be extended', async () => {
    await using app = await open();
    const user = await app.user();
    for (const expiresAt of [inDays(app, 366), inDays(app, 0), inDays(app, -1)]) {
      const { status, body } = await askForToken(app, user.id, { expiresAt });
      assert.deepEqual([status, body.error.cause.field], [400, 'expiresAt'], expiresAt);
    }
    assert.equal((await askForToken(app, user.id, { expiresAt: undefined })).status, 400);
    assert.equal((await askForToken(app, user.id, { expiresAt: inDays(app, 365) })).status, 201);
    const { id, secret } = await giveToken(app, user.id, { expiresAt: inDays(app, 1) });
    const { secret: other } = await giveToken(app, user.id, { expiresAt: inDays(app, 1) });
    app.clock.advance('86399999ms');
    assert.deepEqual([await statusAs(app, secret), await statusAs(app, other)], [200, 200]);
    const admin = (await app.login('admin', 'the-admin-password')).body.data.token;
    assert.equal((await app.request('PATCH', tokenPath(id), { as: admin, body: { expiresAt: inDays(app, 2) } })).status, 200);
    app.clock.advance('1ms');
    assert.deepEqual([await statusAs(app, secret), await statusAs(app, other)], [200, 401]);
    app.clock.advance('172799998ms');
    assert.equal(await statusAs(app, secret), 200);
    app.clock.advance('1ms');
    assert.equal(await statusAs(app, secret), 401);
  });

  test('has two secrets for a while when it is rotated, and never three', async () => {
    await using app = await open();
    const { id, secret: first } = await program(app, {});
    const second = await rotate(app, id, 10);
    const accepted = async (...secrets: readonly string[]) => {
      const statuses: number[] = [];
      for (const each of secrets) statuses.push(await statusAs(app, each));
      return statuses;
    };
    assert.deepEqual(await accepted(first, second), [200, 200]);
    app.clock.advance('10m');
    assert.deepEqual(await accepted(first, second), [401, 200]);
    const third = await rotate(app, id);
    const fourth = await rotate(app, id);
    assert.deepEqual(await accepted(second, third, fourth), [401, 200, 200]);
    const fifth = await rotate(app, id, 0);
    assert.deepEqual(await accepted(fourth, fifth), [401, 200]);
    for (const overlapMinutes of [-1, 10_081, 1.5])
      assert.equal((await app.request('POST', `${tokenPath(id)}/rotate`, { body: { overlapMinutes } })).status, 400);
  });

  test('is refused while its identity is disabled, and gone with it', async () => {
    await using app = await open();
    const { user, id, secret } = await program(app, {});
    await app.request('POST', `/identities/${user.id}/disable`, { body: { durationMinutes: 0 } });
    assert.equal(await statusAs(app, secret), 401);
    await app.request('POST', `/identities/${user.id}/enable`);
    assert.equal(await statusAs(app, secret), 200);
    assert.equal((await app.request('DELETE', `/identities/${user.id}`)).status, 200);
    assert.equal(await statusAs(app, secret), 401);
    assert.equal((await app.request('GET', tokenPath(id))).status, 404);
  });

  test('is accepted only from its address ranges', async () => {
    await using app = await open();
    const { secret } = await program(app, {}, { addressRanges: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'] });
    const from = async (address: string) => (await app.request('GET', '/current-identity', { as: secret, address })).status;
    for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1', '198.51.100.7']) assert.equal(await from(address), 200, address);
    for (const address of [
      '192.0.3.7',
      '::ffff:192.0.3.7',
      '2001:db9::1',
      '198.51.100.8',
      '2002:c000:207::1',
      '64:ff9b::c000:207',
      '',
      'unix',
    ])
      assert.equal(await from(address), 401, address);
    const user = await app.user();
    for (const range of ['10.0.0.0/33', '10.0.0', 'example.org', '10.0.0.0/8/8', '::ffff:10.0.0.1', '::FFFF:10.0.0.0/104', '']) {
      const { status, body } = await askForToken(app, user.id, { addressRanges: [range] });
      assert.deepEqual([status, body.error.cause.field], [400, 'addressRanges'], range);
    }
  });

  test('shows its last use, which is stored at most once in half a minute', async () => {
    await using app = await open();
    const { id, secret } = await program(app, {});
    const lastUse = async () => {
      await app.settled();
      return (await app.rows('apiToken')).find((row) => row.id === id)?.lastActivityAt;
    };
    const revision = await app.inStore('read', (entities) => entities.revision());
    await statusAs(app, secret);
    await app.settled();
    const first = await lastUse();
    assert.equal(first, new Date(app.clock.now()).toISOString());
    app.clock.advance('29s');
    await statusAs(app, secret);
    assert.equal(await lastUse(), first);
    app.clock.advance('1s');
    await statusAs(app, secret);
    assert.equal(await lastUse(), new Date(app.clock.now()).toISOString());
    assert.equal(await app.inStore('read', (entities) => entities.revision()), revision, 'no change record');
  });

  test('is named in the change log by every change that it makes', async () => {
    await using app = await open();
    const { user, id, secret } = await program(app, { permissions: ['service'] });
    await app.request('POST', '/services', { as: secret, body: { name: 'wiki', encryptionRequired: true } });
    await app.request('POST', '/services', { body: { name: 'blog', encryptionRequired: true } });
    const { data } = (await app.request('GET', `${EXTENSIONS}/changes?kinds=service`)).body;
    assert.deepEqual([data[0].actor, data[0].tokenId, 'tokenId' in data[1]], [user.id, id, false]);
  });

  test('announces its end once, ahead of it, and again once it is extended', async () => {
    await using app = await open({ settings: { apiTokenNoticeDays: 2 } });
    const announced: string[] = [];
    app.controller.events.on('apiToken', ({ action, before, after }) => {
      if (action === 'update' && after.expiryAnnouncedAt && !before.expiryAnnouncedAt) announced.push(after.id);
    });
    const { id } = await program(app, {}, { expiresAt: inDays(app, 5) });
    await program(app, {}, { expiresAt: inDays(app, 50) });
    const run = async (hours: number) => {
      for (let hour = 0; hour < hours; hour++) {
        app.clock.advance('1h');
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate).then(app.settled);
      }
      return announced.length;
    };
    assert.equal(await run(71), 0);
    assert.equal(await run(3), 1);
    assert.equal(await run(5), 1);
    await app.controller.api.apiTokens.patch({ id, body: { expiresAt: inDays(app, 4) } });
    assert.equal(await run(1), 1);
    assert.equal(await run(53), 2);
    assert.deepEqual(announced, [id, id]);
  });

  test('is listed by identity, name and expiry', async () => {
    await using app = await open();
    const { user, id } = await program(app, {});
    await program(app, {}, { name: 'another' });
    for (const filter of [`identity = "${user.id}"`, 'name = "for CI"', 'isAdmin = false and name contains "CI" sort by expiresAt']) {
      const { data } = (await app.request('GET', `${EXTENSIONS}/api-tokens?filter=${encodeURIComponent(filter)}`)).body;
      assert.deepEqual(
        data.map((each: { id: string }) => each.id),
        [id],
        filter,
      );
    }
  });

  test('of an identity: there are at most a hundred', async () => {
    await using app = await open();
    const user = await app.user();
    for (let i = 0; i < 100; i++) await giveToken(app, user.id);
    assert.deepEqual([(await askForToken(app, user.id)).status, (await askForToken(app, (await app.user()).id)).status], [400, 201]);
  });

  test('of their own: identities list and revoke them, and create and rotate them where the host allows it', async () => {
    const own = `${EXTENSIONS}/current-identity/api-tokens`;
    const calls = async (app: App) => {
      const user = await app.user({ permissions: ['service.read'] });
      const { id } = await giveToken(app, user.id);
      const as = await user.login();
      const body = { name: 'mine', expiresAt: inDays(app, 1), permissions: ['service.read'] };
      const created = await app.request('POST', own, { as, body });
      const rotated = await app.request('POST', `${own}/${id}/rotate`, { as, body: {} });
      const listed = (await app.request('GET', own, { as })).body.data.length;
      const deleted = (await app.request('DELETE', `${own}/${id}`, { as })).status;
      return { created, rotated, listed, deleted };
    };
    await using closed = await open();
    const { created, rotated, listed, deleted } = await calls(closed);
    assert.deepEqual([created.body.error.code, rotated.body.error.code, listed, deleted], ['NOT_CONFIGURED', 'NOT_CONFIGURED', 1, 200]);
    await using allowed = await open({ settings: { ownApiTokens: true } });
    const there = await calls(allowed);
    assert.deepEqual([there.created.status, there.rotated.status, there.listed, there.deleted], [201, 200, 2, 200]);
    assert.equal(await statusAs(allowed, there.created.body.data.secret, '/services'), 200);
  });
});
