/** Lists of the console: a text that is not a condition of the filter language is searched for, and every offset leads to a page. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

const NAMES = [
  'plug-in',
  'not-used',
  'a=b',
  'say "hello"',
  'in between',
  'x and y or z',
  'true',
  'limit 5',
  'disabled',
  'anyOf(everything)',
  "it's",
  'back\\slash',
  '100%',
  '<b>',
  'name = ann',
  'a=1',
];

describe('search in the lists of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  const headers = () => page.getByRole('rowheader').allInnerTexts();
  const search = async (text: string) => {
    const field = page.getByRole('combobox', { name: 'Filter' });
    await field.fill(text);
    await field.press('Enter');
    await page.waitForURL(({ hash }) => new URLSearchParams(hash.split('?')[1]).get('filter') === text);
    // The page follows its address before the second frame.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await page.locator('table:not([aria-busy=true]), .empty, .notice.bad').first().waitFor();
    await page.locator('table[aria-busy=true]').waitFor({ state: 'detached' });
  };

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    for (const name of NAMES) await api.services.create({ body: { name, encryptionRequired: true } });
    for (let index = 0; index < 60; index++)
      await api.identities.create({ body: { name: `person ${String(index).padStart(2, '0')}`, type: 'User', isAdmin: false } });
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(() => network?.close());

  test('a text finds the entities whose names contain it, whatever words and characters it has', async () => {
    await network.goTo(page, '#/entities/services');
    for (const name of NAMES) {
      await search(name);
      await page.getByRole('rowheader', { name, exact: true }).waitFor();
      assert.ok(
        (await headers()).every((header) => header.includes(name)),
        name,
      );
      assert.equal(await page.getByRole('alert').count(), 0, name);
    }
    for (const name of ['plug-', 'not', '"hello"', 'between', '=', 'and y']) {
      await search(name);
      assert.notEqual((await headers()).length, 0, name);
    }
  });

  test('a condition filters the list, and a text that resembles one is searched for, with the reason why it is not one', async () => {
    await network.goTo(page, '#/entities/services');
    await search('name = "a=b" or name icontains "PLUG"');
    await page.getByText('1–2 of 2').waitFor();
    assert.deepEqual(await headers(), ['a=b', 'plug-in']);
    await search('not isEmpty(configs)');
    await page.getByText('Nothing matches this filter.').waitFor();
    await search('name = ann');
    await page.getByText(/^Searched for the text “name = ann”, which is not a condition: expected .*, found 'ann'/).waitFor();
    await search('a=1');
    await page.getByText(/which is not a condition: 'a' is unknown here/).waitFor();
    await network.goTo(page, '#/entities/edgeRouters?filter=disabled');
    await page.getByText('To filter by the field disabled, compare it with a value: disabled = …').waitFor();
  });

  test('entities without a name are found by what identifies them', async () => {
    const { api } = network.controller;
    const { data } = await api.identities.list({ filter: 'name = "person 07"' });
    const identityId = data[0]?.id ?? '';
    const service = (await api.services.list({ filter: 'name = "plug-in"' })).data[0]?.id ?? '';
    const router = await api.edgeRouters.create({ body: { name: 'fra1' } });
    await api.authenticators.create({ body: { identityId, method: 'updb', username: 'seven', password: 'a-good-password' } });
    await api.enrollments.create({ body: { identityId, method: 'ott', expiresAt: new Date(Date.now() + 3_600_000).toISOString() } });
    await api.terminators.create({ body: { service, router: router.id, binding: 'transport', address: 'tcp:10.9.8.7:80' } });
    for (const [group, text, header] of [
      ['authenticators', 'SEVEN', 'person 07'],
      ['authenticators', 'person 07', 'person 07'],
      ['enrollments', 'person-less', undefined],
      ['enrollments', 'person 07', 'person 07'],
      ['enrollments', 'fra', 'fra1'],
      ['terminators', '10.9.8', 'plug-in'],
      ['terminators', 'plug-in', 'plug-in'],
      ['sessions', 'plug-in', undefined],
      ['apiSessions', 'person', undefined],
      ['revocations', 'jti', undefined],
      ['controllers', 'not-used', undefined],
      ['apiTokens', 'a=b', undefined],
    ] as const) {
      await network.goTo(page, `#/entities/${group}`);
      await search(text);
      if (header === undefined) await page.getByText('Nothing matches this filter.').waitFor();
      else await page.getByRole('rowheader', { name: header, exact: true }).waitFor();
      assert.deepEqual(await headers(), header === undefined ? [] : [header], `${group} ${text}`);
      assert.equal(await page.getByRole('alert').count(), 0, group);
    }
    await network.goTo(page, '#/entities/apiSessions');
    await search('default ad');
    // This very session, of an OpenID login.
    await page.getByRole('cell', { name: 'overlay-console' }).waitFor();
  });

  test('an offset beyond the end shows the last page and says so; an invalid one shows the first', async () => {
    await network.goTo(page, '#/entities/identities?offset=100000');
    await page.getByText('There is no entry 100,001: the list has 61. This is the last page.').waitFor();
    await page.getByText('51–61 of 61').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('26–50 of 61').waitFor();
    for (const offset of ['-5', '1.5', 'x', '1e300', 'NaN', '0x10000000000000000']) {
      await network.goTo(page, `#/entities/identities?offset=${offset}`);
      await page.getByText('1–25 of 61').waitFor();
    }
  });

  test('every list has an order, which is visible; an unknown order is reported', async () => {
    const lists: readonly string[] = await page.evaluate(
      "[...document.querySelectorAll('nav.side a')].map((each) => each.getAttribute('href')).filter((each) => each.startsWith('#/entities/'))",
    );
    for (const route of lists) {
      await network.goTo(page, route);
      if ((await page.locator('.empty').count()) > 0) continue;
      const sorted = await page.locator('th[aria-sort]').count();
      assert.ok(sorted === 1 || (await page.getByText('Sorted by').count()) === 1, route);
    }
    await network.goTo(page, '#/entities/identities');
    const column = page.getByRole('columnheader', { name: 'Name' });
    assert.equal(await column.getAttribute('aria-sort'), 'ascending');
    await column.getByRole('button').click();
    await page.getByRole('rowheader', { name: 'person 59' }).waitFor();
    assert.equal(await column.getAttribute('aria-sort'), 'descending');
    for (const sort of ['nonsense', 'name sideways', '"', 'a'.repeat(5000)]) {
      await network.goTo(page, `#/entities/identities?sort=${encodeURIComponent(sort)}`);
      await page.getByText('so it has its usual order.').waitFor();
      await page.getByRole('rowheader', { name: 'Default Admin' }).waitFor();
    }
  });

  test('hostile texts are searched for like any other', async () => {
    const { page: other, complaints } = await network.open();
    await network.logIn(other);
    for (const text of [
      '" or true',
      '\\',
      '\u0000\u0007',
      '\ud800',
      '('.repeat(200),
      'x'.repeat(6000),
      '%',
      '"',
      '$(1)',
      'name = "x" sort by name',
    ]) {
      await network.goTo(other, `#/entities/services?filter=${encodeURIComponent(text.toWellFormed())}`);
      await other.locator('table, .empty').first().waitFor();
      assert.equal(await other.getByRole('alert').count(), 0, text);
    }
    assert.deepEqual(complaints, []);
  });
});
