/** What the description of the API calls a reference or a date is one; JSON that people enter is shown as they entered it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

describe('values in the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  let victim: string;
  /** JSON that looks like a reference to somebody else. */
  const lookalike = () => ({ entity: 'identities', id: victim, name: 'the name alone', secret: 'also shown' });
  const field = (label: string) => page.locator('dl.fields > div').filter({ has: page.locator('dt', { hasText: label }) });

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    victim = (await api.identities.create({ body: { name: 'victim', type: 'User', isAdmin: false } })).id;
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(() => network?.close());

  test('the data of a config, application data and tags are JSON, whatever fields they have', async () => {
    const { api } = network.controller;
    const type = await api.configTypes.create({ body: { name: 'any', schema: { type: 'object', title: 'also shown' } } });
    const config = await api.configs.create({
      body: { name: 'config', configTypeId: type.id, data: lookalike(), tags: { id: victim, name: 'tagged', entity: 'identities' } },
    });
    const body = { name: 'ann', type: 'User', isAdmin: false, appData: { id: 'x', name: 'only this' } } as const;
    const identity = await api.identities.create({ body });
    await network.goTo(page, `#/entities/configs/${config.id}`);
    assert.deepEqual(JSON.parse((await field('Data').locator('pre').textContent()) ?? ''), lookalike());
    assert.equal(await field('Data').getByRole('link').count(), 0);
    assert.match((await field('Tags').textContent()) ?? '', /"id": .*"name": "tagged"/s);
    assert.equal(await field('Config type').getByRole('link', { name: 'any' }).getAttribute('href'), `#/entities/configTypes/${type.id}`);
    await network.goTo(page, `#/entities/configTypes/${type.id}`);
    assert.match((await field('Schema').textContent()) ?? '', /also shown/);
    await network.goTo(page, `#/entities/identities/${identity.id}`);
    assert.match((await field('App data').textContent()) ?? '', /"id": "x"/);
    await network.goTo(page, `#/history/config/${config.id}`);
    await page.getByText('State after this change').click();
    assert.match((await field('Data').textContent()) ?? '', /also shown/);
  });

  test('lists in the differences of the audit are complete', async () => {
    const { api } = network.controller;
    const type = await api.configTypes.create({ body: { name: 'list' } });
    const config = await api.configs.create({ body: { name: 'listed', configTypeId: type.id, data: { list: [lookalike()] } } });
    await api.configs.patch({ id: config.id, body: { data: { list: [{ ...lookalike(), secret: 'changed' }] } } });
    await network.goTo(page, `#/audit?entityId=${config.id}`);
    await page.getByText('1 field').first().click();
    await page.locator('.is', { hasText: 'changed' }).waitFor();
  });

  test('a text that looks like a date is a text', async () => {
    const text = '2020-01-01T00:00:00Z';
    const { api } = network.controller;
    const { id } = await api.identities.create({ body: { name: text, type: 'User', isAdmin: false, externalId: text } });
    await network.goTo(page, `#/entities/identities/${id}`);
    assert.match((await field('External ID').textContent()) ?? '', new RegExp(text));
    assert.match((await field('Created at').textContent()) ?? '', /now|second|minute/);
  });

  test('lists of entities without names show what identifies them, and names instead of ids', async () => {
    const { api } = network.controller;
    const service = await api.services.create({ body: { name: 'wiki', encryptionRequired: true } });
    const router = await api.edgeRouters.create({ body: { name: 'fra1' } });
    await api.terminators.create({ body: { service: service.id, router: router.id, binding: 'transport', address: 'tcp:wiki:80' } });
    await api.authenticators.create({ body: { identityId: victim, method: 'updb', username: 'victoria', password: 'a-good-password' } });
    await api.policyTests.create({ body: { name: 'test', identityId: victim, serviceId: service.id, expect: 'none' } });
    await api.revocations.create({ body: { id: victim, type: 'IDENTITY' } });
    for (const [route, header, cell] of [
      ['terminators', 'wiki', 'fra1'],
      ['authenticators', 'victim', 'victoria'],
      ['enrollments', 'fra1', 'erott'],
      ['policyTests', 'test', 'victim'],
      ['revocations', 'victim', 'IDENTITY'],
    ] as const) {
      await network.goTo(page, `#/entities/${route}`);
      const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: header, exact: true }) });
      assert.match((await row.first().textContent()) ?? '', new RegExp(cell), route);
      if (route !== 'terminators') continue;
      await row.getByRole('link', { name: header }).click();
      await page.getByRole('heading', { name: 'wiki · tcp:wiki:80' }).waitFor();
    }
    await network.goTo(page, '#/');
    await page.getByRole('listitem').filter({ hasText: 'Authenticator victoria of victim created' }).waitFor();
  });
});
