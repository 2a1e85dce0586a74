import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { createClient } from '../../client/index.ts';
import { OWNER_TAG } from '../../src/contract/api/declared-kinds.ts';
import type { Row } from '../../src/store/storage/port.ts';
import { giveToken } from '../support/api-tokens.ts';
import { ADMIN, type App, onEveryStore } from '../support/app.ts';
import { refusal } from '../support/client.ts';
import { notOnPostgres } from '../support/stores.ts';

const E = '/edge/management/extensions/v1';
/** More names than one query looks up. */
const SERVICES = 1001;

/** Their plan has more keys and bytes than other bodies may have. */
const document = {
  owner: 'network-repository',
  services: Array.from({ length: SERVICES }, (_, i) => ({
    name: `service ${i}`,
    encryptionRequired: true,
    roleAttributes: ['web', `group ${i % 50}`],
    tags: { about: 'a text that says what this service is for and who looks after it '.repeat(5) },
  })),
};

const clientOf = (app: App) => {
  const handle = fetchHandler(app.controller);
  return createClient({ baseUrl: 'https://controller.test/', credentials: ADMIN, fetch: (url, init) => handle(new Request(url, init)) });
};

onEveryStore('a plan of thousands of entities', (open, store) => {
  for (const where of ['in process', 'over HTTP'])
    test(`is applied as it was answered, ${where}`, async () => {
      await using app = await open();
      const { state, services } = where === 'in process' ? app.controller.api : clientOf(app);
      const plan = await state.plan({ body: { document } });
      assert.ok(JSON.stringify(plan).length > 1_048_576);
      const { results } = await state.apply({ body: plan });
      assert.equal(results.length, SERVICES);
      assert.equal((await services.list({ limit: 1 })).pagination.totalCount, SERVICES);
      assert.deepEqual((await state.plan({ body: { document } })).operations, []);
      const { owner } = document;
      const pruned = await state.plan({ body: { document: { owner }, prune: true, access: false } });
      assert.equal(pruned.operations.length, SERVICES);
    });

  test('is taken from an auditor, and not even read from those without the right', async () => {
    await using app = await open();
    const auditor = await (await app.user({ permissions: ['admin_readonly'] })).login();
    const other = await (await app.user({ permissions: ['service'] })).login();
    const planned = await app.request('POST', `${E}/state/plan`, { as: auditor, body: { document } });
    assert.equal(planned.status, 200, planned.text);
    assert.equal(planned.body.data.operations.length, SERVICES);
    const { secret } = await giveToken(app, (await app.user({ isAdmin: true })).id, { permissions: ['service'] });
    for (const path of ['plan', 'apply'])
      for (const as of [other, secret]) {
        const refused = await app.request('POST', `${E}/state/${path}`, { as, body: planned.body.data });
        assert.deepEqual([refused.status, refused.body.error.code], [400, 'COULD_NOT_PARSE_BODY']);
      }
    const wide = {
      document: { services: [{ name: 'x', tags: Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`k${i}`, ''])) }] },
    };
    const refused = await app.request('POST', `${E}/state/plan`, { body: wide });
    assert.match(refused.text, /an object in the body has more than 20000 keys/);
  });

  test('and a document have bounds: 10,000 entities in a section, and 20,000 operations', notOnPostgres(store), async () => {
    await using app = await open();
    const { state } = app.controller.api;
    const owner = 'network-repository';
    await app.create('/services', { name: 's', encryptionRequired: true, tags: { [OWNER_TAG]: owner } });
    const [service] = await app.rows('service');
    let serial = 1;
    const growTo = (count: number) =>
      app.tamper(async (tx) => {
        for (; serial < count; serial++) await tx.insert('service', { ...(service as Row), id: `s${serial}`, name: `s${serial}` });
      });
    await growTo(10_000);
    assert.equal((await state.export()).services?.length, 10_000);
    await growTo(10_001);
    await assert.rejects(state.export(), refusal(400, 'COULD_NOT_VALIDATE'));
    assert.equal((await state.export({ select: ['identities'] })).services, undefined);
    const prune = () => state.plan({ body: { document: { owner }, prune: true, access: false } });
    await growTo(20_000);
    assert.equal((await prune()).operations.length, 20_000);
    await growTo(20_001);
    await assert.rejects(prune(), refusal(400, 'COULD_NOT_VALIDATE'));
  });
});
