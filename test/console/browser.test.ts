/**
 * The console in Chromium, as a person uses it: Debian's package `chromium`, or the command in `CHROMIUM`. With `PICTURES=docs/pictures` it
 * takes the pictures of the guide.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addEntries, type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';

/** Takes a picture for the guide, if asked for. */
const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env['PICTURES'];
  if (folder) await page.screenshot({ path: `${folder}/console-${name}.png` });
};

describe('the console in a browser', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  after(() => network?.close());
  const open = () => network.open();
  const logIn = (page: Page, username?: string) => network.logIn(page, username);
  const goTo = (page: Page, route: string) => network.goTo(page, route);

  /** Saves a form whose change is shown first. */
  const save = async (page: Page, reason = '') => {
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('gain', { exact: false }).first().waitFor();
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: 'Save' }).click();
  };

  test('someone logs in and sees the overview; no token is in an address or outlives the tab', async () => {
    const { page, complaints } = await open();
    await logIn(page);
    await page.getByText('No edge routers yet').waitFor();
    await page.getByRole('link', { name: '1 Identities' }).waitFor();
    assert.equal(page.url(), `${network.address}/console/`);
    assert.equal(await page.evaluate('localStorage.length'), 0);
    assert.deepEqual(complaints, []);
  });

  test('a change is on the overview as soon as it is made', async () => {
    const { page } = await open();
    await logIn(page);
    await network.controller.api.services.create({ body: { name: 'wiki', encryptionRequired: true } });
    await page.getByRole('listitem').filter({ hasText: 'Service wiki created' }).waitFor();
    await picture(page, 'overview');
  });

  test('an identity with a hostile name is created by the form, and its name is text everywhere', async () => {
    const { page, complaints } = await open();
    await logIn(page);
    await page.getByRole('link', { name: 'Identities', exact: true }).click();
    await page.getByRole('link', { name: 'New identity' }).click();
    await page.getByLabel('Name (required)').fill(HOSTILE);
    await addEntries(page, 'Role attributes', 'sales', '<b>lab</b>');
    await save(page, 'for the test');
    await page.getByText('The identity was created.').waitFor();
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await goTo(page, '#/entities/identities');
    await page.getByRole('rowheader', { name: HOSTILE }).waitFor();
    await goTo(page, '#/');
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    assert.equal(await page.evaluate("document.querySelectorAll('img').length"), 1);
    assert.doesNotMatch(await page.title(), /owned/);
    assert.deepEqual(complaints, []);
    const { data } = await network.controller.api.identities.list({ filter: 'anyOf(roleAttributes) = "sales"' });
    assert.deepEqual(
      data.map(({ name, roleAttributes }) => [name, roleAttributes]),
      [[HOSTILE, ['<b>lab</b>', 'sales']]],
    );
    const { data: changes } = await network.controller.api.changes.list({ kinds: ['identity'], order: 'newest', limit: 1 });
    assert.equal(changes[0]?.reason, 'for the test');
  });

  test('an entity is found by the filter, edited and deleted', async () => {
    const { page } = await open();
    await logIn(page);
    const { id } = await network.controller.api.services.create({ body: { name: 'printer', encryptionRequired: true } });
    await goTo(page, '#/entities/services');
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('na');
    await page.getByRole('option', { name: 'name' }).waitFor();
    await picture(page, 'list');
    await filter.press('ArrowDown');
    await filter.press('Enter');
    await filter.pressSequentially('= "printer"');
    await filter.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('link', { name: 'printer' }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await addEntries(page, 'Role attributes', 'office');
    await save(page);
    await page.getByText('Saved.').waitFor();
    assert.deepEqual((await network.controller.api.services.get({ id })).roleAttributes, ['office']);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('printer was deleted.').waitFor();
  });

  test('an error says what is wrong and what to do, and the form stays', async () => {
    const { page } = await open();
    await logIn(page);
    await goTo(page, '#/entities/services/new');
    await page.getByLabel('Name (required)').fill('twice');
    await network.controller.api.services.create({ body: { name: 'twice', encryptionRequired: true } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'name must be unique' }).filter({ hasText: 'Correct the field' }).waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'twice');
    await page.getByRole('alert').scrollIntoViewIfNeeded();
    await picture(page, 'refused');
  });

  test('a session that ends in the middle of a form loses nothing: after a login the form is as it was', async () => {
    const { page } = await open();
    await logIn(page);
    await goTo(page, '#/entities/services/new');
    await page.getByLabel('Name (required)').fill('unfinished');
    const { data } = await network.controller.api.identities.list({ filter: 'isDefaultAdmin = true' });
    await network.controller.api.revocations.create({
      body: { id: data[0]?.id ?? '', type: 'IDENTITY' },
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await network.fillLogin(page);
    await page.getByText('Your earlier entries have been restored.').waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'unfinished');
    await save(page);
    await page.getByText('The service was created.').waitFor();
  });

  test('a delegated administrator sees what the permissions include, and nothing else', async () => {
    const { id } = await network.controller.api.identities.create({
      body: { name: 'dora', type: 'User', isAdmin: false, permissions: ['service.read'] },
    });
    await network.controller.api.authenticators.create({ body: { identityId: id, method: 'updb', username: 'dora', password: PASSWORD } });
    const { page, complaints } = await open();
    await logIn(page, 'dora');
    await page.getByRole('link', { name: 'Services', exact: true }).click();
    await page.getByRole('heading', { name: 'Services' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'New service' }).count(), 0);
    const links = await page.getByRole('navigation', { name: 'Navigation' }).getByRole('link').allTextContents();
    assert.ok(!links.includes('Identities'), links.join());
    assert.deepEqual(complaints, []);
  });

  test('someone sees who reaches a service and why another does not, grants it, and sees before that who else gains it', async () => {
    const { api } = network.controller;
    const identity = async (name: string, ...roleAttributes: string[]) =>
      (await api.identities.create({ body: { name, type: 'User', isAdmin: false, roleAttributes } })).id;
    await identity('ann', 'staff');
    const eve = await identity('eve');
    const service = await api.services.create({ body: { name: 'payroll', encryptionRequired: true } });
    await api.servicePolicies.create({
      body: { name: 'staff dials payroll', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#staff'], serviceRoles: [`@${service.id}`] },
    });
    const { page, complaints } = await open();
    await logIn(page);
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await page.getByRole('combobox', { name: 'Service' }).first().fill('payroll');
    await page.getByRole('option', { name: 'payroll' }).click();
    const figure = page.getByRole('figure', { name: 'Who reaches what: payroll' });
    await figure.locator('text', { hasText: 'staff dials payroll' }).waitFor();
    await figure.locator('text', { hasText: '1 identity' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'ann' }).filter({ hasText: 'staff dials payroll' }).waitFor();
    await picture(page, 'access');
    await goTo(page, `#/access/explain/${eve}/${service.id}`);
    await page.getByText('eve may not dial payroll.').waitFor();
    await picture(page, 'denial');
    await page.getByRole('button', { name: 'Preview' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Gained (1)' }).waitFor();
    await dialog.getByLabel('Reason').fill('ticket 7');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('eve may dial payroll.').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('someone sees in the audit who changed what, verifies the chain, and takes a change back after seeing what that does', async () => {
    const { api } = network.controller;
    const { id } = await api.identities.create({ body: { name: 'ben', type: 'User', isAdmin: false, roleAttributes: ['readers'] } });
    const service = await api.services.create({ body: { name: 'archive', encryptionRequired: true } });
    await api.servicePolicies.create({
      body: { name: 'readers', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#readers'], serviceRoles: [`@${service.id}`] },
    });
    await api.policyTests.create({ body: { name: 'ben reads', identityId: id, serviceId: service.id, expect: 'dial' } });
    const options = { actor: 'sso:mallory', reason: 'cleaning up', overrideTests: true } as const;
    await api.identities.patch({ id, body: { roleAttributes: [] } }, options);
    const { page, complaints } = await open();
    await logIn(page);
    await page.getByRole('link', { name: 'Audit', exact: true }).click();
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText(/^All \d+ records are unmodified/).waitFor();
    const record = page.getByRole('listitem').filter({ hasText: 'sso:mallory' }).filter({ hasText: 'cleaning up' });
    await record.getByText('A policy test was overridden: ben reads').waitFor();
    await record.getByText('1 field').click();
    await record.getByRole('row').filter({ hasText: 'Role attributes' }).filter({ hasText: 'readers' }).waitFor();
    await picture(page, 'audit');
    await record.getByRole('link', { name: 'ben' }).click();
    await page.getByRole('heading', { name: 'History of ben' }).waitFor();
    await page.getByText('A policy test was overridden: ben reads').waitFor();
    await page.getByRole('button', { name: 'Revert to this state' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Gained (1)' }).waitFor();
    await dialog.getByLabel('Reason').fill('by mistake');
    await dialog.getByRole('button', { name: 'Revert to this state' }).click();
    await page.getByText('by mistake').waitFor();
    assert.deepEqual((await api.identities.get({ id })).roleAttributes, ['readers']);
    assert.deepEqual(complaints, []);
  });

  test('what a change would take away is shown before it is saved, and more than was shown is not taken', async () => {
    const { api } = network.controller;
    const service = await api.services.create({ body: { name: 'printer room', encryptionRequired: true } });
    const { id } = await api.identities.create({ body: { name: 'cay', type: 'User', isAdmin: false, roleAttributes: ['floor'] } });
    await api.servicePolicies.create({
      body: { name: 'floor', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#floor'], serviceRoles: [`@${service.id}`] },
    });
    const { page } = await open();
    await logIn(page);
    await goTo(page, `#/entities/identities/${id}/edit`);
    await page.getByRole('button', { name: 'Remove: floor' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Lost (1)' }).waitFor();
    await picture(page, 'lost');
    const more = await api.services.create({ body: { name: 'lift', encryptionRequired: true } });
    await api.servicePolicies.create({
      body: { name: 'lift', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#floor'], serviceRoles: [`@${more.id}`] },
    });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('heading', { name: 'Lost (2)' }).waitFor();
    assert.deepEqual((await api.identities.get({ id })).roleAttributes, ['floor']);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
  });

  test('a change that would take access from someone else than was shown is shown again before it is carried out', async () => {
    const { api } = network.controller;
    const service = await api.services.create({ body: { name: 'vault', encryptionRequired: true } });
    const identity = async (name: string, ...roleAttributes: string[]) =>
      (await api.identities.create({ body: { name, type: 'User', isAdmin: false, roleAttributes } })).id;
    const [kim, lee] = [await identity('kim', 'keepers'), await identity('lee')];
    const { id } = await api.servicePolicies.create({
      body: { name: 'keepers', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#keepers'], serviceRoles: [`@${service.id}`] },
    });
    const { page } = await open();
    await logIn(page);
    await goTo(page, `#/entities/servicePolicies/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('listitem').filter({ hasText: 'kim' }).waitFor();
    await api.identities.patch({ id: lee, body: { roleAttributes: ['keepers'] } });
    await api.identities.patch({ id: kim, body: { roleAttributes: [] } });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'lee' }).waitFor();
    assert.equal((await api.servicePolicies.list({ filter: 'name = "keepers"' })).pagination.totalCount, 1);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('keepers was deleted.').waitFor();
  });

  test('a device is enrolled: someone makes an identity, sees its code and lines, disables it and enables it again', async () => {
    const { page, complaints } = await open();
    await logIn(page);
    const { id } = await network.controller.api.identities.create({
      body: { name: 'field laptop', type: 'User', isAdmin: false, enrollment: { ott: true } },
    });
    await goTo(page, `#/entities/identities/${id}`);
    await page.getByText('ziti edge enroll field-laptop.jwt').waitFor();
    const token = (await network.controller.api.identities.get({ id })).enrollment.ott?.jwt ?? '';
    // A picture of the page has no token.
    assert.equal(await page.getByText(token).isVisible(), false);
    assert.equal(await page.getByRole('img', { name: /QR code/ }).isVisible(), false);
    await page.getByText('QR code', { exact: true }).click();
    await page.getByRole('img', { name: 'QR code with the enrollment token of field laptop' }).waitFor();
    await page.getByText('Show the token').click();
    await page.getByText(token).waitFor();
    await page.getByText('Show the token').click();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
    assert.equal(await readFile(await file.path(), 'utf8'), token);
    assert.equal(file.suggestedFilename(), 'field-laptop.jwt');
    await page.getByText('ziti edge enroll field-laptop.jwt').waitFor();
    await picture(page, 'enrollment');
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    assert.equal((await network.controller.api.identities.get({ id })).disabled, true);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('the traffic of a network without any says so', async () => {
    const { page, complaints } = await open();
    await logIn(page);
    await page.getByRole('link', { name: 'Traffic', exact: true }).click();
    await page.getByText('No links are connected.').waitFor();
    await page.getByText('No circuits are open.').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('the page fits a screen of 320 pixels, on every list', async () => {
    const { page } = await open();
    await page.setViewportSize({ width: 320, height: 640 });
    await logIn(page);
    const routes = [
      '#/',
      '#/access',
      '#/audit',
      '#/traffic',
      '#/usage',
      '#/entities/identities',
      '#/entities/services/new',
      '#/entities/authPolicies/new',
      '#/entities/configTypes',
    ];
    for (const route of routes) {
      await goTo(page, route);
      const wide = await page.evaluate(
        "document.documentElement.scrollWidth <= 320 ? [] : [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > 320).map((each) => each.outerHTML.slice(0, 300))",
      );
      assert.deepEqual(wide, [], route);
    }
  });

  test('after signing out, the session is over', async () => {
    const { page } = await open();
    await logIn(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await page.reload();
    await page.getByLabel('Username').waitFor();
  });
});
