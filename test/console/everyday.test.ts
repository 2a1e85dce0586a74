/** Everyday work with lists and entities: copies, exports, views of lists, role attributes. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

describe('everyday work in the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  let complaints: readonly string[];
  const dialog = () => page.getByRole('dialog');
  const confirm = async (name: string) => {
    await dialog().getByText('Checking what this changes').waitFor({ state: 'detached' });
    await dialog().getByRole('button', { name, exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
  };
  const facet = (name: string) => page.getByRole('group', { name: 'Narrow the list' }).getByRole('combobox', { name, exact: true });
  const exported = async (name: string): Promise<string> => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    return readFile(await file.path(), 'utf8');
  };

  before(async () => {
    network = await openConsole();
    const { identities } = network.controller.api;
    for (const type of ['User', 'Device'] as const)
      for (let index = 0; index < 3; index++)
        await identities.create({ body: { name: `narrow ${type} ${index}`, type, isAdmin: type === 'User' && index === 0 } });
    ({ page, complaints } = await network.open());
    await network.logIn(page);
  });
  after(() => network?.close());

  test('all that matches is exported, and no cell is a formula', async () => {
    const { services } = network.controller.api;
    const names = ['=1+1', '+1', '-1', '@x', '\ttab', 'a "quoted", one', 'plain'];
    for (const name of names) await services.create({ body: { name, encryptionRequired: true, roleAttributes: ['exported', 'web'] } });
    for (let index = 0; index < 30; index++) await services.create({ body: { name: `other ${index}`, encryptionRequired: true } });
    await network.goTo(page, `#/entities/services?filter=${encodeURIComponent('anyOf(roleAttributes) = "exported"')}`);
    const csv = await exported('Export CSV');
    await page.getByText('7 exported.').waitFor();
    const [heading = '', ...rows] = csv.trimEnd().split('\r\n');
    assert.equal(rows.length, 7);
    assert.ok(heading.split(',').includes('name') && !heading.includes('_links'));
    for (const each of ["'=1+1", "'+1", "'-1", "'@x", "'\ttab", '"a ""quoted"", one"', 'plain', 'exported; web'])
      assert.ok(csv.includes(`,${each},`), each);
    await network.goTo(page, '#/entities/services');
    const json = JSON.parse(await exported('Export JSON')) as readonly { readonly name: string }[];
    await page.getByText('37 exported.').waitFor();
    assert.equal(json.length, 37);
    assert.ok(names.every((each) => json.some((service) => service.name === each)));
    assert.deepEqual(complaints, []);
  });

  test('ids are copied by a button, which says so', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const { id } = await network.controller.api.services.create({ body: { name: 'copied', encryptionRequired: true } });
    await network.goTo(page, `#/entities/services/${id}`);
    await page.getByRole('button', { name: 'Copy: ID' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Copied.').waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), id);
  });

  test('a copy has all but the name, which is asked for', async () => {
    const { postureChecks } = network.controller.api;
    const { id } = await postureChecks.create({
      body: { name: 'systems', typeId: 'OS', operatingSystems: [{ type: 'Windows', versions: ['>=10'] }], roleAttributes: ['managed'] },
    });
    await network.goTo(page, `#/entities/postureChecks/${id}`);
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { level: 1, name: 'New, as a copy of systems' }).waitFor();
    const name = page.getByLabel('Name (required)');
    assert.equal(await name.inputValue(), '');
    await name.fill('other systems');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await confirm('Save');
    await page.getByText('The posture check was created.').waitFor();
    const { data } = await postureChecks.list({ filter: 'name = "other systems"' });
    const [copy] = data;
    assert.deepEqual(copy?.roleAttributes, ['managed']);
    assert.deepEqual(Object(copy).operatingSystems, [{ type: 'Windows', versions: ['>=10'] }]);
  });

  test('a copy of an identity has no rights that a delegate may not give', async () => {
    const { identities, authenticators } = network.controller.api;
    const { id } = await identities.create({ body: { name: 'delegate', type: 'User', isAdmin: false, permissions: ['identity'] } });
    await authenticators.create({ body: { identityId: id, method: 'updb', username: 'delegate', password: PASSWORD } });
    const { page: other } = await network.open();
    await network.logIn(other, 'delegate');
    await network.goTo(other, `#/entities/identities/new?from=${id}`);
    await other.getByLabel('Name (required)').fill('second delegate');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await other.getByText('The identity was created.').waitFor();
    const { data } = await identities.list({ filter: 'name = "second delegate"' });
    assert.deepEqual([data[0]?.isAdmin, data[0]?.permissions ?? []], [false, []]);
  });

  test('a list is narrowed by the fields with few values, together with a filter, in its address', async () => {
    await network.goTo(page, '#/entities/identities?filter=narrow');
    await page.getByText('1–6 of 6').waitFor();
    await facet('Type').selectOption('Router');
    await page.getByText('Nothing matches this filter.').waitFor();
    await facet('Type').selectOption('Default');
    await page.getByText('1–6 of 6').waitFor();
    await facet('Admin').selectOption({ label: 'No' });
    await page.getByText('1–5 of 5').waitFor();
    assert.match(page.url(), /is=type%3ADefault%2CisAdmin%3Afalse/);
    await page.reload();
    await page.getByText('1–5 of 5').waitFor();
    await facet('Admin').selectOption({ label: 'Yes' });
    await page.getByText('1–1 of 1').waitFor();
    await network.goTo(page, '#/entities/identities?is=nonsense:1,<b>,type:"');
    await page.getByText('The list cannot be narrowed by nonsense').waitFor();
    await page.getByRole('rowheader').first().waitFor();
  });

  test('columns, density and saved filters stay in this browser, for this person only', async () => {
    await network.goTo(page, '#/entities/identities?filter=narrow');
    await page.locator('summary', { hasText: 'Columns' }).click();
    const choices = page.getByRole('group', { name: 'Columns' });
    await choices.getByLabel('Created at').check();
    await choices.getByLabel('Role attributes').uncheck();
    await page.getByRole('columnheader', { name: 'Created at' }).waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'Role attributes' }).count(), 0);
    await page.getByLabel('Compact rows').check();
    await page.locator('table.compact').waitFor();
    await page.getByText('Saved filters (0)').click();
    await page.getByLabel('Name of the filter').fill('the narrow ones');
    await page.keyboard.press('Enter');
    await page.getByText('Saved filters (1)').waitFor();
    await network.goTo(page, '#/entities/identities');
    await page.getByRole('columnheader', { name: 'Created at' }).waitFor();
    await page.getByRole('link', { name: 'the narrow ones' }).click();
    await page.getByText('1–6 of 6').waitFor();
    await page.evaluate("for (const key of Object.keys(localStorage)) if (key.includes(' list ')) localStorage.setItem(key, '[{]')");
    await page.reload();
    await page.getByText('Saved filters (0)').waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'Created at' }).count(), 0);
    assert.deepEqual(complaints, []);
  });

  test('a list of policies has the names of those that a policy refers to by their ids', async () => {
    const { services, servicePolicies } = network.controller.api;
    const { id } = await services.create({ body: { name: 'only one', encryptionRequired: true } });
    await servicePolicies.create({
      body: { name: 'for one service', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#staff'], serviceRoles: [`@${id}`] },
    });
    await network.goTo(page, '#/entities/servicePolicies');
    await page
      .getByRole('row', { name: /for one service/ })
      .getByText('@only one')
      .waitFor();
  });

  test('a copy of an administrator has neither its rights nor its enrollment', async () => {
    const { identities } = network.controller.api;
    const { id } = await identities.create({
      body: { name: 'chief', type: 'User', isAdmin: true, roleAttributes: ['chiefs'], enrollment: { updb: 'chief' } },
    });
    await network.goTo(page, `#/entities/identities/new?from=${id}`);
    await page.getByLabel('Name (required)').fill('assistant');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await confirm('Save');
    await page.getByText('The identity was created.').waitFor();
    const { data } = await identities.list({ filter: 'name = "assistant"' });
    const [copy] = data;
    assert.deepEqual([copy?.isAdmin, copy?.enrollment, copy?.roleAttributes], [false, {}, ['chiefs']]);
  });

  test('a rename takes back nothing that somebody else has changed since it was previewed', async () => {
    const { identities } = network.controller.api;
    const { id } = await identities.create({
      body: { name: 'dismissed', type: 'User', isAdmin: false, roleAttributes: ['team-a', 'vpn'] },
    });
    await network.goTo(page, '#/attributes/identities');
    await page.getByRole('button', { name: 'Rename: team-a' }).click();
    await page.getByLabel('New name of team-a').fill('team-b');
    await page.keyboard.press('Enter');
    await dialog().getByText('Nobody gains or loses access').waitFor();
    await identities.patch({ id, body: { roleAttributes: ['team-a'] } });
    await Promise.all([
      page.waitForResponse((response) => response.status() === 412),
      dialog().getByRole('button', { name: 'Rename', exact: true }).click(),
    ]);
    await confirm('Rename');
    await page.getByText('team-a was renamed to team-b.').waitFor();
    assert.deepEqual((await identities.get({ id })).roleAttributes, ['team-b']);
  });

  test('a rename takes attributes that look like references of a batch as they are', async () => {
    const { identities } = network.controller.api;
    const attributes = ['$$2.id', '$1.id', 'spring'];
    const ids = [];
    for (const name of ['hostile 1', 'hostile 2'])
      ids.push((await identities.create({ body: { name, type: 'User', isAdmin: false, roleAttributes: attributes } })).id);
    await network.goTo(page, '#/entities/identities');
    await page.getByRole('link', { name: 'Role attributes' }).click();
    await page.getByRole('button', { name: 'Rename: spring' }).click();
    await page.getByLabel('New name of spring').fill('$1.name');
    await page.keyboard.press('Enter');
    await confirm('Rename');
    await page.getByText('spring was renamed to $1.name.').waitFor();
    for (const id of ids) assert.deepEqual((await identities.get({ id })).roleAttributes?.toSorted(), ['$$2.id', '$1.id', '$1.name']);
  });

  test('a role attribute is renamed everywhere in one transaction, and back again', async () => {
    const { api } = network.controller;
    const semantic = 'AnyOf';
    const ann = await api.identities.create({
      body: { name: 'renamed ann', type: 'User', isAdmin: false, roleAttributes: ['old-name', 'other'] },
    });
    const service = await api.services.create({ body: { name: 'renamed wiki', encryptionRequired: true, roleAttributes: ['old-name'] } });
    const policy = await api.servicePolicies.create({
      body: { name: 'renamed', type: 'Dial', semantic, identityRoles: ['#old-name'], serviceRoles: [`@${service.id}`] },
    });
    const policyTest = await api.policyTests.create({
      body: { name: 'renamed', identityAttributes: ['old-name'], serviceId: service.id, expect: 'dial' },
    });
    const scope = { roleAttributes: ['old-name', 'mine'], assignableRoleAttributes: ['old-name'] };
    const delegate = await api.identities.create({
      body: {
        name: 'renamed delegate',
        type: 'User',
        isAdmin: false,
        scopedPermissions: { 'identity.update': scope, 'service.read': scope },
      },
    });
    const read = async () => ({
      scopes: (await api.identities.get({ id: delegate.id })).scopedPermissions,
      identity: (await api.identities.get({ id: ann.id })).roleAttributes,
      service: (await api.services.get({ id: service.id })).roleAttributes,
      policy: (await api.servicePolicies.get({ id: policy.id })).identityRoles,
      test: (await api.policyTests.get({ id: policyTest.id })).identityAttributes,
    });
    const was = await read();
    await network.goTo(page, '#/entities/identities');
    await page.getByRole('link', { name: 'Role attributes' }).click();
    await page.getByRole('button', { name: 'Rename: old-name' }).click();
    await page.getByLabel('New name of old-name').fill('new-name');
    await page.keyboard.press('Enter');
    await dialog().getByText('Changed together: 2 identities, 1 service policy, 1 policy test.').waitFor();
    await dialog().getByText('Nobody gains or loses access').waitFor();
    await confirm('Rename');
    await page.getByText('old-name was renamed to new-name.').waitFor();
    await page.getByRole('rowheader', { name: 'new-name' }).waitFor();
    assert.deepEqual(await read(), {
      scopes: {
        'identity.update': { roleAttributes: ['new-name', 'mine'], assignableRoleAttributes: ['new-name'] },
        'service.read': scope,
      },
      identity: ['new-name', 'other'],
      service: ['old-name'],
      policy: ['#new-name'],
      test: ['new-name'],
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await confirm('Undo');
    await page.getByRole('rowheader', { name: 'old-name' }).waitFor();
    assert.deepEqual(await read(), was);
  });
});
