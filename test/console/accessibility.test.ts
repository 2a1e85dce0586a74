/** Every page of the console satisfies the rules of WCAG 2.2 AA that axe checks, light and dark. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

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
  const routes: Record<string, string> = {
    overview: '#/',
    access: '#/access',
    traffic: '#/traffic',
    audit: '#/audit',
    list: '#/entities/identities',
    'new identity': '#/entities/identities/new',
    'new policy': '#/entities/servicePolicies/new',
    'new posture check': '#/entities/postureChecks/new',
    'new auth policy': '#/entities/authPolicies/new',
    'new authority': '#/entities/cas/new',
    nowhere: '#/nowhere',
  };

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    const identity = await api.identities.create({
      body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['staff'], enrollment: { ott: true } },
    });
    const service = await api.services.create({ body: { name: 'wiki', encryptionRequired: true, roleAttributes: ['web'] } });
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
    Object.assign(routes, {
      details: `#/entities/identities/${identity.id}`,
      'lists of parts': `#/entities/postureChecks/${check.id}/edit`,
      edit: `#/entities/services/${service.id}/edit`,
      'access of an identity': `#/access?identities=${identity.id}`,
      'access of a service': `#/access?services=${service.id}`,
      explanation: `#/access/explain/${identity.id}/${service.id}`,
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
    await page.getByText('The service is created.').waitFor();
  });
});
