/** The own account: password, second factor, sessions and API tokens of the person who is signed in. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';
import { totp } from '../support/mfa.ts';
import { policyBody } from '../support/policies.ts';

const NEW_PASSWORD = 'Another-password-1';

describe('the own account in the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole({ network: { settings: { ownApiTokens: true } } });
  });
  after(() => network?.close());

  /** Someone with a password, who is signed in and has opened the account. */
  const signedIn = async (name: string, fields: { readonly isAdmin?: boolean; readonly authPolicyId?: string } = {}) => {
    const { api } = network.controller;
    const body = { name, type: 'User' as const, isAdmin: true, ...fields };
    const { id } = await api.identities.create({ body: fields.isAdmin === false ? { ...body, permissions: ['service'] } : body });
    await api.authenticators.create({ body: { identityId: id, method: 'updb', username: name, password: PASSWORD } });
    const opened = await network.open();
    await network.logIn(opened.page, name);
    await opened.page.getByRole('link', { name: `Your account: ${name}` }).click();
    await opened.page.getByRole('heading', { name: 'Your account' }).waitFor();
    return { id, ...opened };
  };
  const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const changePassword = async (page: Page, current: string, password: string, repeated = password): Promise<void> => {
    await page.getByLabel('Current password').fill(current);
    await page.getByLabel('New password (').fill(password);
    await page.getByLabel('New password, again').fill(repeated);
    await page.getByRole('button', { name: 'Change the password' }).click();
  };
  const problemOf = (page: Page, label: string) => page.locator('.field', { has: page.getByLabel(label) }).locator('.wrong');
  const login = (username: string, password: string) =>
    network.request
      .post(`${network.address}/edge/management/v1/authenticate?method=password`, { data: { username, password } })
      .then((response) => response.status());

  test('a password is changed by the current one; the rules and each error are beside their field', async () => {
    const { api } = network.controller;
    const updb = { minPasswordLength: 12, requireNumberChar: true, requireMixedCase: true };
    const { id: authPolicyId } = await api.authPolicies.create({ body: policyBody('long passwords', { updb }) });
    const { id, page, complaints } = await signedIn('anna', { isAdmin: false });
    await api.identities.patch({ id, body: { authPolicyId } });
    await page.reload();
    await page.getByText('at least 12 characters, uppercase and lowercase letters, a digit').waitFor();
    await changePassword(page, 'not the password', NEW_PASSWORD);
    await problemOf(page, 'Current password').getByText('is wrong').waitFor();
    await changePassword(page, PASSWORD, NEW_PASSWORD, 'other');
    await problemOf(page, 'New password, again').getByText('The two passwords differ').waitFor();
    await changePassword(page, PASSWORD, 'only-lower-case-1');
    await problemOf(page, 'New password (').getByText('must contain uppercase and lowercase').waitFor();
    assert.equal(await login('anna', PASSWORD), 200);
    await changePassword(page, PASSWORD, NEW_PASSWORD);
    await page.getByText('Your password was changed.').waitFor();
    assert.deepEqual([await login('anna', PASSWORD), await login('anna', NEW_PASSWORD)], [401, 200]);
    assert.equal(await page.getByLabel('Current password').inputValue(), '');
    assert.deepEqual(complaints, []);
  });

  test('a second factor is set up with a code of the app, and asked for at the next sign-in', async () => {
    const { page, complaints } = await signedIn('boris');
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const secret = String(await section(page, 'Second factor').locator('.enrollment pre').textContent());
    await page.getByRole('textbox', { name: 'Code' }).fill('no code');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await problemOf(page, 'Code').waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill(totp(secret, Date.now()));
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('The second factor is on.').waitFor();
    const codes = String(await section(page, 'Second factor').locator('.notice pre').textContent()).split('\n');
    assert.equal(codes.length, 20);
    await page.reload();
    await page.getByText('is asked for at every sign-in').waitFor();
    assert.equal(await section(page, 'Second factor').locator('pre').count(), 0);
    assert.deepEqual(complaints, []);

    const { page: other } = await network.open();
    await other.goto(`${network.address}/console/#/account`);
    await network.fillLogin(other, 'boris');
    await other.getByRole('textbox', { name: 'Code' }).waitFor();
    await other.getByRole('textbox', { name: 'Code' }).fill(codes[0] ?? '');
    await other.keyboard.press('Enter');
    await other.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  test('recovery codes are shown and replaced with a code of the app; a code turns the factor off', async () => {
    const { id, page } = await signedIn('cleo');
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const factor = section(page, 'Second factor');
    const secret = String(await factor.locator('.enrollment pre').textContent());
    await page.getByRole('textbox', { name: 'Code' }).fill(totp(secret, Date.now()));
    await page.getByRole('button', { name: 'Turn on' }).click();
    const before = String(await factor.locator('.notice pre').textContent());
    const act = async (name: string): Promise<void> => {
      // The form of the setup has a field of this name, too.
      await page.getByRole('button', { name }).waitFor();
      await page.getByRole('textbox', { name: 'Code' }).fill(totp(secret, Date.now()));
      await page.getByRole('button', { name }).click();
    };
    await act('Replace the recovery codes');
    await factor.locator('.notice pre').getByText(before, { exact: true }).waitFor({ state: 'detached' });
    const renewed = String(await factor.locator('.notice pre').textContent());
    await page.reload();
    await act('Show the recovery codes');
    assert.equal(await factor.locator('.notice pre').textContent(), renewed);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    assert.equal((await download).suggestedFilename(), 'recovery-codes.txt');
    await act('Turn off');
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('The second factor is off.').waitFor();
    assert.equal((await network.controller.api.identities.get({ id })).isMfaEnabled, false);
  });

  test('a session that owes a factor does not get in: the console asks to sign in with it', async () => {
    const { id: authPolicyId } = await network.controller.api.authPolicies.create({
      body: policyBody('two factors', { secondary: { requireTotp: true } }),
    });
    const { id, page } = await signedIn('dora');
    await network.controller.api.identities.patch({ id, body: { authPolicyId } });
    await page.reload();
    await page.getByText('asks for another factor').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await network.fillLogin(page, 'dora');
    await page.getByText('authenticator app').first().waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Your account' }).count(), 0);
  });

  test('own sessions are listed, with that of this console, and ended one by one or all but this one', async () => {
    const { page } = await signedIn('evelyn');
    const sessions = section(page, 'Your sessions');
    await sessions.getByRole('row').filter({ hasText: 'this session' }).filter({ hasText: 'Console' }).waitFor();
    const { page: other } = await network.open();
    await network.logIn(other, 'evelyn');
    await login('evelyn', PASSWORD);
    await login('evelyn', PASSWORD);
    await page.reload();
    await sessions.getByRole('row').nth(4).waitFor();
    await sessions.getByRole('button', { name: '(API or device)' }).first().click();
    await page.getByText('The session was ended.').waitFor();
    await sessions.getByRole('row').nth(4).waitFor({ state: 'detached' });
    await sessions.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByText('All other sessions were ended.').waitFor();
    await sessions.getByRole('row').nth(2).waitFor({ state: 'detached' });
    await other.getByRole('link', { name: 'Services', exact: true }).click();
    await other.getByText('Your session has ended').first().waitFor();
  });

  test('an API token is created with an end, shown once and revoked', async () => {
    const { page } = await signedIn('fred');
    const tokens = section(page, 'Your API tokens');
    await tokens.getByText('You have no API tokens.').waitFor();
    await tokens.getByText('New API token').first().click();
    await tokens.getByLabel('Name').fill('<b>backup</b>');
    await tokens.getByLabel('Expires at').fill('2020-01-01T00:00');
    await tokens.getByRole('button', { name: 'New API token' }).click();
    await tokens
      .locator('.field', { has: page.getByLabel('Expires at') })
      .locator('.wrong')
      .waitFor();
    await tokens.getByLabel('Expires at').fill(new Date(Date.now() + 864e5).toISOString().slice(0, 16));
    await tokens.getByRole('button', { name: 'New API token' }).click();
    await tokens.getByText('It is shown only once').waitFor();
    const secret = String(await tokens.locator('pre').textContent());
    const status = async () =>
      (await network.request.get(`${network.address}/edge/management/v1/current-identity`, { headers: { 'zt-session': secret } })).status();
    assert.equal(await status(), 200);
    await page.reload();
    await tokens.getByRole('rowheader', { name: '<b>backup</b>' }).waitFor();
    assert.equal(await tokens.locator('pre').count(), 0);
    await tokens.getByRole('button', { name: 'Revoke <b>backup</b>' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The API token was revoked.').waitFor();
    assert.equal(await status(), 401);
  });
});
