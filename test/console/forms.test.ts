/** Forms of kinds whose values have parts: each part is a field of its own. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addEntries, type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

/** As if someone had deleted an entity since it was found. */
const PAGE_WITH_WHAT_IS_GONE = {
  data: [{ id: 'nobody', name: 'gone' }],
  meta: { pagination: { limit: 8, offset: 0, totalCount: 1 }, filterableFields: [] },
};

/** Waits until an element has the focus, which it gets a moment after it is shown. */
const hasFocus = (page: Page, id: string) => page.locator(`[id="${id}"]:focus`).waitFor();

describe('forms of the console', inBrowser, () => {
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
  const group = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
  const saveShown = async (page: Page) => {
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nobody gains or loses access').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
  };
  const chooseType = (page: Page, label: string) => page.getByLabel('Type', { exact: true }).first().selectOption({ label });

  test('an auth policy that demands long passwords and one-time codes is created by fields, and changed by them', async () => {
    const { page, complaints } = await openForm('#/entities/authPolicies/new');
    await page.getByLabel('Name (required)').fill('strict');
    const password = group(page, 'Username with a password');
    await password.getByLabel('Allowed').check();
    await password.getByLabel('Min password length (required)').fill('12');
    await password.getByLabel('Require number char').check();
    await password.getByLabel('Max attempts (required)').fill('5');
    await password.getByLabel('Lockout duration minutes (required)').fill('10');
    await page.getByLabel('Require TOTP').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The auth policy was created.').waitFor();
    const { api } = network.controller;
    const find = async () => {
      const { data } = await api.authPolicies.list({ filter: 'name = "strict"' });
      assert.ok(data[0]);
      return data[0];
    };
    const { id, primary, secondary } = await find();
    const updb = {
      allowed: true,
      minPasswordLength: 12,
      requireSpecialChar: false,
      requireNumberChar: true,
      requireMixedCase: false,
      maxAttempts: 5,
      lockoutDurationMinutes: 10,
    };
    assert.deepEqual(primary, {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: false, allowedSigners: [] },
      updb,
    });
    assert.equal(secondary.requireTotp, true);
    await network.goTo(page, `#/entities/authPolicies/${id}/edit`);
    assert.equal(await password.getByLabel('Min password length').inputValue(), '12');
    await password.getByLabel('Min password length').clear();
    await password.getByLabel('Min password length').fill('16');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    assert.deepEqual((await find()).primary.updb, { ...updb, minPasswordLength: 16 });
    assert.deepEqual(complaints, []);
  });

  test('a posture check accepts two operating systems, which are added by the keyboard, and a third that is removed again', async () => {
    const { page, complaints } = await openForm('#/entities/postureChecks/new');
    await chooseType(page, 'Operating system');
    assert.equal(await page.getByLabel('Type ID').count(), 0);
    await page.getByLabel('Name (required)').fill('managed systems');
    const systems = group(page, 'Operating systems');
    await systems.getByRole('group', { name: 'Entry 1' }).getByLabel('Type (required)').selectOption('macOS');
    await systems.getByRole('button', { name: 'Add: Operating systems' }).focus();
    await page.keyboard.press('Enter');
    await systems.getByRole('status').getByText('Entry 2 was added.').waitFor();
    await hasFocus(page, 'field-operatingSystems.1.type');
    await systems.getByRole('group', { name: 'Entry 2' }).getByLabel('Type (required)').selectOption('Windows');
    await systems.getByRole('group', { name: 'Entry 2' }).getByLabel('Versions').fill('>=10.0.0 <11.0.0\n12.x');
    await systems.getByRole('button', { name: 'Add: Operating systems' }).click();
    await systems.getByRole('button', { name: 'Remove: Entry 3, Operating systems' }).focus();
    await page.keyboard.press('Enter');
    await systems.getByRole('status').getByText('Entry 3 was removed.').waitFor();
    await hasFocus(page, 'field-operatingSystems-add');
    await saveShown(page);
    await page.getByText('The posture check was created.').waitFor();
    const find = async () => (await network.controller.api.postureChecks.list({ filter: 'name = "managed systems"' })).data[0];
    const created = await find();
    assert.ok(created?.typeId === 'OS');
    assert.deepEqual(created.operatingSystems.map(({ type, versions }) => [type, (versions ?? []).toSorted()]).toSorted(), [
      ['Windows', ['12.x', '>=10.0.0 <11.0.0']],
      ['macOS', []],
    ]);
    await network.goTo(page, `#/entities/postureChecks/${created.id}/edit`);
    const isFirst = (await systems.getByLabel('Type (required)').first().inputValue()) === 'macOS';
    await systems.getByRole('button', { name: `Remove: Entry ${isFirst ? 1 : 2}, Operating systems` }).click();
    await saveShown(page);
    await page.getByText('Saved.').waitFor();
    const changed = await find();
    assert.ok(changed?.typeId === 'OS');
    assert.deepEqual(
      changed.operatingSystems.map(({ type }) => type),
      ['Windows'],
    );
    assert.deepEqual(complaints, []);
  });

  test('a wrong part of an entry is shown beside its field, which has the focus', async () => {
    const { page } = await openForm('#/entities/postureChecks/new');
    await chooseType(page, 'Operating system');
    await page.getByLabel('Name (required)').fill('wrong');
    await page.getByRole('button', { name: 'Add: Operating systems' }).click();
    const versions = group(page, 'Entry 2').getByLabel('Versions');
    await versions.fill('>=10.0.0\nthe newest');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'Correct the field' }).waitFor();
    await group(page, 'Entry 2').getByText('Versions must be a semantic version').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await hasFocus(page, 'field-operatingSystems.1.versions');
    assert.equal(await versions.getAttribute('aria-invalid'), 'true');
    assert.match((await versions.getAttribute('aria-describedby')) ?? '', /versions-problem/);
    await versions.fill('>=10.0.0');
    assert.equal(await versions.getAttribute('aria-invalid'), null);
    await saveShown(page);
    await page.getByText('The posture check was created.').waitFor();
  });

  test('what the controller names otherwise, or only in its message, is shown beside the innermost field that is known', async () => {
    const { page } = await openForm('#/entities/authPolicies/new');
    await page.getByLabel('Name (required)').fill('no such signer');
    const password = group(page, 'Username with a password');
    for (const label of ['Min password length', 'Max attempts', 'Lockout duration minutes'])
      await password.getByLabel(`${label} (required)`).fill('6');
    await page.route('**/external-jwt-signers?*', (route) => route.fulfill({ json: PAGE_WITH_WHAT_IS_GONE }));
    const signers = page.getByRole('combobox', { name: 'Allowed signers' });
    await signers.fill('gone');
    await page.getByRole('option', { name: 'gone' }).waitFor();
    await signers.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await group(page, 'Token of an identity provider').getByText('nobody not found').waitFor();
    await page.getByRole('alert').filter({ hasText: 'Correct the field' }).waitFor();
    await page.getByRole('button', { name: 'Remove: gone' }).click();
    await page.unrouteAll();
    await page.getByText('More fields').click();
    const tags = group(page, 'Tags');
    await tags.getByRole('button', { name: 'Add: Tags' }).click();
    await hasFocus(page, 'field-tags.0-key');
    await page.keyboard.type('x'.repeat(300));
    await page.getByRole('button', { name: 'Save' }).click();
    await tags.getByText('names of tags have at most 256 characters').waitFor();
    await tags.getByLabel('Name').fill('floor');
    await tags.getByRole('button', { name: 'Add: Tags' }).click();
    await tags.getByRole('group', { name: 'Entry 2' }).getByLabel('Name').fill('floor');
    await page.getByRole('button', { name: 'Save' }).click();
    await tags.getByText('floor occurs twice').waitFor();
  });

  test('errors that name no field of the form are shown beside the one whose value they are about', async () => {
    const { page } = await openForm('#/entities/services/new');
    const alert = page.getByRole('alert').filter({ hasText: 'Correct the field' });
    /** The text beside the field with an id. */
    const beside = (id: string) => page.locator(`[id="field-${id}-problem"]`);
    await page.getByLabel('Name (required)').fill('no config');
    await page.getByText('More fields').click();
    await page.route('**/configs?*', (route) => route.fulfill({ json: PAGE_WITH_WHAT_IS_GONE }));
    const configs = page.getByRole('combobox', { name: 'Configs' });
    await configs.fill('gone');
    await page.getByRole('option', { name: 'gone' }).waitFor();
    await configs.press('Enter');
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Save' }).click();
    await alert.waitFor();
    await beside('configs').getByText('nobody not found').waitFor();
  });

  test('two entries of one name are refused beside them, and none is lost', async () => {
    const { page } = await openForm('#/entities/identities/new');
    await page.getByLabel('Name (required)').fill('twice');
    await page.getByText('More fields').click();
    const costs = group(page, 'Service hosting costs');
    const { id } = await network.controller.api.services.create({ body: { name: 'printer', encryptionRequired: true } });
    for (const entry of ['Entry 1', 'Entry 2']) {
      await page.getByRole('button', { name: 'Add: Service hosting costs' }).click();
      await costs.getByRole('group', { name: entry }).getByLabel('Service (required)').fill('printer');
      await costs.getByRole('group', { name: entry }).getByRole('option', { name: 'printer' }).click();
      await costs.getByRole('group', { name: entry }).getByLabel('Value (required)').fill('7');
    }
    await page.getByRole('button', { name: 'Save' }).click();
    await costs.getByText(`${id} occurs twice`).waitFor();
    assert.equal(await costs.getByLabel('Service (required)').count(), 2);
  });

  test('an unfinished form is filled in again with the entries of its lists, and without secrets', async () => {
    const { page } = await openForm('#/entities/postureChecks/new');
    await chooseType(page, 'Process multi');
    await page.getByLabel('Name (required)').fill('guards');
    await page.getByRole('button', { name: 'Add: Processes' }).click();
    await group(page, 'Entry 2').getByLabel('Path (required)').fill('/usr/bin/guard');
    await group(page, 'Entry 2').getByLabel('OS type').selectOption('Linux');
    await page.reload();
    await page.getByText('Your earlier entries have been restored.').waitFor();
    assert.equal(await group(page, 'Entry 2').getByLabel('Path (required)').inputValue(), '/usr/bin/guard');
    assert.equal(await group(page, 'Entry 2').getByLabel('OS type').inputValue(), 'Linux');
    await network.goTo(page, '#/entities/authenticators/new');
    await page.getByText('More fields').click();
    await page.getByLabel('Username').fill('anna');
    await page.getByLabel('Password', { exact: true }).fill('not to be kept');
    await page.reload();
    await page.getByText('Your earlier entries have been restored.').waitFor();
    await page.getByText('More fields').click();
    assert.equal(await page.getByLabel('Username').inputValue(), 'anna');
    assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '');
  });

  test('an identity gets a one-time token, and attributes that end, by fields', async () => {
    const { page, complaints } = await openForm('#/entities/identities/new');
    await page.getByLabel('Name (required)').fill('tablet');
    await group(page, 'Enrollment').getByLabel('One-time token', { exact: true }).check();
    await page.getByText('More fields').click();
    await page.getByRole('button', { name: 'Add: Role attribute grants' }).click();
    const grant = group(page, 'Role attribute grants').getByRole('group', { name: 'Entry 1' });
    await grant.getByLabel('Key (required)').fill('night');
    await grant.getByLabel('Valid until (required)').fill('2090-01-01T00:00');
    await saveShown(page);
    await page.getByText('The identity was created.').waitFor();
    const { data } = await network.controller.api.identities.list({ filter: 'name = "tablet"' });
    assert.deepEqual(data[0]?.roleAttributeGrants, { night: { validUntil: '2090-01-01T00:00:00.000Z' } });
    assert.ok(data[0]?.enrollment.ott?.jwt);
    assert.deepEqual(complaints, []);
  });

  test('an identity that gains access by its role attributes is created, although each preview gives it another id', async () => {
    const { api } = network.controller;
    await api.services.create({ body: { name: 'ledger', encryptionRequired: true, roleAttributes: ['books'] } });
    const policy = { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#bookkeepers'], serviceRoles: ['#books'] } as const;
    await api.servicePolicies.create({ body: { ...policy, name: 'bookkeepers' } });
    const { page } = await openForm('#/entities/identities/new');
    await page.getByLabel('Name (required)').fill('bea');
    await addEntries(page, 'Role attributes', 'bookkeepers');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Gained (1)').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The identity was created.').waitFor();
  });

  test('a claim of an authority is added and removed as a whole, and no value is left that only JSON expresses', async () => {
    const { page } = await openForm('#/entities/cas/new');
    await page.getByText('More fields').click();
    const claim = group(page, 'External ID claim');
    assert.equal(await claim.getByLabel('Location').count(), 0);
    await claim.getByRole('button', { name: 'Add: External ID claim' }).click();
    await hasFocus(page, 'field-externalIdClaim.location');
    await page.getByLabel('Cert PEM (required)').and(page.locator('textarea')).waitFor();
    await claim.getByRole('button', { name: 'Remove: External ID claim' }).click();
    await claim.getByRole('status').getByText('External ID claim was removed.').waitFor();
    assert.equal(await claim.getByLabel('Location').count(), 0);
    assert.equal(await page.getByText('As JSON.').count(), 0);
    await group(page, 'Tags').waitFor();
  });

  test('where a field takes an id, the id of what an entity refers to is filled in', async () => {
    const { id } = await network.controller.api.identities.create({ body: { name: 'van', type: 'Default', isAdmin: false } });
    const { page } = await openForm(`#/entities/identities/${id}/edit`);
    assert.equal(await page.getByLabel('Type (required)').inputValue(), 'Default');
  });
});
