/** Several tabs of one console: they share a sign-in and its end, and say what was changed in another one. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly session: string;
}

describe('the console in several tabs', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  afterEach(() => network.closePages());
  after(() => network?.close());

  const isThere = (page: Page) => page.getByRole('heading', { name: 'Overview' }).waitFor();
  const tokensOf = async (page: Page): Promise<Tokens> =>
    JSON.parse(await page.evaluate('Object.entries(sessionStorage).find(([key]) => /tokens$/.test(key))[1]'));
  /** Another tab of the same browser, by address. */
  const another = async (page: Page, route = ''): Promise<Page> => {
    const other = await page.context().newPage();
    await other.goto(`${network.address}/console/${route}`);
    return other;
  };
  const twoTabs = async () => {
    const { page, complaints } = await network.open();
    await network.logIn(page);
    const other = await another(page);
    await isThere(other);
    return { page, other, complaints };
  };
  /** Renews the token of a tab, as if it had expired. */
  const renew = async (page: Page): Promise<void> => {
    await page.evaluate(
      `for (const [key, text] of Object.entries(sessionStorage))
        if (/tokens$/.test(key)) sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(text), renewAt: 0 }))`,
    );
    const renewed = page.waitForResponse((response) => response.url().endsWith('/oidc/oauth/token'));
    await page.getByRole('link', { name: 'Services', exact: true }).click();
    await renewed;
    await page.getByText('None yet.').or(page.getByRole('rowheader').first()).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
  };

  test('a new tab is signed in without a password, with tokens of its own of the same session', async () => {
    const { page, other, complaints } = await twoTabs();
    const [one, two] = [await tokensOf(page), await tokensOf(other)];
    assert.equal(one.session, two.session);
    assert.notEqual(one.refresh, two.refresh);
    assert.deepEqual(complaints, []);
  });

  test('no token is readable on the way: scripts that listen see only what is sealed', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    const [name] = (await page.evaluate(
      `navigator.locks.query().then(({ held }) => held.map(({ name }) => name.replace(/signed in$/, 'tabs')))`,
    )) as readonly string[]; // names are texts
    const eavesdropper = await page.context().newPage();
    await eavesdropper.route('**/other-application', (route) => route.fulfill({ contentType: 'text/html', body: '<title>other</title>' }));
    await eavesdropper.goto(`${network.address}/other-application`);
    await eavesdropper.evaluate(
      `globalThis.heard = []; globalThis.channel = new BroadcastChannel(${JSON.stringify(name)});
      channel.onmessage = ({ data }) => heard.push(data)`,
    );
    const other = await another(page);
    await isThere(other);
    const heard: readonly string[] = await eavesdropper.evaluate(
      `heard.map(({ is, sealed }) => is + ' ' + new TextDecoder().decode(sealed?.bytes))`,
    );
    assert.ok(heard.some((text) => text.startsWith('tokens ')));
    const { access, refresh } = await tokensOf(other);
    for (const text of heard) assert.ok(!text.includes(access) && !text.includes(refresh) && !text.includes('refresh'));
    assert.equal(await eavesdropper.evaluate('localStorage.length + sessionStorage.length'), 0);
  });

  test('tabs renew their tokens independently of each other', async () => {
    const { page, other } = await twoTabs();
    await Promise.all([renew(page), renew(other)]);
    await renew(page);
    assert.equal((await tokensOf(page)).session, (await tokensOf(other)).session);
  });

  test('a duplicated tab, which has the same token that is valid once, is not signed out', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    const duplicate = await page.context().newPage();
    const stored = await page.evaluate('JSON.stringify(Object.entries(sessionStorage))');
    await duplicate.goto(`${network.address}/console/icon.svg`);
    await duplicate.evaluate(`for (const [key, text] of ${stored}) sessionStorage.setItem(key, text)`);
    await duplicate.goto(`${network.address}/console/`);
    await isThere(duplicate);
    assert.equal((await tokensOf(page)).refresh, (await tokensOf(duplicate)).refresh);
    await renew(page);
    await renew(duplicate);
    assert.notEqual((await tokensOf(page)).refresh, (await tokensOf(duplicate)).refresh);
    await isThere(duplicate);
  });

  test('signing out in one tab signs out all, and signing in signs in all', async () => {
    const { page, other } = await twoTabs();
    await page.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [page, other]) {
      await tab.getByText('You are signed out.').waitFor();
      assert.deepEqual(await tab.evaluate('Object.keys(sessionStorage).filter((key) => /token|draft/.test(key))'), []);
    }
    await other.getByRole('button', { name: 'Sign in' }).click();
    await network.fillLogin(other);
    await isThere(other);
    await isThere(page);
  });

  test('when the session has ended, one new login signs in all tabs, each of which keeps its entries', async () => {
    const { page, other } = await twoTabs();
    for (const tab of [page, other]) await network.goTo(tab, '#/entities/services/new');
    await other.getByLabel('Name (required)').fill('kept');
    const { session } = await tokensOf(page);
    await network.controller.api.revocations.create({ body: { id: session, type: 'API_SESSION' } });
    await other.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Name (required)').fill('first');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await network.fillLogin(page);
    await page.getByText('Your earlier entries have been restored.').waitFor();
    await other.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await other.getByText('Your earlier entries have been restored.').waitFor();
    assert.equal(await other.getByLabel('Name (required)').inputValue(), 'kept');
  });

  test('a tab without another one that is signed in asks for a password', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    const { session } = await tokensOf(page);
    await network.controller.api.revocations.create({ body: { id: session, type: 'API_SESSION' } });
    const other = await another(page);
    await other.getByLabel('Username').waitFor();
  });

  test('a page of an entity that another tab has changed says so, and shows the change', async () => {
    const { id } = await network.controller.api.services.create({ body: { name: 'wiki', encryptionRequired: true } });
    const { page, other } = await twoTabs();
    await network.goTo(page, `#/entities/services/${id}`);
    await network.goTo(other, `#/entities/services/${id}/edit`);
    await other.getByLabel('Name (required)').fill('handbook');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await other.getByText('Saved.').waitFor();
    await page.getByText('This was changed in another tab, or by someone else.').waitFor();
    await page.getByRole('button', { name: 'Show the current state' }).click();
    await page.getByRole('heading', { name: 'handbook' }).waitFor();
    assert.equal(await other.getByText('This was changed in another tab').count(), 0);
  });

  test('a form of an entity that someone else has changed offers to merge the entries with the change', async () => {
    const { id } = await network.controller.api.services.create({ body: { name: 'mail', encryptionRequired: true } });
    const { page } = await network.open();
    await network.logIn(page);
    await page.getByText('Live', { exact: true }).waitFor();
    await network.goTo(page, `#/entities/services/${id}/edit`);
    await page.getByLabel('Name (required)').fill('post');
    await page.getByText('More fields').click();
    await network.controller.api.services.patch({ id, body: { maxIdleTimeMillis: 7000 } });
    await page.getByRole('button', { name: 'Merge with my entries' }).click();
    await page.getByText('Their changes are in the form below').waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'post');
    assert.equal(await page.getByLabel('Max idle time millis').inputValue(), '7000');
  });

  test('if the host does not share the sign-in, each tab asks for a password', async (t) => {
    const separate = await openConsole({ options: { shareSignIn: false } });
    t.after(() => separate.close());
    const { page } = await separate.open();
    await separate.logIn(page);
    const other = await page.context().newPage();
    await other.goto(`${separate.address}/console/`);
    await other.getByLabel('Username').waitFor();
  });
});
