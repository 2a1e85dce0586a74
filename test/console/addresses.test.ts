/** Addresses that people type: with values that are not valid, and without HTTPS. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../../adapters/http/node.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { consoleHandler } from '../../console/index.ts';
import { ManagementController } from '../../src/index.ts';
import { inBrowser, openConsole } from '../support/console-in-browser.ts';
import { launchBrowser } from '../support/launched-browser.ts';

test('an invalid time in the address of the audit is refused, and the next page opens', inBrowser, async (t) => {
  const network = await openConsole();
  t.after(() => network.close());
  const { page, complaints } = await network.open();
  await network.logIn(page);

  await network.goTo(page, '#/audit?from=yesterday&offset=some');
  await page.getByRole('alert').getByText('Correct the field').waitFor();
  await page.getByLabel('Actor').fill('nobody');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.waitForURL(/#\/audit\?actor=nobody$/);
  await page.getByRole('alert').waitFor({ state: 'detached' });

  await network.goTo(page, '#/audit?from=yesterday');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.waitForURL(/#\/audit$/);
  await page.getByText('created identity').first().waitFor();
  assert.deepEqual(complaints, []);
});

test('at an address without HTTPS, the console says where to sign in', inBrowser, async (t) => {
  const controller = await ManagementController.open({
    storage: memoryStorage(),
    settings: { address: 'https://overlay.test' },
    oidc: { consolePath: '/console/' },
  });
  const serving = await serve({ controller: consoleHandler(controller), port: 0 });
  const browser = await launchBrowser({ localName: 'overlay.test' });
  t.after(async () => {
    await browser.close();
    await serving.close();
    await controller.close();
  });
  const page = await browser.newPage();
  await page.goto(`http://overlay.test:${new URL(serving.address).port}/console/`);
  await page.getByRole('alert').getByText('address that begins with https://').waitFor();
  assert.equal(await page.getByText('digest').count(), 0);
});
