/** The overview follows the network, and says truthfully whether it does. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Handling } from '../../adapters/http/handling.ts';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

/** The network between the browser and the controller. */
type Way = 'open' | 'refusing' | 'silent';

/** A gateway whose connections to the controller can be lost: it refuses requests, or nothing arrives any more. */
const unreliableGateway = () => {
  let way: Way = 'open';
  let change = Promise.withResolvers<void>();
  const targets: string[] = [];
  const unlessSilent = async (): Promise<void> => {
    while (way === 'silent') await change.promise;
  };
  async function* cut(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const source = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const part = await Promise.race([source.next(), change.promise]);
        await unlessSilent();
        if (!part || part.done) return;
        yield part.value;
      }
    } finally {
      void source.return?.();
    }
  }
  const wrapped = (controller: Handling): Handling => ({
    ...controller,
    handle: async (request) => {
      if (request.target.includes('/changes/follow')) targets.push(request.target);
      await unlessSilent();
      if (way === 'refusing' && !request.target.startsWith('/console/'))
        return { status: 503, headers: { 'content-type': 'text/plain' }, body: 'down' };
      const answer = await controller.handle(request);
      const { body } = answer;
      return typeof body === 'string' || body instanceof Uint8Array ? answer : { ...answer, body: cut(body) };
    },
  });
  return {
    wrapped,
    targets,
    set: (to: Way) => {
      way = to;
      change.resolve();
      change = Promise.withResolvers();
    },
  };
};

describe('the live pages of the console', inBrowser, () => {
  const gateway = unreliableGateway();
  let network: ConsoleInBrowser;
  let page: Page;
  const badge = (text: string) => page.locator('.live', { hasText: text }).waitFor();
  const createService = (name: string) => network.controller.api.services.create({ body: { name, encryptionRequired: true } });
  const listed = (name: string) =>
    page
      .getByRole('listitem')
      .filter({ hasText: `Service ${name} created` })
      .waitFor();

  before(async () => {
    network = await openConsole({ gateway: gateway.wrapped, network: { settings: { changesKept: 40 } } });
    ({ page } = await network.open());
  });
  after(() => network?.close());

  test('a page that is opened while the controller is down comes to life when it is back', async () => {
    await page.goto(`${network.address}/console/#/entities/services`);
    await network.fillLogin(page);
    await page.getByRole('heading', { name: 'Services' }).waitFor();
    gateway.set('refusing');
    await page.getByRole('link', { name: 'Overview' }).click();
    await badge('Disconnected. Reconnecting…');
    gateway.set('open');
    await badge('Live');
    await page.getByText('No edge routers yet').waitFor();
    await createService('after the pause');
    await listed('after the pause');
  });

  for (const way of ['refusing', 'silent'] as const)
    test(`the console shows within seconds that a controller is ${way}; when it is back, it shows what was changed meanwhile`, async () => {
      gateway.set(way);
      await badge('Disconnected. Reconnecting…');
      await createService(`while ${way}`);
      gateway.set('open');
      await badge('Live');
      await listed(`while ${way}`);
      assert.match(gateway.targets.at(-1) ?? '', /after=\d+/);
      assert.equal(await page.getByText('are missing below').count(), 0);
    });

  test('the pages of a tab share one follower', async () => {
    const before = gateway.targets.length;
    for (const name of ['Services', 'Overview', 'Audit', 'Overview']) {
      await page.getByRole('navigation', { name: 'Navigation' }).getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    await badge('Live');
    assert.equal(gateway.targets.length, before);
  });

  test('a console that is opened while the controller does not respond opens when it does', async () => {
    gateway.set('refusing');
    await page.reload();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    gateway.set('open');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await badge('Live');
  });

  test('changes that the log no longer contains are said to be missing, and the page stays live', async () => {
    gateway.set('refusing');
    await badge('Disconnected. Reconnecting…');
    for (let index = 0; index < 60; index++) await createService(`many ${index}`);
    gateway.set('open');
    await badge('Live');
    await page.getByText(/^Changes since .* are missing below/).waitFor();
    await page.getByRole('link', { name: /^\d+ Services$/ }).waitFor();
    await createService('after the gap');
    await listed('after the gap');
  });

  test('changes that do not end are shown while they continue', async () => {
    let isOver = false;
    const changing = (async () => {
      for (let index = 0; !isOver; index++) {
        await createService(`endless ${index}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    try {
      await page.getByRole('listitem').filter({ hasText: 'Service endless' }).first().waitFor();
    } finally {
      isOver = true;
      await changing;
    }
  });
});
