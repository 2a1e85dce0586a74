/** The overview of the console: what ends soon, and what to do. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';
import { authority, party } from '../support/pki.ts';

const DAY = 86_400_000;

/** A server certificate of an authority that lasts. */
const servedUntil = async (notAfter: number) => {
  const times = { notBefore: Date.now() - 60 * DAY, notAfter: Date.now() + 900 * DAY };
  const root = await authority('root', times);
  const signer = await authority('signer', { ...times, by: root, pathLength: 0 });
  const server = await party('server', { by: signer, notBefore: times.notBefore, notAfter });
  return { pki: { certificates: signer.cert, anchors: root.cert, key: signer.key }, serverCertificate: () => server };
};

describe('the overview of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  after(() => network?.close());

  test('the overview says in words what is wrong with the controller, or will be, and what to do', async () => {
    for (const [days, grade, sentence] of [
      [3.5, 'warn', /^Warning: the certificate of the server expires at \S+\. Replace it\. Clients and routers/],
      [-0.5, 'bad', /^Error: the certificate of the server expired at \S+\. Replace it\. Clients and routers/],
    ] as const) {
      const ending = await openConsole({ network: await servedUntil(Date.now() + days * DAY) });
      const { page, complaints } = await ending.open();
      await ending.logIn(page);
      const health = page.getByRole('region', { name: 'Health' });
      await health.getByRole('listitem').first().waitFor();
      assert.match((await health.getByRole('listitem').allInnerTexts())[0] ?? '', sentence);
      assert.match((await health.locator('.notice').getAttribute('class')) ?? '', new RegExp(grade));
      const folder = process.env['PICTURES'];
      if (folder) await page.screenshot({ path: `${folder}/console-health-${grade}.png`, fullPage: true });
      assert.deepEqual(complaints, []);
      await ending.close();
    }
  });

  test('a controller without troubles has no reasons but those of its network', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    const reasons = page.getByRole('region', { name: 'Health' }).getByRole('listitem');
    await reasons.first().waitFor();
    const told = await reasons.allInnerTexts();
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /^No edge routers yet\./);
  });

  test('the authority and certificate authorities are listed by their end, and those that end soon with what to do', async () => {
    const flags = { isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true, isAuthEnabled: true };
    const certPem = async (name: string, days: number) =>
      (await authority(name, { notBefore: Date.now() - DAY, notAfter: Date.now() + days * DAY })).cert;
    const { cas } = network.controller.api;
    await cas.create({ body: { name: 'lasting partner', certPem: await certPem('lasting', 900), identityRoles: [], ...flags } });
    await cas.create({ body: { name: 'ending partner', certPem: await certPem('ending', 7.5), identityRoles: [], ...flags } });
    const { page, complaints } = await network.open();
    await network.logIn(page);
    const ends = page.getByRole('region', { name: 'Certificates and tokens that expire' }).getByRole('listitem');
    await ends.filter({ hasText: 'Authority of this network' }).first().waitFor();
    const rows = await ends.allInnerTexts();
    assert.match(rows[0] ?? '', /in 7 days[\s\S]*ending partner Expires soon\. Register a replacement/);
    const lasting = rows.find((row) => row.includes('lasting partner')) ?? '';
    assert.match(lasting, /in 2 years/);
    assert.doesNotMatch(lasting, /Expires soon/);
    assert.equal(await page.getByRole('link', { name: '0 Circuits' }).getAttribute('href'), '#/traffic');
    const folder = process.env['PICTURES'];
    if (folder) await page.screenshot({ path: `${folder}/console-ends.png`, fullPage: true });
    await page.getByRole('link', { name: 'ending partner' }).first().click();
    await page.getByRole('heading', { name: 'ending partner' }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
