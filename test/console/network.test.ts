/** The network in one picture: routers, links, circuits, and what is at each router. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Mesh, mesh } from '../adapters/routers/mesh.ts';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';
import { until } from '../support/until.ts';

describe('the picture of the network', inBrowser, () => {
  let at: Mesh;
  let network: ConsoleInBrowser;
  let page: Page;
  const nodes = () => page.locator('figure.network g.node > title').allTextContents();

  before(async () => {
    network = await openConsole({
      controllerAt: async (address) => {
        at = await mesh({ settings: { address }, administrator: { password: PASSWORD }, oidc: { consolePath: '/console/' } });
        return at.network.controller;
      },
    });
    await at.link('direct', at.fra, at.ams);
    for (let index = 0; index < 3; index++) await at.circuit();
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(async () => {
    await network?.close();
    await at?.[Symbol.asyncDispose]();
  });

  test('shows routers with their state, their links with costs and circuits, and who and what is at them', async () => {
    await network.goTo(page, '#/network');
    await page.getByRole('img', { name: /2 routers, and links between 1 pairs/ }).waitFor();
    assert.deepEqual((await nodes()).toSorted(), ['1 identity', '1 service', 'ams1: online', 'fra1: online']);
    assert.match((await page.locator('figure.network line > title').first().textContent()) ?? '', /^1 link, cost \d+, 3 circuits$/);
  });

  test('what is in the picture is in the table, too, from which it is selected by keyboard', async () => {
    await network.goTo(page, '#/network');
    const row = page.getByRole('row', { name: /ams1/ });
    assert.deepEqual(await row.getByRole('cell').allInnerTexts(), ['online', '1', '3', '0', '1', 'Show']);
    await row.getByRole('button', { name: 'Show ams1 in the picture' }).focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'ams1' });
    await panel.getByRole('link', { name: 'web' }).waitFor();
    await panel.getByRole('button', { name: 'fra1' }).press('Enter');
    await page.getByRole('region', { name: 'fra1' }).getByRole('link', { name: 'client' }).waitFor();
    assert.match(page.url(), /node=/);
  });

  test('a click on a router selects it, a drag moves the picture', async () => {
    await network.goTo(page, '#/network');
    const picture = page.getByRole('img', { name: /2 routers/ });
    const before = await picture.getAttribute('viewBox');
    const router = page.locator('figure.network g.router', { hasText: 'fra1' });
    await router.locator('circle').hover();
    await page.mouse.down();
    await page.mouse.move(5, 5, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await picture.getAttribute('viewBox'), before);
    assert.doesNotMatch(page.url(), /node=/);
    await page.getByRole('button', { name: 'Show all' }).click();
    assert.equal(await picture.getAttribute('viewBox'), before);
    await router.locator('circle').click();
    await page.getByRole('region', { name: 'fra1' }).waitFor();
  });

  test('routers with the same role attributes are one node on demand', async () => {
    await at.network.controller.api.edgeRouters.patch({ id: at.ams.id, body: { roleAttributes: ['europe'] } });
    await at.network.controller.api.edgeRouters.patch({ id: at.fra.id, body: { roleAttributes: ['europe'] } });
    await network.goTo(page, '#/network');
    await page.getByLabel('Show', { exact: true }).selectOption('Routers by role attributes');
    await page.locator('figure.network g.routers', { hasText: '#europe (2)' }).waitFor();
    assert.deepEqual((await nodes()).toSorted(), ['#europe (2): online', '1 identity', '1 service']);
  });

  test('a router that goes offline is marked while the page is open', async () => {
    await network.goTo(page, '#/network?by=routers');
    await at.fra.close();
    await until(async () => (await at.network.controller.api.edgeRouters.list({ filter: 'online = false' })).data.length > 0);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.locator('figure.network g.offline', { hasText: 'fra1' }).waitFor();
    await page.getByRole('row', { name: /fra1 offline/ }).waitFor();
  });
});
