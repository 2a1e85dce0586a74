/**
 * One identity without any right pushed all other records out of the change log: it began and ended the setup of a second factor 400 times
 * in two seconds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeId } from '../../src/contract/changes/events.ts';
import { hashOfRecord } from '../../src/store/changelog/chain.ts';
import { ADMIN, type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { newSharedStorage } from '../support/stores.ts';

const service = (app: App, name: string) => app.create('/services', { name, encryptionRequired: true });
const flood = async (app: App, as: string, times: number) => {
  for (let i = 0; i < times; i++) {
    await app.request('POST', '/current-identity/mfa', { as });
    await app.request('DELETE', '/current-identity/mfa', { as });
  }
};
const served = (rows: Awaited<ReturnType<App['rows']>>) =>
  rows.filter(({ entity }) => entity === 'service').map(({ entityId }) => entityId);

onEveryStore('callers without rights', (open, store) => {
  test('do not push the records of administrators and refused attempts out of the log', async () => {
    await using app = await open({ settings: { changesKept: 60 } });
    const ids = [await service(app, 'a'), await service(app, 'b')];
    const user = await app.user();
    const as = await user.login();
    assert.equal((await app.request('DELETE', `/services/${ids[0]}`, { as })).status, 401);
    assert.equal((await app.controller.api.audit.list({ kind: 'securityEvent' })).data.length, 1);
    await flood(app, as, 45);
    const rows = await app.rows('change');
    assert.equal(rows.length, 60);
    assert.deepEqual(served(rows), ids);
    assert.equal(rows.filter(({ entity }) => entity === 'securityEvent').length, 1);
    assert.deepEqual([(await app.controller.api.audit.verify()).fault], [null]);
    const { reasons } = await app.controller.health();
    assert.deepEqual(
      reasons.map(({ concerns, severity }) => `${concerns} ${severity}`),
      ['changeLog warning'],
    );
    const other = await app.user();
    for (let times = 0; times < 70; times++) await other.login();
    assert.deepEqual(served(await app.rows('change')), ids);
  });

  test('are refused what they would write beyond a share of their own, until they have waited; others are not', async () => {
    await using app = await open({ settings: { changesKept: 400 } });
    const [loud, quiet] = [await app.user(), await app.user()];
    const as = await loud.login();
    await flood(app, as, 60);
    const refused = await app.request('POST', '/current-identity/mfa', { as });
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'SERVER_TOO_MANY_REQUESTS']);
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait > 0 && wait <= 3600, `${wait}`);
    assert.equal((await app.login(loud.username, PASSWORD)).status, 429);
    assert.equal((await app.request('GET', '/current-identity', { as })).status, 200);
    assert.equal((await app.request('DELETE', '/current-api-session', { as })).status, 200, 'what ends something is not refused');
    assert.equal((await app.login(quiet.username, PASSWORD)).status, 200);
    for (let times = 0; times < 110; times++) assert.equal((await app.login('admin', ADMIN.password)).status, 200);
    const { reasons } = await app.controller.health();
    assert.deepEqual(
      reasons.map(({ concerns, severity }) => `${concerns} ${severity}`),
      ['changeLog warning'],
    );
    app.clock.advance('1h');
    assert.equal((await app.login(loud.username, PASSWORD)).status, 200);
    assert.deepEqual((await app.controller.health()).reasons, []);
  });

  test('are not refused where the log has no limit', async () => {
    await using app = await open({ settings: { changesKept: Number.POSITIVE_INFINITY } });
    const user = await app.user();
    for (let times = 0; times < 3; times++) assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });

  test('do so once these are thirty days old, and the log is of all alike again', async () => {
    await using app = await open({ settings: { changesKept: 40 } });
    await service(app, 'a');
    const as = await (await app.user()).login();
    await flood(app, as, 40);
    assert.equal(served(await app.rows('change')).length, 1);
    for (let day = 0; day < 31; day++) app.clock.advance('1d');
    const again = (await app.login('user-1', PASSWORD)).body.data.token;
    await flood(app, again, 40);
    assert.deepEqual(served(await app.rows('change')), []);
    assert.equal((await app.controller.api.audit.verify()).fault, null);
    assert.deepEqual((await app.controller.health()).reasons, []);
  });

  test('leave what administrators write its place, and the log its last quarter', async () => {
    await using app = await open({ settings: { changesKept: 40 } });
    const as = await (await app.user()).login();
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) {
      ids.push(await service(app, `s${i}`));
      await flood(app, as, 1);
    }
    const rows = await app.rows('change');
    assert.equal(rows.length, 40);
    const newest = Number(rows.at(-1)?.revision);
    assert.deepEqual(
      rows.slice(-10).map(({ id }) => id),
      Array.from({ length: 10 }, (_, i) => changeId(newest - 9 + i)),
    );
    assert.ok(served(rows).length >= 25, `${served(rows).length}`);
    assert.deepEqual(served(rows), ids.slice(-served(rows).length));
    const { isIntact, fault, records } = await app.controller.api.audit.verify();
    assert.deepEqual([isIntact, fault, records], [true, null, 40]);
  });

  test('a record that is kept for longer is missed, and one that was changed or put among them is named', async () => {
    await using app = await open({ settings: { changesKept: 30 } });
    const ids = [await service(app, 'a'), await service(app, 'b'), await service(app, 'c')];
    await flood(app, await (await app.user()).login(), 40);
    const rows = await app.rows('change');
    const kept = rows.filter(({ entity }) => entity === 'service');
    assert.equal(kept.length, ids.length);
    const free = rows.find(({ version }, i) => rows[i + 1]?.version !== version + 1)?.version;
    assert.ok(free);
    const [first, second, last] = kept;
    assert.ok(first && second && last);
    const faultAfter = async (attack: () => Promise<void>) => {
      await attack();
      const { fault } = await app.controller.api.audit.verify();
      return fault;
    };
    const removed = await faultAfter(() => app.tamper(async (tx) => void (await tx.delete('change', second.id))));
    assert.deepEqual([removed?.fault, removed?.revision], ['removed', rows[0]?.version]);
    await app.tamper((tx) => tx.insert('change', second));
    const changed = await faultAfter(() => app.tamper((tx) => tx.update('change', { ...last, actor: 'nobody' }, last.version)));
    assert.deepEqual([changed?.fault, changed?.revision], ['changed', last.version]);
    await app.tamper((tx) => tx.update('change', last, last.version));
    const [version, forged] = [free + 1, { actor: 'nobody', isReserved: true }];
    const inserted = await faultAfter(() =>
      app.tamper((tx) => {
        const row = { ...last, ...forged, id: changeId(version), version, revision: version };
        return tx.insert('change', { ...row, hash: hashOfRecord(row) });
      }),
    );
    assert.ok(inserted && inserted.revision <= version, JSON.stringify(inserted));
  });

  test('the log of several controllers is kept alike, and states of the past begin where none is missing', async () => {
    await using shared = newSharedStorage(store);
    const openOne = () => open({ storage: shared.adapter(), settings: { changesKept: 40 } });
    await using one = await openOne();
    await using two = await openOne();
    const id = await service(one, 'a');
    const as = await (await one.user()).login();
    for (let i = 0; i < 15; i++) {
      await flood(one, as, 1);
      await flood(two, as, 1);
    }
    const rows = await two.rows('change');
    assert.deepEqual(served(rows), [id]);
    assert.equal((await one.controller.api.audit.verify()).fault, null);
    const kept = Number(rows.find(({ entity }) => entity === 'service')?.revision);
    await assert.rejects(two.controller.at(kept).services.list(), { code: 'CURSOR_EXPIRED' });
    const { data } = await two.controller.at(Number(rows.at(-5)?.revision)).services.list();
    assert.equal(data.length, 1);
  });
});
