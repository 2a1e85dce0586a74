/** The search everywhere: one field finds entities of all kinds, pages and commands, by the keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

describe('the search everywhere', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  let service = '';
  const dialog = () => page.getByRole('dialog', { name: 'Search everywhere' });
  const field = () => dialog().getByRole('combobox');
  const option = (name: string) => dialog().getByRole('option', { name, exact: true });
  const open = async () => {
    await page.keyboard.press('Control+k');
    await field().waitFor();
  };

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    service = (await api.services.create({ body: { name: 'lab wiki', encryptionRequired: true, roleAttributes: ['web'] } })).id;
    for (let index = 0; index < 5; index++)
      await api.identities.create({ body: { name: `lab phone ${index}`, type: 'Device', isAdmin: false, roleAttributes: ['laboratory'] } });
    const { id } = await api.identities.create({ body: { name: 'reader', type: 'User', isAdmin: false, permissions: ['service.read'] } });
    await api.authenticators.create({ body: { identityId: id, method: 'updb', username: 'reader', password: PASSWORD } });
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(() => network?.close());

  test('Ctrl+K, a part of a name and Enter lead to the page of an entity', async () => {
    await open();
    await page.keyboard.type('wiki');
    await option('lab wiki service').waitFor();
    await dialog().getByText('1 result').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'lab wiki' }).waitFor();
    assert.equal(await dialog().count(), 0);
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'MAIN');
  });

  test('the first few of each kind are shown, and all of them are one step away', async () => {
    await open();
    await page.keyboard.type('lab');
    await option('lab wiki service').waitFor();
    assert.equal(
      await dialog()
        .getByRole('option', { name: /^lab phone/ })
        .count(),
      3,
    );
    await option('All 5 Identities').click();
    await page.getByText('1–5 of 5').waitFor();
  });

  test('entities are found by their id, and by a role attribute', async () => {
    await open();
    await field().fill(service);
    await option('lab wiki service').waitFor();
    await field().fill('laboratory');
    await option('All 5 Identities').waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('pages and commands are found by their words', async () => {
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await field().fill('new service');
    await option('New service Command').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New service' }).waitFor();
    await open();
    await field().fill('verify');
    await option('Verify the audit chain Command').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('records are unmodified').waitFor();
    // A command is carried out once, not at each visit of the page.
    assert.doesNotMatch(page.url(), /verify/);
    await page.reload();
    await page.getByText('Each record contains the hash').waitFor();
    await open();
    await page.keyboard.press('ArrowDown');
    await dialog().getByRole('option', { selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('Ctrl+K opens it again before the page has heard that it was closed', async () => {
    await open();
    await page.evaluate(
      "document.querySelector('dialog[open]').close(); dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))",
    );
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
    await field().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('a text that nothing has says so, and hostile texts are texts', async () => {
    for (const text of ['nothing of the sort', '" or true', '\\', '('.repeat(200), '<img src=x>']) {
      await open();
      await field().fill(text);
      await dialog().getByText('Nothing found').first().waitFor();
      assert.equal(await dialog().getByText('Some lists could not be searched.').count(), 0, text);
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
    }
  });

  test('a delegate finds what the permissions include, and nothing is refused', async () => {
    const { page: other, complaints } = await network.open();
    const refused: string[] = [];
    other.on('response', (response) => (response.status() >= 400 ? refused.push(response.url()) : 0));
    await network.logIn(other, 'reader');
    await other.keyboard.press('Control+k');
    const found = other.getByRole('dialog');
    await found.getByRole('combobox').fill('lab');
    await found.getByRole('option', { name: 'lab wiki service' }).waitFor();
    assert.deepEqual(await found.getByRole('option').allInnerTexts(), ['lab wiki service']);
    await found.getByRole('combobox').fill('new service');
    await found.getByText('Nothing found').first().waitFor();
    await found.getByRole('combobox').fill('sign out');
    await other.keyboard.press('Enter');
    await other.getByText('You are signed out.').waitFor();
    assert.deepEqual([refused, complaints], [[], []]);
  });
});
