/** Entities and role attributes are chosen by name, with what they select beside them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';
import { until } from '../support/until.ts';

describe('pickers of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  after(() => network?.close());

  const openForm = async (route: string) => {
    const opened = await network.open();
    await network.logIn(opened.page);
    await network.goTo(opened.page, route);
    return opened;
  };
  const combobox = (page: Page, name: string) => page.getByRole('combobox', { name });
  const chips = (page: Page, name: string) => page.getByRole('list', { name }).getByRole('listitem');
  const saveShown = async (page: Page) => {
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/gains? access|loses? access/)
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
  };

  test('configs of a service are chosen by name with the keyboard, shown by name, and emptied; no id is on the page', async () => {
    const { configs, services } = network.controller.api;
    const data = { hostname: 'wiki.example', port: 80 };
    const types = { client: 'f2dd2df0-9c04-4b84-a91e-71437ac229f1', server: 'cea49285-6c07-42cf-9f52-09a9b115c783' };
    const { id: first } = await configs.create({ body: { name: 'wiki client', configTypeId: types.client, data } });
    const { id: second } = await configs.create({ body: { name: 'wiki server @home #1', configTypeId: types.server, data } });
    const { page, complaints } = await openForm('#/entities/services/new');
    await page.getByLabel('Name (required)').fill('wiki');
    await page.getByText('More fields').click();
    const field = combobox(page, 'Configs');
    await field.pressSequentially('cli');
    await page.getByRole('option', { name: 'wiki client ziti-tunneler-client.v1' }).waitFor();
    await field.press('Enter');
    await field.pressSequentially('@home #1');
    await page.getByRole('option', { name: 'wiki server @home #1' }).waitFor();
    await field.press('ArrowDown');
    await field.press('ArrowUp');
    await field.press('Enter');
    await chips(page, 'Configs').filter({ hasText: 'wiki server @home #1' }).waitFor();
    await saveShown(page);
    await page.getByText('The service was created.').waitFor();
    const service = (await services.list({ filter: 'name = "wiki"' })).data[0];
    assert.deepEqual(service?.configs?.toSorted(), [first, second].toSorted());
    await network.goTo(page, `#/entities/services/${service?.id}/edit`);
    await page.getByText('More fields').click();
    await chips(page, 'Configs').filter({ hasText: 'wiki client' }).waitFor();
    assert.ok(!(await page.locator('form').textContent())?.includes(first));
    await page.getByRole('button', { name: 'Remove: wiki client' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('button:focus', { hasText: '×' }).waitFor();
    assert.equal(await page.locator(':focus').getAttribute('aria-label'), 'Remove: wiki server @home #1');
    await page.keyboard.press('Enter');
    await page.locator('#field-configs:focus').waitFor();
    await saveShown(page);
    await page.getByText('Saved.').waitFor();
    assert.deepEqual((await services.get({ id: service?.id ?? '' })).configs, null);
    assert.deepEqual(complaints, []);
  });

  test('an auth policy is chosen by name, emptied, and a text that names none is not sent', async () => {
    const { identities, authPolicies } = network.controller.api;
    const { data } = await authPolicies.list({ filter: 'id = "default"' });
    const { id: _id, _links, createdAt, updatedAt, tags, ...policy } = data[0] ?? assert.fail();
    const { id: strict } = await authPolicies.create({ body: { ...policy, name: 'strict' } });
    const { id } = await identities.create({ body: { name: 'van', type: 'Default', isAdmin: false, authPolicyId: strict } });
    const { page } = await openForm(`#/entities/identities/${id}/edit`);
    await page.getByText('More fields').click();
    const field = combobox(page, 'Auth policy');
    await until(async () => (await page.locator('#field-authPolicyId').inputValue()) === 'strict');
    await field.fill('no such policy');
    await page.getByRole('status').getByText('Nothing found').waitFor();
    await field.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    assert.equal(
      await field.evaluate((input: { validationMessage?: string }) => input.validationMessage),
      'Choose an entry of the list, or clear the field.',
    );
    assert.equal(await page.getByRole('dialog').count(), 0);
    await field.fill('');
    await field.pressSequentially('Defau');
    await page.getByRole('listbox', { name: 'Auth policy' }).getByRole('option').first().click();
    await page.getByRole('button', { name: 'Clear: Auth policy' }).click();
    await saveShown(page);
    await page.getByText('Saved.').waitFor();
    assert.equal((await identities.get({ id })).authPolicyId, 'default');
  });

  test('a policy selects by attribute and by name; each entry and the whole say how many, as one edits; #all stands alone', async () => {
    const { identities, services, servicePolicies } = network.controller.api;
    const create = (name: string, ...roleAttributes: string[]) =>
      identities.create({ body: { name, type: 'Default', isAdmin: false, roleAttributes } });
    for (const name of ['ann', 'bob', 'cem']) await create(name, 'staff', name === 'ann' ? 'night' : 'day');
    const { id: odd } = await create('#odd @one', 'guest');
    await services.create({ body: { name: 'mail', encryptionRequired: true, roleAttributes: ['office'] } });
    const { page, complaints } = await openForm('#/entities/servicePolicies/new');
    await page.getByLabel('Name (required)').fill('staff dials');
    await page.getByLabel('Type (required)').selectOption('Dial');
    await page.getByLabel('Semantic (required)').selectOption('AnyOf');
    const field = combobox(page, 'Identity roles');
    await field.pressSequentially('#sta');
    await page.getByRole('option', { name: '#staff' }).click();
    await chips(page, 'Identity roles').filter({ hasText: '#staff 3 identities' }).waitFor();
    await page.getByText('Selects 3 identities.').waitFor();
    await field.pressSequentially('@odd');
    await page.getByRole('option', { name: '@#odd @one' }).waitFor();
    await field.press('Enter');
    await page.getByText('Selects 4 identities.').waitFor();
    await field.pressSequentially('#night');
    await field.press('Enter');
    await page.getByLabel('Semantic (required)').selectOption('AllOf');
    await page.getByText('Selects 2 identities.').waitFor();
    await combobox(page, 'Service roles').fill('#office');
    await page.getByText('Selects 1 service.').waitFor({ state: 'detached' });
    await page.getByLabel('Name (required)').focus();
    await page.getByText('Selects 1 service.').waitFor();
    await saveShown(page);
    await page.getByText('The service policy was created.').waitFor();
    const policy = (await servicePolicies.list({ filter: 'name = "staff dials"' })).data[0];
    assert.deepEqual(policy?.identityRoles?.toSorted(), ['#night', '#staff', `@${odd}`]);
    await page.getByRole('link', { name: '@#odd @one' }).waitFor();
    await page.locator('table.differences').getByText('@#odd @one').waitFor({ state: 'attached' });
    assert.ok(!((await page.locator('main').textContent()) ?? '').includes(`@${odd}`));
    await network.goTo(page, `#/entities/servicePolicies/${policy?.id}/edit`);
    await chips(page, 'Identity roles').filter({ hasText: '@#odd @one' }).waitFor();
    await field.pressSequentially('#all');
    await field.press('Enter');
    await chips(page, 'Identity roles').filter({ hasText: 'everything' }).waitFor();
    assert.equal(await chips(page, 'Identity roles').count(), 1);
    assert.deepEqual(complaints, []);
  });

  test('an entity that exists no more is said to be gone, and can be removed', async () => {
    const { identities, policyTests, services } = network.controller.api;
    const { id } = await identities.create({ body: { name: 'leaver', type: 'Default', isAdmin: false } });
    const { id: serviceId } = await services.create({ body: { name: 'desk', encryptionRequired: true } });
    const { id: testId } = await policyTests.create({ body: { name: 'leaver', identityId: id, serviceId, expect: 'none' } });
    await identities.delete({ id });
    const { page } = await openForm(`#/entities/policyTests/${testId}/edit`);
    await page.getByText('More fields').click();
    await page.getByText('This no longer exists.').waitFor();
    await page.getByRole('button', { name: 'Clear: Identity' }).click();
    assert.equal(await combobox(page, 'Identity').first().inputValue(), '');
    const attributes = combobox(page, 'Identity attributes');
    await attributes.fill('staff');
    await attributes.press('Enter');
    await saveShown(page);
    await page.getByText('Saved.').waitFor();
    const saved = await policyTests.get({ id: testId });
    assert.deepEqual([saved.identityId || null, saved.identityAttributes], [null, ['staff']]);
  });
});
