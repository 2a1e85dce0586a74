/** The notice of each save and deletion offers to undo it, after the same preview, unless somebody has changed more since. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

describe('taking back the last change', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  const dialog = () => page.getByRole('dialog');
  const confirm = async (name: string) => {
    await dialog().getByText('Checking what this changes').waitFor({ state: 'detached' });
    await dialog().getByRole('button', { name, exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
  };
  const rename = async (group: string, id: string, name: string) => {
    await network.goTo(page, `#/entities/${group}/${id}/edit`);
    await page.getByLabel('Name (required)').fill(name);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    if (group !== 'configs') await confirm('Save');
    await page.getByText('Saved.').waitFor();
  };
  const undo = () => page.getByRole('button', { name: 'Undo', exact: true });

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    const { id } = await api.identities.create({
      body: { name: 'delegate', type: 'User', isAdmin: false, permissions: ['service'] },
    });
    await api.authenticators.create({ body: { identityId: id, method: 'updb', username: 'delegate', password: PASSWORD } });
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(() => network?.close());

  const aService = async (name: string) => {
    const { services } = network.controller.api;
    return (await services.create({ body: { name, encryptionRequired: true, roleAttributes: ['web'] } })).id;
  };

  test('a save is undone on its notice, with what that does to access', async () => {
    const { api } = network.controller;
    const id = await aService('wiki');
    await api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['staff'] } });
    await api.servicePolicies.create({
      body: { name: 'staff', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#staff'], serviceRoles: ['#web'] },
    });
    await network.goTo(page, `#/entities/services/${id}/edit`);
    await page.getByRole('button', { name: 'Remove: web' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog().getByText('1 loses access').waitFor();
    await confirm('Save');
    await undo().click();
    await dialog().getByText('1 gains access').waitFor();
    await confirm('Undo');
    await page.getByText('The change was undone.').waitFor();
    await page.getByRole('definition').getByText('web').waitFor();
    assert.deepEqual((await api.services.get({ id })).roleAttributes, ['web']);
    assert.equal(await undo().count(), 0);
  });

  test('a change without a preview of access is undone, too', async () => {
    const { configs } = network.controller.api;
    const data = { protocol: 'tcp', address: 'db', port: 1 };
    const { id } = await configs.create({ body: { name: 'host', configTypeId: 'NH5p4FpGR', data } });
    await rename('configs', id, 'guest');
    await undo().click();
    await confirm('Undo');
    await page.getByRole('heading', { level: 1, name: 'host' }).waitFor();
    assert.equal((await configs.get({ id })).name, 'host');
  });

  test('nothing is undone if the network has changed since', async () => {
    const { services } = network.controller.api;
    const id = await aService('shop');
    await rename('services', id, 'store');
    await services.patch({ id, body: { terminatorStrategy: 'weighted' } });
    await undo().click();
    await dialog().getByRole('alert').waitFor();
    assert.equal(await dialog().getByRole('button', { name: 'Undo', exact: true }).isDisabled(), true);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await services.get({ id })).name, 'store');
  });

  test('no undo is offered if somebody else has changed the entity before the notice of the save', async () => {
    const { services } = network.controller.api;
    const id = await aService('yard');
    await page.route(`**/services/${id}`, async (route) => {
      const isSave = route.request().method() === 'PATCH' && route.request().headers()['prefer'] === undefined;
      const response = await route.fetch();
      if (isSave) await services.patch({ id, body: { terminatorStrategy: 'weighted' } });
      await route.fulfill({ response });
    });
    await rename('services', id, 'court');
    await page.getByText('This cannot be undone.').waitFor();
    assert.equal(await undo().count(), 0);
    await page.unroute(`**/services/${id}`);
  });

  test('a creation and a deletion are undone', async () => {
    const { services } = network.controller.api;
    await network.goTo(page, '#/entities/services/new');
    await page.getByLabel('Name (required)').fill('short-lived');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await confirm('Save');
    await page.getByText('The service was created.').waitFor();
    await undo().click();
    await confirm('Undo');
    await page.getByText('The change was undone.').waitFor();
    assert.equal((await services.list({ filter: 'name = "short-lived"' })).data.length, 0);
    const id = await aService('archive'); // the policy gives it to ann
    await network.goTo(page, `#/entities/services/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await confirm('Delete');
    await page.getByText('archive was deleted.').waitFor();
    await undo().click();
    await dialog().getByText('with new ids and without credentials').waitFor();
    await confirm('Undo');
    await page.getByRole('rowheader', { name: 'archive' }).waitFor();
  });

  test('a delegate takes a change back by the right that made it; the notice of one that the session may not undo says so', async () => {
    const { api } = network.controller;
    const id = await aService('desk');
    const opened = await network.open();
    const admin = page;
    ({ page } = opened);
    await network.logIn(page, 'delegate');
    await rename('services', id, 'bench');
    await undo().click();
    await confirm('Undo');
    await page.getByText('The change was undone.').waitFor();
    const { name, roleAttributes } = await api.services.get({ id });
    assert.deepEqual([name, roleAttributes], ['desk', ['web']]);
    const { data } = await api.audit.list({ kind: 'service', entityId: id, limit: 1 });
    assert.equal(data[0]?.operation, 'services.patch');
    await page.getByRole('button', { name: 'Delete' }).click();
    await confirm('Delete');
    await page.getByText('This cannot be undone.').waitFor();
    assert.equal(await undo().count(), 0);
    page = admin;
  });
});
