/** Audit and histories name people where they know them: who acted, and whom an entity without a name belongs to. */
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

describe('names in the audit of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  let enrollment = '';
  before(async () => {
    network = await openConsole();
    ({ page } = await network.open());
    await network.logIn(page);
    const { id } = await network.controller.api.identities.create({ body: { name: '<i>ann</i>', type: 'User', isAdmin: false } });
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    ({ id: enrollment } = await network.controller.api.enrollments.create({ body: { identityId: id, method: 'ott', expiresAt } }));
  });
  after(() => network.close());

  test('an enrollment and an API session are named after their identity', async () => {
    await network.goTo(page, '#/audit');
    await page.getByText('created enrollment of <i>ann</i>').waitFor();
    await page.getByText('created API session of Default Admin').waitFor();
  });

  test('a history names its actors, and the owner of an entity without a name', async () => {
    await network.goTo(page, `#/history/enrollment/${enrollment}`);
    await page.getByRole('heading', { name: 'History of <i>ann</i>', exact: true }).waitFor();
    await network.goTo(page, '#/entities/services/new');
    await page.getByLabel('Name (required)').fill('wiki');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('The service was created.').waitFor();
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.getByText('created by Default Admin').waitFor();
  });
});
