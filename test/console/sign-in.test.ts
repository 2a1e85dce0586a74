/** Who may use what is in a tab: links of others, other people in the same tab, and other controllers at the same origin. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { nodeHandler } from '../../adapters/http/node.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { consoleHandler } from '../../console/index.ts';
import { ManagementController } from '../../src/index.ts';
import { freePort } from '../examples/child.ts';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

describe('the sign-in of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    // Browsers keep pages in memory for the back button; automated ones do so only without this argument.
    network = await openConsole({ without: ['--disable-back-forward-cache'] });
    await administrator('second');
  });
  afterEach(() => network.closePages());
  after(() => network?.close());

  const administrator = async (name: string): Promise<void> => {
    const { api } = network.controller;
    const { id } = await api.identities.create({ body: { name, type: 'User', isAdmin: true } });
    await api.authenticators.create({ body: { identityId: id, method: 'updb', username: name, password: PASSWORD } });
  };
  /** The tokens that a tab has. */
  const tokensOf = async (page: Page): Promise<{ readonly access: string; readonly refresh: string }> =>
    JSON.parse(await page.evaluate('Object.entries(sessionStorage).find(([key]) => /tokens$/.test(key))[1]'));
  /** The status of a call with these headers. */
  const statusWith = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await network.request.get(`${network.address}/edge/management/v1/services`, { headers })).status();
  const statusOf = (token: string): Promise<number> => statusWith({ authorization: `Bearer ${token}` });
  const shownText = (page: Page): Promise<string> => page.locator('body').textContent().then(String);

  test('a link of someone else shows no text of theirs, and does not end the session', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    const link = new URLSearchParams({ error: 'access_denied', error_description: 'Call 555-0100 now', state: 'theirs' });
    await page.goto(`${network.address}/console/?${link}`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.doesNotMatch(await shownText(page), /555-0100/);
    assert.equal(page.url(), `${network.address}/console/`);
  });

  test('a code that the tab did not ask for is not redeemed: nobody works in the session of another without knowing', async () => {
    const { page } = await network.open();
    const redeemed: string[] = [];
    page.on('request', (request) => (request.url().endsWith('/oidc/oauth/token') ? redeemed.push(request.url()) : 0));
    await page.goto(`${network.address}/console/?code=theirs.code&state=theirs`);
    await page.getByLabel('Username').waitFor();
    assert.deepEqual(redeemed, []);
  });

  test('after signing out, neither the way back nor the tab shows what was there', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    await network.controller.api.services.create({ body: { name: 'secret-project', encryptionRequired: true } });
    await page.getByRole('link', { name: 'Services', exact: true }).click();
    await page.getByRole('rowheader', { name: 'secret-project' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await page.goBack();
    // Firefox loads the page again, which leads to the login.
    await page.getByRole('button', { name: 'Sign in' }).or(page.getByLabel('Username')).waitFor();
    assert.doesNotMatch(await shownText(page), /secret-project/);
    assert.deepEqual(await page.evaluate('Object.keys(sessionStorage).filter((key) => /token|draft/.test(key))'), []);
  });

  test('a page that the browser has kept is not shown again without asking', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    await page.evaluate('sessionStorage.clear(); dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))');
    await page.getByLabel('Username').waitFor();
  });

  test('signing out ends the session at the controller: neither of its tokens is of use', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    const { access, refresh } = await tokensOf(page);
    assert.equal(await statusOf(access), 200);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    assert.equal(await statusOf(access), 401);
    const form = { grant_type: 'refresh_token', client_id: 'overlay-console', refresh_token: refresh };
    assert.equal((await network.request.post(`${network.address}/oidc/oauth/token`, { form })).status(), 400);
  });

  test('signing out says so if the controller could not be reached', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    await page.route('**/current-api-session', (route) => route.fulfill({ status: 503, headers: { 'retry-after': '60' }, body: '' }));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('The controller did not respond').waitFor();
    assert.deepEqual(await page.evaluate('Object.keys(sessionStorage).filter((key) => /token/.test(key))'), []);
  });

  test('a controller that is busy while a token is renewed ends no session', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    const { access } = await tokensOf(page);
    const claims = JSON.parse(Buffer.from(access.split('.')[1] ?? '', 'base64url').toString()) as { readonly jti: string };
    let isBusy = true;
    await page.route('**/oidc/oauth/token', (route) => (isBusy ? route.fulfill({ status: 503, body: 'busy' }) : route.continue()));
    await network.controller.api.revocations.create({ body: { id: claims.jti, type: 'JTI' } });
    await page.getByRole('link', { name: 'Services', exact: true }).click();
    await page.getByRole('alert').getByText('The controller is not responding').waitFor();
    isBusy = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('None yet.').or(page.getByRole('rowheader').first()).waitFor();
  });

  test('a controller that is busy while the page is loaded ends no session', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    await page.route('**/descriptions.json', (route) => route.fulfill({ status: 503, body: 'busy' }), { times: 1 });
    await page.reload();
    await page.getByRole('alert').getByText('The controller is not responding').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('what one person had entered is not shown to the next one in the same tab', async () => {
    const { page } = await network.open();
    await network.logIn(page, 'second');
    await network.goTo(page, '#/entities/services/new');
    await page.getByLabel('Name (required)').fill('of the second');
    const { data } = await network.controller.api.identities.list({ filter: 'name = "second"' });
    await network.controller.api.revocations.create({ body: { id: data[0]?.id ?? '', type: 'IDENTITY' } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await network.fillLogin(page);
    await page.getByLabel('Name (required)').waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), '');
  });

  test('ending all sessions of someone ends those of this console, too', async () => {
    await administrator('third');
    const { page: theirs } = await network.open();
    await network.logIn(theirs, 'third');
    const { access } = await tokensOf(theirs);
    const login = await network.request.post(`${network.address}/edge/management/v1/authenticate?method=password`, {
      data: { username: 'third', password: PASSWORD },
    });
    const { data: session } = (await login.json()) as { readonly data: { readonly token: string } }; // as declared
    const inSession = () => statusWith({ 'zt-session': session.token });
    assert.deepEqual([await statusOf(access), await inSession()], [200, 200]);
    const { page } = await network.open();
    await network.logIn(page);
    const { data } = await network.controller.api.identities.list({ filter: 'name = "third"' });
    await network.goTo(page, `#/entities/identities/${data[0]?.id}`);
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the sessions' }).click();
    await page.getByText('No session').waitFor();
    assert.deepEqual([await statusOf(access), await inSession()], [401, 401]);
  });

  test('the consoles of two controllers at one origin know nothing of each other', async (t) => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const at = async (mount: string) => {
      const controller = await ManagementController.open({
        storage: memoryStorage(),
        administrator: { password: PASSWORD },
        settings: { address: `${origin}${mount}` },
        oidc: { consolePath: '/console/' },
      });
      return { controller, listener: nodeHandler(consoleHandler(controller), { mount }) };
    };
    const [one, other] = [await at('/one'), await at('/other')];
    const server = createServer((request, response) => one.listener(request, response, () => void other.listener(request, response)));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const { page } = await network.open();
    t.after(async () => {
      await page.context().close();
      server.close();
      await Promise.all([one, other].map(({ controller }) => controller.close()));
    });
    const logInAt = async (path: string): Promise<void> => {
      await page.goto(`${origin}${path}/console/`);
      await network.fillLogin(page);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    };
    await logInAt('/one');
    await logInAt('/other');
    await page.goto(`${origin}/one/console/`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
});
