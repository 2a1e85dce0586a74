/** The usage of a network in the console: bytes over time, who used most, and why dials failed. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { bindBy, dialBy, routed, settled, type Traffic, traffic } from '../adapters/routers/traffic.ts';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';
import { until } from '../support/until.ts';

describe('the usage in the console', inBrowser, () => {
  let at: Traffic;
  let network: ConsoleInBrowser;
  let page: Page;

  before(async () => {
    network = await openConsole({
      controllerAt: async (address) => {
        const options = { settings: { address }, administrator: { password: PASSWORD }, oidc: { consolePath: '/console/' } };
        at = await traffic(routed, 'API session', options);
        return at.network.controller;
      },
    });
    for (let index = 0; index < 3; index++) assert.equal((await dialBy(at)).isMade, false);
    await bindBy(at, 'terminator-1');
    const made = await dialBy(at);
    assert.ok(made.isMade);
    const seconds = BigInt(Math.floor(at.network.clock.now() / 1000));
    const values = new Map([
      ['ingress.rx', 1500n],
      ['ingress.tx', 2_000_000n],
    ]);
    at.router.send(messages.routers.metrics, {
      timestamp: { seconds, nanos: 0 },
      usageCounters: [{ intervalStartUTC: seconds, intervalLength: 60n, buckets: new Map([[made.id, { values }]]) }],
    });
    await settled(at.router);
    const { journal, usage } = at.network.controller.api;
    await until(async () => {
      await at.network.advance('15s');
      const [{ data }, { pagination }] = [await usage.list({}), await journal.list({ filter: 'outcome = "failed"' })];
      return data.length > 0 && pagination.totalCount > 0;
    });
    ({ page } = await network.open());
    await network.logIn(page);
    // The controller has a clock of its own, by which the periods of the page end.
    await page.clock.setFixedTime(at.network.clock.now());
  });
  after(async () => {
    await network?.close();
    await at?.[Symbol.asyncDispose]();
  });

  test('the bytes of a period are bars with their sum, by days and by hours', async () => {
    await network.goTo(page, '#/usage');
    const bars = page.getByRole('img', { name: '2 MB in this period; the highest bar is 2 MB. Days are in UTC.' });
    await bars.waitFor();
    assert.equal(await bars.locator('rect').count(), 30);
    const amounts = async () => (await bars.locator('rect title').allTextContents()).filter((text) => !text.endsWith(': 0 bytes'));
    assert.match((await amounts()).join('\n'), /^Nov \d+, 2026, [^\n]*: 2 MB$/);
    await page.getByRole('link', { name: 'Since yesterday, by hour' }).click();
    // Those of yesterday, and of today up to now.
    const hours = 24 + new Date(at.network.clock.now()).getUTCHours() + 1;
    await until(async () => (await bars.locator('rect').count()) === hours);
    assert.match((await amounts()).join('\n'), /^Nov \d+, 2026, [^\n]*: 2 MB$/);
  });

  test('what was used most is shown by service, identity and router, with links to them', async () => {
    await network.goTo(page, '#/usage');
    const most = page.getByRole('region', { name: 'Most used' });
    const cells = ['1', '1.5 kB', '2 MB'];
    for (const [by, name, id] of [
      ['Service', 'web', `services/${at.serviceId}`],
      ['Identity', 'client', `identities/${at.dialing.identityId}`],
      ['Router of the clients', 'fra1', `edgeRouters/${at.fra1.id}`],
    ] as const) {
      await most.getByRole('link', { name: by, exact: true }).click();
      const link = most.getByRole('row').getByRole('link', { name, exact: true });
      assert.equal(await link.getAttribute('href'), `#/entities/${id}`);
      assert.deepEqual(await most.getByRole('row').last().getByRole('cell').allInnerTexts(), cells);
    }
  });

  test('failed dials have their cause in words, and lead to the explanation of the access', async () => {
    await network.goTo(page, '#/usage');
    const row = page.getByRole('region', { name: 'Failed dials (1)' }).getByRole('row').last();
    await row.getByText('nothing hosts the service').waitFor();
    assert.deepEqual((await row.getByRole('cell').allInnerTexts()).slice(0, 3), ['client', 'web', '3']);
    await row.getByRole('link', { name: 'Explain the access' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.ok(page.url().endsWith(`#/access/explain/${at.dialing.identityId}/${at.serviceId}`));
  });
});
