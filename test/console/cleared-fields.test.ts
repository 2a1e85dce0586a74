/** Optional fields that are emptied in a form are empty afterwards, or the form says that they cannot be. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

describe('emptied fields of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  after(() => network?.close());

  test('an emptied number gets its default, and all other fields keep their values', async () => {
    const { api } = network.controller;
    const { id } = await api.edgeRouters.create({
      body: { name: 'edge', cost: 7, noTraversal: true, roleAttributes: ['public'], appData: { floor: 2 }, tags: { place: 'attic' } },
    });
    const { page } = await network.open();
    await network.logIn(page);
    await network.goTo(page, `#/entities/edgeRouters/${id}/edit`);
    await page.getByText('More fields').click();
    await page.getByLabel('Cost').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { name, cost, noTraversal, roleAttributes, appData, tags } = await api.edgeRouters.get({ id });
    assert.deepEqual(
      { name, cost, noTraversal, roleAttributes, appData, tags },
      { name: 'edge', cost: 0, noTraversal: true, roleAttributes: ['public'], appData: { floor: 2 }, tags: { place: 'attic' } },
    );
  });

  test('an emptied field does not undo what someone else has changed in the meantime', async () => {
    const { api } = network.controller;
    const { id } = await api.edgeRouters.create({ body: { name: 'far', cost: 7 } });
    const { page } = await network.open();
    await network.logIn(page);
    await network.goTo(page, `#/entities/edgeRouters/${id}/edit`);
    await page.getByText('More fields').click();
    await page.getByLabel('Cost').fill('');
    await api.edgeRouters.patch({ id, body: { noTraversal: true } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Their changes are in the form below').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { cost, noTraversal } = await api.edgeRouters.get({ id });
    assert.deepEqual({ cost, noTraversal }, { cost: 0, noTraversal: true });
  });

  test('the end of a policy, which the controller keeps, cannot be emptied: the form says so beside the field', async () => {
    const validUntil = new Date(Date.now() + 864e5).toISOString();
    const { id } = await network.controller.api.servicePolicies.create({
      body: { name: 'guests', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#guest'], serviceRoles: ['#web'], validUntil },
    });
    const { page } = await network.open();
    await network.logIn(page);
    await network.goTo(page, `#/entities/servicePolicies/${id}/edit`);
    await page.getByText('More fields').click();
    await page.getByLabel('Valid until').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.wrong').getByText('Valid until cannot be removed').waitFor();
  });
});
