/** The overview of the console: what ends soon, and what to do. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';
import { authority } from '../support/pki.ts';

const DAY = 86_400_000;

describe('the overview of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  after(() => network?.close());

  test('the authority and certificate authorities are listed by their end, and those that end soon with what to do', async () => {
    const flags = { isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true, isAuthEnabled: true };
    const certPem = async (name: string, days: number) =>
      (await authority(name, { notBefore: Date.now() - DAY, notAfter: Date.now() + days * DAY })).cert;
    const { cas } = network.controller.api;
    await cas.create({ body: { name: 'lasting partner', certPem: await certPem('lasting', 900), identityRoles: [], ...flags } });
    await cas.create({ body: { name: 'ending partner', certPem: await certPem('ending', 7.5), identityRoles: [], ...flags } });
    const { page, complaints } = await network.open();
    await network.logIn(page);
    const ends = page.getByRole('region', { name: 'Ends of certificates and tokens' }).getByRole('listitem');
    await ends.filter({ hasText: 'Authority of this network' }).first().waitFor();
    const rows = await ends.allInnerTexts();
    assert.match(rows[0] ?? '', /in 7 days[\s\S]*ending partner Ends soon\. Register its successor/);
    const lasting = rows.find((row) => row.includes('lasting partner')) ?? '';
    assert.match(lasting, /in 2 years/);
    assert.doesNotMatch(lasting, /Ends soon/);
    assert.equal(await page.getByRole('link', { name: '0 Circuits' }).getAttribute('href'), '#/traffic');
    const folder = process.env['PICTURES'];
    if (folder) await page.screenshot({ path: `${folder}/console-ends.png`, fullPage: true });
    await page.getByRole('link', { name: 'ending partner' }).first().click();
    await page.getByRole('heading', { name: 'ending partner' }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
