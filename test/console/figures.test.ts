/** Figures of the console are totals of the controller, never counted on a page. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';
import { authority } from '../support/pki.ts';

const DAY = 86_400_000;
const ROUTERS = 510;
const AUTHORITIES = 130;

describe('figures of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    const flags = { isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true, isAuthEnabled: true, identityRoles: [] };
    for (let index = 0; index < ROUTERS; index++) {
      const name = `router ${String(index).padStart(3, '0')}`;
      await api.edgeRouters.create({ body: { name, disabled: index < 8 } });
    }
    for (const name of ['transit a', 'transit b']) await api.transitRouters.create({ body: { name, disabled: name === 'transit b' } });
    for (let index = 0; index < AUTHORITIES; index++) {
      const days = index === AUTHORITIES - 1 ? 3.5 : 900;
      const { cert } = await authority(`ca ${index}`, { notBefore: Date.now() - DAY, notAfter: Date.now() + days * DAY });
      await api.cas.create({ body: { name: `ca ${String(index).padStart(3, '0')}`, certPem: cert, ...flags } });
    }
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(() => network?.close());

  test('routers online are counted among the enabled ones, and the offline ones are named with a link to all of them', async () => {
    const health = page.getByRole('region', { name: 'Health' });
    await health.getByText('Edge routers: 0 of 502 online · 8 disabled').waitFor();
    const reason = health.getByRole('listitem').filter({ hasText: 'Offline edge routers:' });
    assert.match(
      (await reason.textContent()) ?? '',
      /router 008, router 009, router 010, router 011, router 012 and 497 more\. Check that/,
    );
    await reason.getByRole('link', { name: 'and 497 more' }).click();
    await page.getByText('1–25 of 502').waitFor();
  });

  test('transit routers are counted apart from edge routers, of which lists of routers have both', async () => {
    const health = page.getByRole('region', { name: 'Health' });
    await network.goTo(page, '#/');
    await health.getByText('Transit routers: 0 of 1 online').waitFor();
    await health.getByRole('listitem').filter({ hasText: 'Offline transit routers:' }).waitFor();
  });

  test('the certificate that expires first is found among all authorities, and the number of the others is shown', async () => {
    await network.goTo(page, '#/');
    const ends = page.getByRole('region', { name: 'Certificates and tokens that expire' });
    await ends.getByText('ca 129').waitFor();
    assert.match((await ends.getByRole('listitem').allInnerTexts())[0] ?? '', /in 3 days[\s\S]*ca 129 Expires soon\./);
    const shown = 10;
    assert.equal(await ends.getByRole('listitem').count(), shown);
    const all = AUTHORITIES + 1; // the network's own root is one of them
    assert.ok((await ends.textContent())?.endsWith(`+${all - shown}`));
  });
});
