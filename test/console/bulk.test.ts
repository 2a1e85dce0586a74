/** Several entities at once: they are selected by row, by page or by filter, previewed once, and changed in one transaction. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addEntries, type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

describe('changes of several entities', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  const bar = () => page.getByRole('region', { name: 'Selection' });
  const button = (name: string) => bar().getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const confirm = async (name: string) => {
    await dialog().getByText('Checking what this changes').waitFor({ state: 'detached' });
    await dialog().getByRole('button', { name, exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
  };
  const pick = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const countOf = async (filter: string) => (await network.controller.api.identities.list({ filter, limit: 1 })).pagination.totalCount;
  const show = (filter: string) => network.goTo(page, `#/entities/identities?filter=${encodeURIComponent(filter)}`);

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    for (let index = 0; index < 30; index++)
      await api.identities.create({
        body: { name: `phone ${String(index).padStart(2, '0')}`, type: 'Device', isAdmin: false, roleAttributes: ['phones'] },
      });
    await api.services.create({ body: { name: 'wiki', encryptionRequired: true, roleAttributes: ['web'] } });
    const semantic = 'AnyOf';
    await api.servicePolicies.create({
      body: { name: 'phones', type: 'Dial', semantic, identityRoles: ['#phones'], serviceRoles: ['#web'] },
    });
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(() => network?.close());

  test('rows that are selected by the keyboard are disabled together, and enabled again by an undo', async () => {
    await show('phone 0');
    await pick('phone 03').focus();
    await page.keyboard.press('Space');
    await pick('phone 05').focus();
    await page.keyboard.press('Space');
    await bar().getByText('2 selected').waitFor();
    await button('Disable').focus();
    await page.keyboard.press('Enter');
    await dialog().getByText('phone 03, phone 05.').waitFor();
    await confirm('Disable (2)');
    await page.getByText('2 identities disabled.').waitFor();
    await page
      .getByRole('row', { name: /phone 03/ })
      .getByText('Disabled')
      .waitFor();
    assert.equal(await pick('phone 03').isChecked(), false);
    await page.getByRole('button', { name: 'Undo' }).click();
    await confirm('Undo');
    await page.getByText('The change was undone.').waitFor();
    await page
      .getByRole('row', { name: /phone 03/ })
      .getByText('Enabled')
      .waitFor();
  });

  test('an undo does not enable what somebody else has disabled since it was selected', async () => {
    const { identities } = network.controller.api;
    await show('phone 0');
    await pick('phone 07').check();
    await pick('phone 08').check();
    const { data } = await identities.list({ filter: 'name = "phone 07"' });
    await identities.disable({ id: data[0]?.id ?? '', body: { durationMinutes: 0 } });
    await button('Disable').click();
    await confirm('Disable (2)');
    await page.getByText('2 identities disabled.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await confirm('Undo');
    await page.getByText('The change was undone.').waitFor();
    assert.equal((await identities.get({ id: data[0]?.id ?? '' })).disabled, true);
    const { data: other } = await identities.list({ filter: 'name = "phone 08"' });
    assert.equal(other[0]?.disabled, false);
  });

  test('a page is selected, then all that match, and the selection ends with the filter', async () => {
    await show('name icontains "phone"');
    await page.getByLabel('Select this page (25)').check();
    await bar().getByText('25 selected').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await pick('phone 29').check();
    await bar().getByText('26 selected').waitFor();
    await button('Select all 30').click();
    await bar().getByText('30 selected').waitFor();
    await show('phone 1');
    await pick('phone 11').waitFor();
    assert.equal(await bar().getByText('selected').count(), 0);
  });

  test('role attributes are added to all that match in one transaction, with a reason, and taken back', async () => {
    await show('phone');
    await page.getByLabel('Select this page (25)').check();
    await button('Select all 30').click();
    await button('Add role attributes').click();
    await addEntries(page, 'Role attributes', 'night');
    await button('Continue').click();
    await dialog().getByText('Nobody gains or loses access').waitFor();
    await dialog().getByLabel('Reason').fill('ticket 12');
    await confirm('Add role attributes (30)');
    await page.getByText('Role attributes added: 30 identities.').waitFor();
    assert.equal(await countOf('anyOf(roleAttributes) = "night"'), 30);
    const { data } = await network.controller.api.audit.list({ kind: 'identity', limit: 30 });
    assert.deepEqual([...new Set(data.map(({ reason, operation }) => `${reason} ${operation}`))].length, 1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await confirm('Undo');
    await page.getByText('The change was undone.').waitFor();
    assert.equal(await countOf('anyOf(roleAttributes) = "night"'), 0);
    assert.equal(await countOf('anyOf(roleAttributes) = "phones"'), 30);
  });

  test('nothing is changed if something else was changed after the preview', async () => {
    await show('phone 2');
    await pick('phone 20').check();
    await button('Delete').click();
    await dialog().getByText('1 loses access').waitFor();
    await network.controller.api.services.create({ body: { name: 'later', encryptionRequired: true } });
    await dialog().getByRole('button', { name: 'Delete (1)' }).click();
    await dialog().getByRole('alert').waitFor();
    assert.equal(await countOf('name = "phone 20"'), 1);
    await dialog().getByText('1 loses access').waitFor();
    await confirm('Delete (1)');
    await page.getByText('1 identity deleted.').waitFor();
    assert.equal(await countOf('name = "phone 20"'), 0);
  });

  test('deleted entities come back by an undo, which says what is not restored', async () => {
    await show('phone 1');
    await page.getByLabel('Select this page (10)').check();
    await button('Delete').click();
    await confirm('Delete (10)');
    await page.getByText('10 identities deleted.').waitFor();
    assert.equal(await countOf('name icontains "phone 1"'), 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await dialog().getByText('with new ids and without credentials').waitFor();
    await confirm('Undo');
    await page.getByText('The change was undone.').waitFor();
    assert.equal(await countOf('name icontains "phone 1"'), 10);
  });

  test('a delegate changes what the permissions include, and the rest is left out and counted', async () => {
    const { api } = network.controller;
    const { id } = await api.identities.create({
      body: {
        name: 'delegate',
        type: 'User',
        isAdmin: false,
        permissions: ['identity.read'],
        scopedPermissions: { 'identity.update': { roleAttributes: ['night'] } },
      },
    });
    await api.authenticators.create({ body: { identityId: id, method: 'updb', username: 'delegate', password: PASSWORD } });
    const { data } = await api.identities.list({ filter: 'name = "phone 04"' });
    await api.identities.patch({ id: data[0]?.id ?? '', body: { roleAttributes: ['night', 'phones'] } });
    const { page: other } = await network.open();
    await network.logIn(other, 'delegate');
    await network.goTo(other, '#/entities/identities?filter=phone+0');
    await other.getByLabel('Select this page (10)').check();
    const selection = other.getByRole('region', { name: 'Selection' });
    assert.equal(await selection.getByRole('button', { name: 'Delete' }).count(), 0);
    await selection.getByRole('button', { name: 'Disable', exact: true }).click();
    const asked = other.getByRole('dialog');
    await asked.getByText('because your permissions do not include them or they must stay: 9.').waitFor();
    await asked.getByRole('button', { name: 'Disable (1)' }).click();
    await other.getByText('1 identity disabled.').waitFor();
    assert.equal((await api.identities.get({ id: data[0]?.id ?? '' })).disabled, true);
    await network.goTo(other, '#/entities/services');
  });
});
