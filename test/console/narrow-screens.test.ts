/** Pages on tablets and phones: nothing is wider than the screen, and names are not broken into letters. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';
import { authority } from '../support/pki.ts';

const NAME = 'warehouse-scanner-0042';
const LONG_NAME = 'x'.repeat(120);

/** The parts of a page that are wider than their space, once pictures have followed the width that a scroll bar leaves. */
const overflowOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(
    `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => [document.documentElement, ...document.querySelectorAll('.scroll')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ tagName, scrollWidth, clientWidth }) => \`\${tagName}: \${scrollWidth} px in \${clientWidth} px\`))`,
  );

describe('the console on narrow screens', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  const ids = { identity: '', service: '', router: '', enrolling: '', authority: '' };

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    for (const name of [NAME, LONG_NAME]) {
      const roleAttributes = ['administration-of-buildings', 'staff'];
      ({ id: ids.identity } = await api.identities.create({ body: { name, type: 'Device', isAdmin: false, roleAttributes } }));
      ({ id: ids.service } = await api.services.create({ body: { name, encryptionRequired: true, roleAttributes: ['web'] } }));
    }
    ({ id: ids.router } = await api.edgeRouters.create({ body: { name: LONG_NAME, roleAttributes: ['public'] } }));
    const device = { type: 'Device', isAdmin: false, enrollment: { ott: true } } as const;
    ({ id: ids.enrolling } = await api.identities.create({ body: { ...device, name: `enrolling-${LONG_NAME}` } }));
    const uses = { isAuthEnabled: true, isOttCaEnrollmentEnabled: false, isAutoCaEnrollmentEnabled: false, identityRoles: [] };
    const { cert: certPem } = await authority('acme');
    ({ id: ids.authority } = await api.cas.create({ body: { ...uses, name: LONG_NAME, certPem } }));
    const semantic = 'AnyOf';
    await api.servicePolicies.create({
      body: { name: LONG_NAME, type: 'Dial', semantic, identityRoles: ['#staff'], serviceRoles: ['#web'] },
    });
    await api.edgeRouterPolicies.create({ body: { name: LONG_NAME, semantic, identityRoles: ['#staff'], edgeRouterRoles: ['#public'] } });
    await api.serviceEdgeRouterPolicies.create({ body: { name: 'web', semantic, serviceRoles: ['#web'], edgeRouterRoles: ['#public'] } });
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(() => network.close());

  for (const width of [1280, 768, 320])
    test(`at ${width} px, no page or table or picture is cut`, async () => {
      await page.setViewportSize({ width, height: 800 });
      for (const route of [
        '#/',
        '#/entities/identities',
        '#/entities/servicePolicies',
        '#/attributes/identities',
        '#/entities/edgeRouters',
        `#/entities/identities/${ids.identity}`,
        `#/access?identities=${ids.identity}`,
        `#/access?edgeRouters=${ids.router}`,
        `#/access/explain/${ids.identity}/${ids.service}`,
        '#/audit',
        '#/network',
        '#/account',
        '#/setup',
        '#/setup/publish-service',
        '#/setup/publish-service?step=2',
        '#/setup/publish-service?step=5',
        '#/setup/connect-provider',
        '#/setup/trust-authority?step=2',
        `#/setup/publish-service?id=${ids.service}`,
        `#/setup/add-identity?id=${ids.enrolling}`,
        `#/setup/add-router?id=${ids.router}`,
        `#/setup/trust-authority?id=${ids.authority}`,
      ]) {
        await network.goTo(page, route);
        if (route.startsWith('#/access?')) await page.locator('.picture .subject').waitFor();
        assert.deepEqual(await overflowOf(page), [], route);
      }
    });

  test('at 320 px, rows are selected and their actions fit', async () => {
    await page.setViewportSize({ width: 320, height: 800 });
    await network.goTo(page, '#/entities/identities');
    await page.evaluate("document.querySelectorAll('.views details').forEach((each) => { each.open = true; })");
    await page.getByRole('checkbox', { name: `Select ${NAME}` }).check();
    await page.getByRole('button', { name: 'Remove role attributes' }).click();
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    assert.deepEqual(await overflowOf(page), []);
  });

  test('at 768 px, a name of 22 letters is on one line', async () => {
    await page.setViewportSize({ width: 768, height: 800 });
    await network.goTo(page, '#/entities/identities');
    const lines = await page.getByRole('link', { name: NAME }).evaluate((link) => link.getClientRects().length);
    assert.equal(lines, 1);
  });

  test('on cards, lists are still sorted by their headings', async () => {
    await page.setViewportSize({ width: 320, height: 800 });
    await network.goTo(page, '#/entities/identities');
    await page.getByRole('button', { name: 'Name' }).click();
    await page.waitForURL(/sort=name\+desc/);
    await page.getByRole('rowheader').first().getByText(LONG_NAME, { exact: true }).waitFor();
  });
});
