/** The load of the network in the console: on links in the picture, and of a router over the last day. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { type Mesh, mesh } from '../adapters/routers/mesh.ts';
import { settled } from '../adapters/routers/traffic.ts';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';
import { until } from '../support/until.ts';

describe('the load of the network', inBrowser, () => {
  let at: Mesh;
  let network: ConsoleInBrowser;
  let page: Page;
  let minutes = 0n;
  /** A minute passes, in which the router has carried some bytes. */
  const minute = async (bytes: bigint) => {
    minutes++;
    const counts = { 'ingress.rx': minutes * bytes, 'fabric.tx': minutes * bytes, 'link.direct.tx': minutes * bytes };
    at.fra.send(messages.routers.metrics, {
      meters: new Map(Object.entries(counts).map(([name, count]) => [`${name}.bytesrate`, { count }])),
      histograms: new Map([['link.direct.latency', { mean: 12_000_000 }]]),
    });
    await settled(at.fra);
    await at.network.advance('60s');
  };

  before(async () => {
    network = await openConsole({
      controllerAt: async (address) => {
        at = await mesh({ settings: { address }, administrator: { password: PASSWORD }, oidc: { consolePath: '/console/' } });
        return at.network.controller;
      },
    });
    await at.link('direct', at.fra, at.ams);
    await at.circuit();
    for (let i = 0; i < 3; i++) await minute(60_000_000n);
    await until(async () => (await at.network.controller.api.traffic.history()).links[0]?.bytes[0] != null);
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(async () => {
    await network?.close();
    await at?.[Symbol.asyncDispose]();
  });

  test('links have their cost, latency and load, in the picture and in the table', async () => {
    await network.goTo(page, '#/network');
    await page.locator('figure.network text', { hasText: 'Cost 13 · 12 ms · 1 MB/s' }).waitFor();
    assert.equal(await page.locator('figure.network line.link > title').textContent(), '1 link, cost 13, 1 circuit, 12 ms, 1 MB/s');
    await page.getByRole('button', { name: 'Show fra1 in the picture' }).click();
    const row = page.getByRole('region', { name: 'fra1' }).getByRole('row', { name: /ams1/ });
    assert.deepEqual(await row.getByRole('cell').allInnerTexts(), ['tls', '13', '12 ms', '1 MB/s', '1']);
  });

  test('the page of a router has its load over the last day, and follows it', async () => {
    await network.goTo(page, `#/entities/edgeRouters/${at.fra.id}`);
    const chart = page.getByRole('region', { name: 'Load' }).getByRole('img');
    await page.getByRole('img', { name: /the highest bar is 2 MB\/s, the last one 2 MB\/s/ }).waitFor();
    assert.equal(await chart.locator('rect').count(), 96);
    assert.match((await chart.locator('rect title').last().textContent()) ?? '', /: 1 MB\/s received, 1 MB\/s sent$/);
    // The page reads it again while it is open.
    for (let i = 0; i < 15; i++) await minute(0n);
    await page.getByRole('img', { name: /the last one (?!2 MB)/ }).waitFor();
    await network.goTo(page, `#/entities/edgeRouters/${at.ams.id}`);
    await page.getByRole('heading', { name: 'ams1' }).waitFor();
  });
});
