import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { counted } from '../support/counted.ts';
import { client } from '../support/posture.ts';
import { assertInvalid } from '../support/refusals.ts';
import { newStorage } from '../support/stores.ts';

const logOf = (app: App) => app.rows('change');
const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const filled = (count: number, valueLength: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, 'x'.repeat(valueLength)]));

onEveryStore('what a session can make the store keep', (open, store) => {
  const tagging = async (app: App) => {
    const user = await app.user();
    const as = await user.login();
    return (tags: unknown) =>
      app.request('PATCH', `/current-identity/authenticators/${user.authenticatorId}`, {
        as,
        body: { currentPassword: PASSWORD, tags },
      });
  };

  test('tags are few and short, on an own authenticator and everywhere', async () => {
    await using app = await open();
    const tag = await tagging(app);
    const create = (tags: unknown) =>
      app.request('POST', '/identities', { body: { name: `i${Math.random()}`, type: 'Device', isAdmin: false, tags } });
    // `{"":"",...}`: 10 characters for each of 15 tags, and their texts.
    const full = (texts: number) => ({ ...filled(15, 4096), last: 'x'.repeat(texts) });
    const room = 65_536 - sizeOf(full(0));
    const good: readonly object[] = [filled(200, 1), { ['k'.repeat(256)]: 'x' }, { long: 'x'.repeat(4096) }, full(room)];
    const bad: readonly object[] = [
      filled(201, 1),
      { ['k'.repeat(257)]: 'x' },
      { long: 'x'.repeat(4097) },
      full(room + 1),
      { big: 'x'.repeat(900_000) },
    ];
    for (const tags of good) {
      assert.equal((await tag(tags)).status, 200);
      assert.equal((await create(tags)).status, 201);
    }
    for (const tags of bad) {
      assertInvalid(await tag(tags), 'tags');
      assertInvalid(await create(tags), 'tags');
    }
  });

  test('the change log keeps as many bytes as its settings say: the last records', async () => {
    await using app = await open({ settings: { changeBytesKept: 300_000 } });
    const tag = await tagging(app);
    for (let i = 0; i < 12; i++) assert.equal((await tag({ ...filled(10, 4000), i: String(i) })).status, 200);
    const rows = await logOf(app);
    const sizes = rows.map(({ revision, action, entity, entityId, actor, requestId, createdAt, before, after }) =>
      sizeOf({ revision, action, entity, entityId, actor, requestId, at: createdAt, before, after }),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(total <= 300_000, `${total} bytes`);
    assert.ok(total + Math.max(...sizes) > 300_000, 'and no fewer than fit');
    // Those of administrators and of the host stay.
    const revisions = rows.filter(({ isReserved }) => isReserved !== true).map(({ revision }) => Number(revision));
    const last = revisions.at(-1) ?? 0;
    assert.deepEqual(
      revisions,
      revisions.map((_, i) => last - revisions.length + 1 + i),
    );
    await tag({ i: 'small' });
    assert.equal(Number((await logOf(app)).at(-1)?.revision), last + 1);
  });

  test('a record that is larger than the whole log is kept until the next one comes', async () => {
    await using app = await open({ settings: { changeBytesKept: 10_000 } });
    const name = (i: number) => app.create('/identities', { name: `i${i}`, type: 'Device', isAdmin: false, tags: filled(5, 4000) });
    await name(1);
    assert.equal((await logOf(app)).length, 1);
    await name(2);
    assert.equal((await logOf(app)).length, 1);
  });

  test('the log of an earlier version is gone on with', async () => {
    await using app = await open({ settings: { changesKept: 30, changeBytesKept: 100_000 } });
    for (let i = 0; i < 5; i++) await app.create('/services', { name: `s${i}`, encryptionRequired: true });
    // Records of earlier versions do not say how far the log reaches.
    for (const { id } of await logOf(app))
      await app.alter('change', id, { endsAt: undefined, oldest: undefined, oldestBeginsAt: undefined });
    for (let i = 5; i < 50; i++) await app.create('/services', { name: `s${i}`, encryptionRequired: true });
    assert.equal((await logOf(app)).length, 30);
    const before = await app.count('change');
    await app.create('/services', { name: 'one more', encryptionRequired: true });
    assert.equal(await app.count('change'), before);
  });

  test('a write asks as much of the store when the log is full as when it is fuller', async () => {
    const asking = async (changesKept: number) => {
      const { storage, asked } = counted(newStorage(store));
      await using app = await open({ storage, settings: { changesKept } });
      const create = (name: string) => app.create('/services', { name, encryptionRequired: true });
      for (let i = 0; i < changesKept + 1; i++) await create(`s${i}`);
      assert.equal((await logOf(app)).length, changesKept);
      return await asked(() => create('one more'));
    };
    assert.deepEqual(await asking(60), await asking(6));
  });

  test('of a log whose limit was lowered each write drops a hundred records at most, until it is within the limit', async () => {
    const storage = newStorage(store);
    const create = (app: App, name: string) => app.create('/services', { name, encryptionRequired: true });
    await using before = await open({ storage });
    for (let i = 0; i < 230; i++) await create(before, `s${i}`);
    await using app = await open({ storage, settings: { changesKept: 10 } });
    // Opening it and the login of its administrator write, too.
    const sizes = [await app.count('change')];
    while (sizes.at(-1) !== 10) {
      await create(app, `t${sizes.length}`);
      sizes.push(await app.count('change'));
    }
    assert.ok((sizes[0] ?? 0) >= 100, `${sizes}`);
    for (const [i, size] of sizes.slice(1).entries()) assert.ok((sizes[i] ?? 0) - size <= 99, `${sizes}`); // one more came
  });

  test('what endpoints report about themselves has a bound, too', async () => {
    await using app = await open();
    const user = await client(app);
    const respond = (body: unknown) => app.request('POST', '/edge/client/v1/posture-response-bulk', { as: user.as, body });
    const told = Array.from({ length: 60 }, (_, i) => ({
      typeId: 'PROCESS',
      id: `p${i}`,
      path: `${i}`.padEnd(4096, 'x'),
      isRunning: true,
      hash: 'a'.repeat(256),
      signerFingerprints: Array(32).fill('b'.repeat(256)),
    }));
    assert.equal((await respond(told.slice(0, 40))).status, 201);
    assert.equal((await respond(told.slice(40))).status, 201);
    const [row] = await app.rows('postureData');
    assert.ok(sizeOf(row) < 600_000, `${sizeOf(row)} bytes`);
    const kept = (row?.processes ?? []) as readonly { readonly postureCheckId: string }[];
    assert.equal(kept.at(-1)?.postureCheckId, 'p59');
    assertInvalid(await respond([{ typeId: 'MAC', id: 'm', macAddresses: ['a'.repeat(65)] }]), '0.macAddresses.0');
    assert.equal((await respond([{ typeId: 'MAC', id: 'm', macAddresses: ['a'.repeat(64)] }])).status, 201);
  });
});
