/** Lists hide the enrollments and API tokens of identities with more rights from auditors; so must the records of their changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTENSIONS, giveToken, inDays } from '../support/api-tokens.ts';
import { onEveryStore } from '../support/app.ts';
import { partsOfExport } from '../support/audit-export.ts';

onEveryStore('an auditor', (open) => {
  test('finds the enrollments and API tokens of administrators in no history, change or audit, and those of others in all', async () => {
    await using app = await open();
    const auditor = await app.user({ permissions: ['admin_readonly'] });
    const as = await auditor.login();
    for (const isAdmin of [true, false]) {
      const { id } = await app.user({ isAdmin });
      const enrollment = await app.create('/enrollments', { identityId: id, method: 'ott', expiresAt: inDays(app, 1) });
      const token = (await giveToken(app, id, {})).id;
      for (const [kind, entity] of [
        ['enrollment', enrollment],
        ['apiToken', token],
      ]) {
        const get = (path: string) => app.request('GET', `${EXTENSIONS}${path}`, { as });
        const count = async (path: string) => (await get(path)).body.data.length;
        const seen = isAdmin ? 0 : 1;
        assert.equal(await count(`/history/${kind}/${entity}`), seen);
        assert.equal((await get(`/history/${kind}/${entity}/state`)).status, isAdmin ? 404 : 200);
        assert.equal(await count(`/changes?entityId=${entity}`), seen);
        assert.equal(await count(`/audit?entityId=${entity}`), seen);
        assert.equal((await get(`/audit/export?entityId=${entity}`)).text.split('\n').length - 1, seen);
        const path = kind === 'apiToken' ? `${EXTENSIONS}/api-tokens/${entity}` : `/enrollments/${entity}`;
        assert.equal((await app.request('DELETE', path)).status, 200);
        assert.equal(await count(`/history/${kind}/${entity}`), 2 * seen, 'nor that of their end');
      }
    }
  });

  test('does not find them either where their records have left the log', async () => {
    await using app = await open({ settings: { changesKept: 10 } });
    const as = await (await app.user({ permissions: ['admin_readonly'] })).login();
    for (const isAdmin of [true, false]) {
      const { id } = await app.user({ isAdmin });
      const enrollment = await app.create('/enrollments', { identityId: id, method: 'ott', expiresAt: inDays(app, 1) });
      const token = (await giveToken(app, id, {})).id;
      for (let i = 0; i < 130; i++) await app.create('/services', { name: `${isAdmin} ${i}`, encryptionRequired: true });
      for (const path of [`enrollment/${enrollment}`, `apiToken/${token}`]) {
        assert.deepEqual((await app.request('GET', `${EXTENSIONS}/history/${path}`, { as })).body.data, []);
        assert.equal((await app.request('GET', `${EXTENSIONS}/history/${path}/state`, { as })).status, isAdmin ? 404 : 200);
      }
    }
  });

  test('does not receive them by an export that follows the log, if the identity has become an administrator since it began', async () => {
    await using app = await open();
    const as = await (await app.user({ permissions: ['admin_readonly'] })).login();
    const [ann, bob] = [await app.user(), await app.user()];
    const parts = await partsOfExport(app, '?follow=true&kind=apiToken', as);
    const first = parts.next();
    await app.settled();
    await app.controller.api.identities.patch({ id: ann.id, body: { isAdmin: true } });
    await giveToken(app, ann.id, {});
    const { id } = await giveToken(app, bob.id, {});
    const { value } = await first;
    const records = new TextDecoder()
      .decode(value)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).entityId);
    assert.deepEqual(records, [id]);
    await parts.return?.();
  });

  test('does not follow them either', async () => {
    await using app = await open();
    const as = await (await app.user({ permissions: ['admin_readonly'] })).login();
    const [ann, bob] = [await app.user({ isAdmin: true }), await app.user()];
    const { revision: after } = await app.controller.api.audit.head();
    await giveToken(app, ann.id, {});
    const { id } = await giveToken(app, bob.id, {});
    const stream = app.controller
      .as(as)
      .changes.follow({ after, kinds: ['apiToken'] })
      [Symbol.asyncIterator]();
    assert.equal(Object((await stream.next()).value).entityId, id);
    await stream.return?.();
  });
});
