/** The page of an entity shows what it is related to, whether it is live, and who changed it last. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

describe('the pages of entities', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  const ids = { identity: '', service: '', policy: '', config: '', router: '', authPolicy: '' };
  const tabs = () => page.getByRole('navigation', { name: 'Related' }).getByRole('link');
  const openTab = async (name: RegExp) => {
    await tabs().filter({ hasText: name }).click();
    await page.locator('.tabs [aria-current]').filter({ hasText: name }).waitFor();
  };
  const rows = () => page.getByRole('region', { name: 'Related' }).getByRole('rowheader');

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    ids.authPolicy = (
      await api.authPolicies.create({
        body: {
          name: 'strict',
          primary: {
            cert: { allowed: true, allowExpiredCerts: false },
            updb: {
              allowed: true,
              minPasswordLength: 8,
              requireSpecialChar: false,
              requireNumberChar: false,
              requireMixedCase: false,
              maxAttempts: 5,
              lockoutDurationMinutes: 0,
            },
            extJwt: { allowed: false, allowedSigners: [] },
          },
          secondary: { requireTotp: false },
        },
      })
    ).id;
    const body = { type: 'User', isAdmin: false, roleAttributes: ['staff'], authPolicyId: ids.authPolicy } as const;
    ids.identity = (await api.identities.create({ body: { ...body, name: 'ann' } })).id;
    for (let index = 0; index < 30; index++)
      await api.identities.create({ body: { ...body, name: `person ${String(index).padStart(2, '0')}` } });
    await api.authenticators.create({ body: { identityId: ids.identity, method: 'updb', username: 'annie', password: PASSWORD } });
    ids.config = (
      await api.configs.create({ body: { name: 'host', configTypeId: 'NH5p4FpGR', data: { protocol: 'tcp', address: 'db', port: 1 } } })
    ).id;
    ids.service = (
      await api.services.create({ body: { name: 'wiki', encryptionRequired: true, roleAttributes: ['web'], configs: [ids.config] } })
    ).id;
    ids.router = (await api.edgeRouters.create({ body: { name: 'fra1', roleAttributes: ['public'] } })).id;
    await api.terminators.create({ body: { service: ids.service, router: ids.router, binding: 'transport', address: 'tcp:10.0.0.1:80' } });
    ids.policy = (
      await api.servicePolicies.create({
        body: { name: 'staff', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#staff'], serviceRoles: ['#web'] },
      })
    ).id;
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(() => network?.close());

  test('each kind has lists of all that it is related to, with their numbers', async () => {
    for (const [group, id, expected] of [
      ['identities', ids.identity, ['Authenticators (1)', 'Service policies (1)', 'Services (1)', 'Edge routers (0)', 'API sessions (0)']],
      ['services', ids.service, ['Terminators (1)', 'Configs (1)', 'Service policies (1)', 'Identities (31)']],
      ['servicePolicies', ids.policy, ['Identities (31)', 'Services (1)', 'Posture checks (0)']],
      ['configs', ids.config, ['Services (1)']],
      ['configTypes', 'NH5p4FpGR', ['Configs (1)']],
      ['authPolicies', ids.authPolicy, ['Identities (31)']],
      ['edgeRouters', ids.router, ['Terminators (1)', 'Enrollments (1)', 'Service router policies (0)']],
    ] as const) {
      await network.goTo(page, `#/entities/${group}/${id}`);
      const shown = await tabs().allInnerTexts();
      for (const label of expected) assert.ok(shown.includes(label), `${group}: ${label} in ${shown.join(', ')}`);
      assert.equal(new Set(shown).size, shown.length, group);
    }
  });

  test('a related list is sorted and paged, has an address, and leads to its entities', async () => {
    await network.goTo(page, `#/entities/authPolicies/${ids.authPolicy}`);
    await openTab(/^Identities/);
    await page.getByText('1–25 of 31').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('26–31 of 31').waitFor();
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await rows().first().getByText('person 29').waitFor();
    await page.getByRole('link', { name: 'Open them in the list: Identities' }).click();
    await page.getByText('1–25 of 31').waitFor();
    await page.waitForURL(/filter=authPolicyId/);
    await network.goTo(page, `#/entities/services/${ids.service}?related=configs`);
    assert.deepEqual(await rows().allInnerTexts(), ['host']);
    await rows().getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'host' }).waitFor();
  });

  test('a role attribute leads to its members', async () => {
    await network.goTo(page, `#/entities/servicePolicies/${ids.policy}`);
    await page.getByRole('link', { name: '#staff' }).click();
    await page.getByText('1–25 of 31').waitFor();
    await network.goTo(page, `#/entities/services/${ids.service}`);
    await page.getByRole('definition').getByRole('link', { name: 'web', exact: true }).click();
    await page.getByRole('rowheader', { name: 'wiki' }).waitFor();
  });

  test('what is live says so in words, with what to do if it is not', async () => {
    await network.goTo(page, `#/entities/edgeRouters/${ids.router}`);
    assert.deepEqual(await page.locator('.states > *').allInnerTexts(), ['Enabled', 'Not verified', 'Offline']);
    await page.getByText('Check that it is running and can reach the controller').waitFor();
    await network.goTo(page, `#/entities/identities/${ids.identity}`);
    await page.locator('.states').getByText('Enrolled').waitFor();
    await network.controller.api.identities.disable({ id: ids.identity, body: { durationMinutes: 0 } });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.locator('.states').getByText('Disabled').waitFor();
  });

  test('the latest changes of an entity are on its page', async () => {
    await network.controller.api.services.patch({ id: ids.service, body: { terminatorStrategy: 'weighted' } }, { reason: 'ticket 7' });
    await network.goTo(page, `#/entities/services/${ids.service}`);
    const changes = page.getByRole('region', { name: 'Latest changes' });
    await changes.getByText('ticket 7').waitFor();
    await changes.getByRole('link', { name: 'All changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'History of wiki' }).waitFor();
  });

  test('a delegate sees the lists that the permissions include', async () => {
    const { api } = network.controller;
    const { id } = await api.identities.create({
      body: { name: 'delegate', type: 'User', isAdmin: false, permissions: ['identity.read', 'service.read'] },
    });
    await api.authenticators.create({ body: { identityId: id, method: 'updb', username: 'delegate', password: PASSWORD } });
    const { page: other } = await network.open();
    const refused: string[] = [];
    other.on('response', (response) => (response.status() >= 400 ? refused.push(response.url()) : 0));
    await network.logIn(other, 'delegate');
    await network.goTo(other, `#/entities/identities/${ids.identity}`);
    assert.deepEqual(await other.getByRole('navigation', { name: 'Related' }).getByRole('link').allInnerTexts(), ['Services (1)']);
    assert.equal(await other.getByRole('region', { name: 'Latest changes' }).count(), 0);
    assert.deepEqual(refused, []);
  });
});
