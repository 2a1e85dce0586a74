/** Every page of the console satisfies the rules of WCAG 2.2 AA that axe checks, light and dark. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addEntries, type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';
import { authority, party } from '../support/pki.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe objects to. It is evaluated by the debugger, which the policy of the page does not concern. */
const violationsOf = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe);
  const found: readonly Violation[] = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html}: ${failureSummary}`));
};

describe('the console for everyone', inBrowser, () => {
  let network: ConsoleInBrowser;
  let service = '';
  const routes: Record<string, string> = {
    overview: '#/',
    access: '#/access',
    traffic: '#/traffic',
    network: '#/network',
    audit: '#/audit',
    account: '#/account',
    list: '#/entities/identities',
    'role attributes': '#/attributes/identities',
    'new identity': '#/entities/identities/new',
    'new policy': '#/entities/servicePolicies/new',
    'new posture check': '#/entities/postureChecks/new',
    'new auth policy': '#/entities/authPolicies/new',
    'new authority': '#/entities/cas/new',
    setups: '#/setup',
    'setup of a service': '#/setup/publish-service',
    'setup of a service, server': '#/setup/publish-service?step=2',
    'setup of a service, routers': '#/setup/publish-service?step=4',
    'setup of a service, review': '#/setup/publish-service?step=5',
    'setup of an identity': '#/setup/add-identity',
    'setup of a router': '#/setup/add-router',
    'setup of a provider': '#/setup/connect-provider',
    'setup of a provider, people': '#/setup/connect-provider?step=3',
    'setup of an authority': '#/setup/trust-authority',
    nowhere: '#/nowhere',
  };

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    const identity = await api.identities.create({
      body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['staff'], enrollment: { ott: true } },
    });
    ({ id: service } = await api.services.create({ body: { name: 'wiki', encryptionRequired: true, roleAttributes: ['web'] } }));
    const check = await api.postureChecks.create({
      body: { name: 'windows', typeId: 'OS', operatingSystems: [{ type: 'Windows', versions: [] }], roleAttributes: ['managed'] },
    });
    await api.servicePolicies.create({
      body: {
        name: 'staff',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#staff'],
        serviceRoles: ['#web'],
        postureCheckRoles: ['#managed'],
      },
    });
    await api.identities.patch({ id: identity.id, body: { roleAttributes: ['staff', 'night'] } });
    const { data: types } = await api.configTypes.list({ filter: 'name = "host.v1"' });
    const host = { protocol: 'tcp', address: '10.0.0.1', port: 22, listenOptions: { cost: 7 }, portChecks: [] };
    const config = await api.configs.create({ body: { name: 'host', configTypeId: types[0]?.id ?? '', data: host } });
    await api.services.patch({ id: service, body: { configs: [config.id], tags: { floor: '7' } } });
    const router = await api.edgeRouters.create({ body: { name: 'paris', isTunnelerEnabled: true } });
    const ca = await api.cas.create({
      body: {
        name: 'acme',
        certPem: (await authority('acme')).cert,
        isAuthEnabled: true,
        isOttCaEnrollmentEnabled: false,
        isAutoCaEnrollmentEnabled: false,
        identityRoles: [],
      },
    });
    const signer = await api.externalJwtSigners.create({
      body: {
        name: 'accounts',
        issuer: 'https://login.example.com',
        audience: 'us',
        enabled: true,
        certPem: (await party('accounts')).cert,
      },
    });
    Object.assign(routes, {
      'published service': `#/setup/publish-service?id=${service}`,
      'new identity joins': `#/setup/add-identity?id=${identity.id}`,
      'new router starts': `#/setup/add-router?id=${router.id}`,
      'connected provider': `#/setup/connect-provider?id=${signer.id}`,
      'proof of an authority': `#/setup/trust-authority?id=${ca.id}`,
      'details of an authority': `#/entities/cas/${ca.id}`,
      'data by a schema': `#/entities/configs/${config.id}/edit`,
      'details with references': `#/entities/services/${service}`,
      details: `#/entities/identities/${identity.id}`,
      'lists of parts': `#/entities/postureChecks/${check.id}/edit`,
      edit: `#/entities/services/${service}/edit`,
      'access of an identity': `#/access?identities=${identity.id}`,
      'access of a service': `#/access?services=${service}`,
      explanation: `#/access/explain/${identity.id}/${service}`,
      history: `#/history/identity/${identity.id}`,
    });
  });
  after(() => network?.close());

  for (const colorScheme of ['light', 'dark'] as const)
    test(`each page satisfies WCAG 2.2 AA, ${colorScheme}`, async () => {
      const { page } = await network.open();
      await page.emulateMedia({ colorScheme });
      await network.logIn(page);
      const violations: string[] = [];
      for (const [name, route] of Object.entries(routes)) {
        await network.goTo(page, route);
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
        for (const violation of await violationsOf(page)) violations.push(`${name}: ${violation}`);
      }
      await network.goTo(page, '#/setup/publish-service');
      await page.getByLabel('Name (required)').fill('shop');
      await page.getByLabel('Addresses (required)').fill('shop.example.com');
      await page.getByLabel('Ports (required)').fill('none');
      await page.getByRole('button', { name: 'Next' }).click();
      await page.locator('[id="field-ports-problem"]').waitFor();
      for (const violation of await violationsOf(page)) violations.push(`wrong entry of a setup: ${violation}`);
      await network.goTo(page, routes['edit'] ?? '');
      await page.getByText('More fields').click();
      await page.getByRole('button', { name: 'Remove: host' }).waitFor();
      await page.getByRole('combobox', { name: 'Configs' }).press('ArrowDown');
      await page.getByRole('combobox', { name: 'Role attributes' }).pressSequentially('we');
      await page.getByRole('option', { name: 'New: we' }).waitFor();
      for (const violation of await violationsOf(page)) violations.push(`open list: ${violation}`);
      await network.goTo(page, routes['lists of parts'] ?? '');
      await page.getByRole('button', { name: 'Add: Operating systems' }).click();
      await page.getByRole('group', { name: 'Entry 2' }).getByLabel('Versions').fill('none');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('group', { name: 'Entry 2' }).getByText('Versions must be').waitFor();
      for (const violation of await violationsOf(page)) violations.push(`wrong entry: ${violation}`);
      await network.goTo(page, routes['history'] ?? '');
      await page.getByRole('button', { name: 'Revert to this state' }).click();
      await page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
      for (const violation of await violationsOf(page)) violations.push(`dialog: ${violation}`);
      await network.goTo(page, '#/entities/identities');
      await page.evaluate("document.querySelectorAll('.views details').forEach((each) => { each.open = true; })");
      await page.getByLabel(/Select this page/).check();
      await page.getByRole('button', { name: 'Add role attributes' }).click();
      await page.getByRole('button', { name: 'Continue' }).waitFor();
      for (const violation of await violationsOf(page)) violations.push(`selection: ${violation}`);
      await network.goTo(page, '#/');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('wiki');
      await page.getByRole('option', { name: 'wiki' }).first().waitFor();
      for (const violation of await violationsOf(page)) violations.push(`search everywhere: ${violation}`);
      await network.goTo(page, routes['edit'] ?? '');
      await addEntries(page, 'Role attributes', `mine-${colorScheme}`);
      await network.controller.api.services.patch({ id: service, body: { roleAttributes: [`theirs-${colorScheme}`] } });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Continue' }).waitFor();
      for (const violation of await violationsOf(page)) violations.push(`review: ${violation}`);
      assert.deepEqual(violations, []);
    });

  test('the console is used by the keyboard alone', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'MAIN');
    await network.goTo(page, '#/entities/services/new');
    await page.getByLabel('Name (required)').focus();
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nobody gains or loses access').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The service was created.').waitFor();
  });
});
