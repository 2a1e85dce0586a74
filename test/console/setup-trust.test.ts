/** The guided setups of those whom the network trusts: certificate authorities and identity providers. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { consoleHandler } from '../../console/index.ts';
import { temporaryFolder } from '../examples/child.ts';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

describe('the setups of those whom the network trusts', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  after(() => network?.close());

  const openSetup = async (route: string) => {
    const opened = await network.open();
    await network.logIn(opened.page);
    await network.goTo(opened.page, route);
    return opened;
  };
  const next = (page: Page) => page.getByRole('button', { name: 'Next' }).click();

  /** An authority in a folder of its own, made as its owner would. */
  const newAuthority = (t: TestContext, name: string) => {
    const cwd = temporaryFolder(t);
    const run = (command: string) => execFileSync('sh', ['-c', command], { cwd, stdio: 'ignore' });
    run(
      `openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 365 -subj /CN=${name} -addext keyUsage=critical,keyCertSign`,
    );
    return {
      run,
      read: (file: string) => readFileSync(join(cwd, file), 'utf8'),
      write: (file: string, text: string) => writeFileSync(join(cwd, file), text),
    };
  };
  const linesShown = async (page: Page): Promise<string> => (await page.locator('pre', { hasText: 'openssl req' }).textContent()) ?? '';

  test('an authority is uploaded, and verified by the certificate that the shown lines make', async (t) => {
    const authority = newAuthority(t, 'Acme');
    const { page, complaints } = await openSetup('#/setup/trust-authority');
    await page.getByLabel('Name (required)').fill('acme');
    await page.getByLabel('Certificate of the authority').and(page.locator('textarea')).fill(authority.read('ca.pem'));
    await next(page);
    await page.locator('h2:focus', { hasText: 'Uses' }).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Role attributes of those' }).count(), 0);
    await page.getByLabel('Sign in with its certificates').check();
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('Not yet: You have proved').waitFor();
    const proof = page.getByLabel('Certificate that proves it').and(page.locator('textarea'));
    await proof.fill(authority.read('ca.pem'));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.locator('[id="field-proof-problem"]').waitFor();
    authority.run(await linesShown(page));
    await proof.fill(authority.read('proof.pem'));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Done: You have proved').waitFor();
    const [ca] = (await network.controller.api.cas.list({})).data;
    assert.deepEqual(
      [ca?.name, ca?.isVerified, ca?.isAuthEnabled, ca?.isOttCaEnrollmentEnabled, ca?.isAutoCaEnrollmentEnabled],
      ['acme', true, true, false, false],
    );
    assert.deepEqual(complaints, []);
  });

  test('a text that is not a certificate is refused beside its field', async () => {
    const { page } = await openSetup('#/setup/trust-authority');
    await page.getByLabel('Name (required)').fill('broken');
    await page.getByLabel('Certificate of the authority').and(page.locator('textarea')).fill('not a certificate');
    await next(page);
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.locator('[id="field-certPem-problem"]').waitFor();
    await page.getByRole('heading', { level: 2, name: 'Certificate', exact: true }).waitFor();
  });

  test('an authority that was uploaded earlier is verified on its page', async (t) => {
    const authority = newAuthority(t, 'Earlier');
    const body = { isAuthEnabled: true, isOttCaEnrollmentEnabled: false, isAutoCaEnrollmentEnabled: false, identityRoles: [] };
    const { id } = await network.controller.api.cas.create({ body: { ...body, name: 'earlier', certPem: authority.read('ca.pem') } });
    const { page } = await openSetup(`#/entities/cas/${id}`);
    authority.run(await linesShown(page));
    await page.getByLabel('Certificate that proves it').and(page.locator('textarea')).fill(authority.read('proof.pem'));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'Prove that you hold its key' }).waitFor({ state: 'detached' });
    assert.equal((await network.controller.api.cas.get({ id })).isVerified, true);
  });

  test('setups link to their guides where the host has published them, and to none elsewhere', async (t) => {
    const setups = ['publish-service', 'add-identity', 'add-router', 'connect-provider', 'trust-authority'];
    const { page } = await openSetup(`#/setup/${setups[0]}`);
    assert.equal(await page.getByRole('link', { name: 'Read the guide' }).count(), 0);
    const published = await openConsole({ options: { guides: 'https://docs.example.com/{name}.html' } });
    t.after(() => published.close());
    const { page: other } = await published.open();
    await published.logIn(other);
    for (const setup of setups) {
      await published.goTo(other, `#/setup/${setup}`);
      const address = await other.getByRole('link', { name: 'Read the guide' }).getAttribute('href');
      const [, name] = /^https:\/\/docs\.example\.com\/([\w-]+)\.html$/.exec(address ?? '') ?? [];
      assert.ok(existsSync(new URL(`../../docs/guides/${name}.md`, import.meta.url)), `${setup}: ${address}`);
    }
    for (const [group, field, guide] of [
      ['identities', 'Permissions', 'delegated-administration'],
      ['servicePolicies', 'Valid until', 'temporary-access'],
      ['authPolicies', 'Secondary', 'logins'],
    ] as const) {
      await published.goTo(other, `#/entities/${group}/new`);
      await other.getByRole('link', { name: 'Read the guide', exact: true }).waitFor();
      const link = other.getByRole('link', { name: `Read the guide: ${field}`, includeHidden: true });
      assert.equal(await link.getAttribute('href'), `https://docs.example.com/${guide}.html`);
    }
    assert.throws(() => consoleHandler(network.controller, { guides: 'javascript:{name}' }), /takes as guides an address/);
  });

  const ISSUER = 'https://login.example.com/realms/acme';
  const DISCOVERY = { issuer: ISSUER, jwks_uri: `${ISSUER}/keys`, authorization_endpoint: `${ISSUER}/auth` };

  test('a provider is connected with the addresses of its discovery document', async () => {
    const { page, complaints } = await openSetup('#/setup/connect-provider');
    await page.getByLabel('Name (required)').fill('Acme accounts');
    await page.getByLabel('Issuer (required)').fill(ISSUER);
    const link = page.getByRole('link', { name: 'Open the discovery document' });
    assert.equal(await link.getAttribute('href'), `${ISSUER}/.well-known/openid-configuration`);
    const discovery = page.getByLabel('Discovery document').and(page.locator('textarea'));
    await discovery.fill(JSON.stringify({ ...DISCOVERY, issuer: 'https://evil.example.com' }));
    await next(page);
    await page.locator('[id="field-discovery-problem"]', { hasText: 'is of another issuer: https://evil.example.com' }).waitFor();
    await discovery.fill('<html>');
    await next(page);
    await page.locator('[id="field-discovery-problem"]', { hasText: 'is not the JSON' }).waitFor();
    await discovery.fill(JSON.stringify(DISCOVERY));
    await next(page);
    await page.locator('h2:focus', { hasText: 'Tokens' }).waitFor();
    assert.equal(await page.getByLabel('Address of its keys').inputValue(), `${ISSUER}/keys`);
    await page.getByLabel('Audience (required)').fill('overlay');
    await next(page);
    await page.getByLabel('Claim that names the person').fill('email');
    await page.getByLabel('The claim holds the external ID').check();
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'Acme accounts is connected' }).waitFor();
    await page.getByText('Done: The auth policy Default accepts its tokens').waitFor();
    const [signer] = (await network.controller.api.externalJwtSigners.list({})).data;
    assert.deepEqual(
      [signer?.issuer, signer?.audience, signer?.externalAuthUrl, signer?.claimsProperty, signer?.useExternalId, signer?.enabled],
      [ISSUER, 'overlay', `${ISSUER}/auth`, 'email', true, true],
    );
    await page.getByText('Check a token').click();
    const token = ['{"alg":"ES256","kid":"k"}', `{"iss":"${ISSUER}/"}`, 'x']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The token is refused: no signer has its issuer.').waitFor();
    assert.deepEqual(complaints, []);
  });
});
