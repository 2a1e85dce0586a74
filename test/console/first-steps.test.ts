/** The first steps of a new network, on the overview. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

describe('the first steps of a network', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  after(() => network?.close());

  const openOverview = async () => {
    const opened = await network.open();
    await network.logIn(opened.page);
    return { ...opened, steps: opened.page.getByRole('region', { name: 'First steps' }) };
  };

  test('each step leads to its setup, and is ticked as soon as it is done', async () => {
    const { page, steps, complaints } = await openOverview();
    await steps.getByText('Not yet: A router is online').waitFor();
    const links = await steps
      .getByRole('link')
      .evaluateAll((all: readonly { getAttribute(name: string): string | null }[]) => all.map((link) => link.getAttribute('href')));
    assert.deepEqual(links, ['#/setup/add-router', '#/setup/add-identity', '#/setup/publish-service', '#/setup/publish-service']);
    const { api } = network.controller;
    await api.services.create({ body: { name: 'wiki', encryptionRequired: true } });
    await steps.getByText('Done: A service is published').waitFor();
    const { id: identityId } = await api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
    const roles = { semantic: 'AnyOf', identityRoles: [`@${identityId}`], serviceRoles: ['#all'] } as const;
    await api.servicePolicies.create({ body: { ...roles, name: 'ann', type: 'Dial' } });
    await steps.getByText('Done: A policy lets somebody reach a service').waitFor();
    await api.authenticators.create({ body: { identityId, method: 'updb', username: 'anna', password: 'a-good-password' } });
    await steps.getByText('Done: A person or device has enrolled').waitFor();
    await steps.getByRole('link', { name: 'A router is online' }).click();
    await page.getByRole('heading', { level: 1, name: 'Add a router' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('someone who hides the steps does not see them again in this browser', async () => {
    const { page, steps } = await openOverview();
    await steps.getByRole('button', { name: 'Hide the first steps' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Latest changes' }).waitFor();
    await page.getByText('Config type router.link.v1').or(page.getByText('ann')).first().waitFor();
    assert.equal(await steps.count(), 0);
  });
});
