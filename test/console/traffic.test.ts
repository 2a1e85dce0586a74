/** The traffic of a network in the console: totals, pages, and names instead of ids. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { bindBy, dialBy, routed, settled, type Traffic, traffic } from '../adapters/routers/traffic.ts';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';
import { until } from '../support/until.ts';

const CIRCUITS = 53;
const LINKS = 51;

describe('the traffic in the console', inBrowser, () => {
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
    const destinations = await Promise.all(['ams1', 'ber1', 'cdg1', 'dub1'].map((name) => at.network.edgeRouter(name)));
    for (const destination of destinations) await destination.dial({ port: at.port, script: routed });
    await until(async () => (await at.network.controller.api.edgeRouters.list({ filter: 'online = true' })).pagination.totalCount === 5);
    // Of links between the same two routers, a few are kept.
    const links = Array.from({ length: LINKS }, (_, index) => ({
      id: `link ${index}`,
      destRouterId: destinations[index % destinations.length]?.id ?? '',
      iteration: 1,
      linkProtocol: 'tls',
    }));
    at.router.send(messages.links.routerLinks, { links });
    await settled(at.router);
    await bindBy(at, 'terminator-1');
    for (let index = 0; index < CIRCUITS; index++) assert.ok((await dialBy(at)).isMade);
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(async () => {
    await network?.close();
    await at?.[Symbol.asyncDispose]();
  });

  test('circuits are shown page by page with the names of clients, services and routers', async () => {
    await network.goTo(page, '#/traffic');
    const circuits = page.getByRole('region', { name: `Circuits (${CIRCUITS})` });
    await circuits.getByText(`1–50 of ${CIRCUITS}`).waitFor();
    const row = circuits.getByRole('row').nth(1);
    assert.deepEqual(await row.getByRole('link').allInnerTexts(), ['web', 'client', 'fra1']);
    assert.match((await row.getByRole('link', { name: 'fra1' }).getAttribute('href')) ?? '', /^#\/entities\/edgeRouters\//);
    await circuits.getByRole('button', { name: 'Next' }).click();
    await circuits.getByText(`51–53 of ${CIRCUITS}`).waitFor();
    await network.goTo(page, '#/traffic?circuits=999999&links=x');
    await circuits.getByText(`51–53 of ${CIRCUITS}`).waitFor();
    await circuits.getByRole('button', { name: 'End' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByRole('heading', { name: `Circuits (${CIRCUITS - 1})` }).waitFor();
  });

  test('links are shown page by page with their total', async () => {
    await network.goTo(page, '#/traffic');
    const links = page.getByRole('region', { name: `Links (${LINKS})` });
    await links.getByText(`1–50 of ${LINKS}`).waitFor();
    assert.deepEqual(await links.getByRole('row').nth(1).getByRole('link').allInnerTexts(), ['fra1', 'ams1']);
    await links.getByRole('button', { name: 'Next' }).click();
    await links.getByText(`51–51 of ${LINKS}`).waitFor();
  });

  test('a link has its latency, and can be taken out of use and back', async () => {
    at.router.send(messages.routers.metrics, { histograms: new Map([['link.link 0.latency', { mean: 12_000_000 }]]) });
    await settled(at.router);
    await network.goTo(page, '#/traffic');
    const row = page
      .getByRole('region', { name: `Links (${LINKS})` })
      .getByRole('row')
      .nth(1);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await row.getByText('12 ms').waitFor();
    for (const [action, isDown] of [
      ['Take out of use', true],
      ['Use again', false],
    ] as const) {
      await row.getByRole('button', { name: action }).click();
      await page.getByRole('dialog').getByRole('button', { name: action }).click();
      await until(async () => (await at.network.controller.api.links.get({ id: 'link 0' })).down === isDown);
      await row.getByText('out of use', { exact: true }).waitFor({ state: isDown ? 'visible' : 'hidden' });
    }
  });
});
