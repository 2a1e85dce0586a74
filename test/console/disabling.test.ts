/** Disabling: who loses what, before it is saved. Policies stay as they are, so a report of access alone would say that nothing changes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

describe('disabling in the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  const ids: Record<string, string> = {};
  const dialog = () => page.getByRole('dialog');
  const losses = () => dialog().locator('.notice.warn').getByRole('listitem');

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    const { id: identity } = await api.identities.create({
      body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['staff'] },
    });
    const { id: service } = await api.services.create({ body: { name: 'payroll', encryptionRequired: true } });
    const { id: router } = await api.edgeRouters.create({ body: { name: 'paris' } });
    const { id: signer } = await api.externalJwtSigners.create({
      body: {
        name: 'login',
        issuer: 'https://login.example.com',
        audience: 'net',
        enabled: true,
        jwksEndpoint: 'https://login.example.com/keys',
      },
    });
    await api.servicePolicies.create({
      body: { name: 'staff', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#staff'], serviceRoles: [`@${service}`] },
    });
    await api.edgeRouterPolicies.create({ body: { name: 'all', semantic: 'AnyOf', identityRoles: ['#staff'], edgeRouterRoles: ['#all'] } });
    Object.assign(ids, { identity, router, signer });
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(() => network?.close());

  test('an identity: the services that it no longer reaches are named, and no report says that nothing changes', async () => {
    await network.goTo(page, `#/entities/identities/${ids['identity']}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await losses().filter({ hasText: '1 service out of reach, or not hosted: payroll' }).waitFor();
    await dialog().getByText('Checking what this changes').waitFor({ state: 'detached' });
    assert.equal(await dialog().getByText('Nobody gains or loses access.').count(), 0);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await network.controller.api.identities.get({ id: ids['identity'] ?? '' })).disabled, false);
  });

  test('a router, by the form: who is without it', async () => {
    await network.goTo(page, `#/entities/edgeRouters/${ids['router']}/edit`);
    await page.getByText('More fields').click();
    await page.getByLabel('Disabled', { exact: true }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await losses().filter({ hasText: '1 identity without this router: ann' }).waitFor();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    assert.equal((await network.controller.api.edgeRouters.get({ id: ids['router'] ?? '' })).disabled, true);
  });

  test('a signer, by the form, which asks only when it is disabled: whose login it takes', async () => {
    await network.goTo(page, `#/entities/externalJwtSigners/${ids['signer']}/edit`);
    await page.getByLabel('Enabled', { exact: true }).uncheck();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await losses().filter({ hasText: '2 identities without this login: Default Admin, ann' }).waitFor();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await network.goTo(page, `#/entities/externalJwtSigners/${ids['signer']}/edit`);
    await page.getByLabel('Enabled', { exact: true }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
  });

  test('several at once: each is named with what it loses', async () => {
    await network.goTo(page, '#/entities/identities');
    await page.getByRole('checkbox', { name: 'Select ann' }).check();
    await page.getByRole('button', { name: 'Disable' }).click();
    await losses().filter({ hasText: 'payroll' }).waitFor();
  });
});
