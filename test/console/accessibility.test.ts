/** Every page of the console satisfies the rules of WCAG 2.2 AA that axe checks, light and dark. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { violationsOf } from '../support/axe.ts';
import { addEntries, type ConsoleInBrowser, inBrowser } from '../support/console-in-browser.ts';
import { type EveryPage, openEveryPage } from '../support/every-page.ts';

describe('the console for everyone', inBrowser, () => {
  let network: ConsoleInBrowser;
  let service = '';
  let routes: EveryPage['routes'] = {};

  before(async () => {
    ({ network, routes, service } = await openEveryPage());
  });
  after(() => network?.close());

  for (const colorScheme of ['light', 'dark'] as const)
    test(`each page satisfies WCAG 2.2 AA, ${colorScheme}`, async () => {
      const { page } = await network.open();
      await page.emulateMedia({ colorScheme });
      await network.logIn(page);
      const violations: string[] = [];
      for (const [name, route] of Object.entries(routes)) {
        await network.goTo(page, route);
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
        for (const violation of await violationsOf(page)) violations.push(`${name}: ${violation}`);
      }
      await network.goTo(page, '#/setup/publish-service');
      await page.getByLabel('Name (required)').fill('shop');
      await page.getByLabel('Addresses (required)').fill('shop.example.com');
      await page.getByLabel('Ports (required)').fill('none');
      await page.getByRole('button', { name: 'Next' }).click();
      await page.locator('[id="field-ports-problem"]').waitFor();
      for (const violation of await violationsOf(page)) violations.push(`wrong entry of a setup: ${violation}`);
      await network.goTo(page, routes['edit'] ?? '');
      await page.getByText('More fields').click();
      await page.getByRole('button', { name: 'Remove: host' }).waitFor();
      await page.getByRole('combobox', { name: 'Configs' }).press('ArrowDown');
      await page.getByRole('combobox', { name: 'Role attributes' }).pressSequentially('we');
      await page.getByRole('option', { name: 'New: we' }).waitFor();
      for (const violation of await violationsOf(page)) violations.push(`open list: ${violation}`);
      await network.goTo(page, routes['lists of parts'] ?? '');
      await page.getByRole('button', { name: 'Add: Operating systems' }).click();
      await page.getByRole('group', { name: 'Entry 2' }).getByLabel('Versions').fill('none');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('group', { name: 'Entry 2' }).getByText('Versions must be').waitFor();
      for (const violation of await violationsOf(page)) violations.push(`wrong entry: ${violation}`);
      await network.goTo(page, routes['history'] ?? '');
      await page.getByRole('button', { name: 'Revert to this state' }).click();
      await page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
      for (const violation of await violationsOf(page)) violations.push(`dialog: ${violation}`);
      await network.goTo(page, '#/entities/identities');
      await page.evaluate("document.querySelectorAll('.views details').forEach((each) => { each.open = true; })");
      await page.getByLabel(/Select this page/).check();
      await page.getByRole('button', { name: 'Add role attributes' }).click();
      await page.getByRole('button', { name: 'Continue' }).waitFor();
      for (const violation of await violationsOf(page)) violations.push(`selection: ${violation}`);
      await network.goTo(page, '#/');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('wiki');
      await page.getByRole('option', { name: 'wiki' }).first().waitFor();
      for (const violation of await violationsOf(page)) violations.push(`search everywhere: ${violation}`);
      await network.goTo(page, routes['edit'] ?? '');
      await addEntries(page, 'Role attributes', `mine-${colorScheme}`);
      await network.controller.api.services.patch({ id: service, body: { roleAttributes: [`theirs-${colorScheme}`] } });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Continue' }).waitFor();
      for (const violation of await violationsOf(page)) violations.push(`review: ${violation}`);
      assert.deepEqual(violations, []);
    });

  test('the console is used by the keyboard alone', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'MAIN');
    await network.goTo(page, '#/entities/services/new');
    await page.getByLabel('Name (required)').focus();
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nobody gains or loses access').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The service was created.').waitFor();
  });
});
