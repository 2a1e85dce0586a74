/** Dialogs before a change: they never leave a person stuck, ask before what cannot be undone, and keep the reason. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

/** The answer of a controller that could not finish in time. */
const LATE = 'the time limit is over, and it is unknown whether the change was made';
const TOO_LATE = {
  status: 503,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: { code: 'TIMEOUT', message: 'Too late', cause: { code: 'UNHANDLED', message: LATE } }, meta: {} }),
};

describe('dialogs of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  let isSlow = false;
  let anna = '';
  before(async () => {
    network = await openConsole({
      gateway: (handling) => ({
        handle: async (request) => (isSlow && request.header('prefer') === 'dry-run' ? TOO_LATE : handling.handle(request)),
      }),
    });
    const { api } = network.controller;
    anna = (await api.identities.create({ body: { name: 'anna', type: 'User', isAdmin: true } })).id;
    await api.authenticators.create({ body: { identityId: anna, method: 'updb', username: 'anna', password: PASSWORD } });
  });
  after(() => network?.close());

  const openPage = async (route: string): Promise<Page> => {
    const { page } = await network.open();
    await network.logIn(page, 'anna');
    await network.goTo(page, route);
    return page;
  };
  const button = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
  const anIdentity = async (name: string) =>
    (await network.controller.api.identities.create({ body: { name, type: 'Device', isAdmin: false } })).id;

  test('a change whose preview takes too long is saved after a check box that says what is not known', async () => {
    const { services } = network.controller.api;
    const { id } = await services.create({ body: { name: 'large', encryptionRequired: true } });
    const page = await openPage(`#/entities/services/${id}/edit`);
    await page.getByLabel('Name (required)').fill('larger');
    isSlow = true;
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nothing has been changed').waitFor();
    assert.doesNotMatch((await dialog.textContent()) ?? '', /unknown whether/);
    assert.equal(await button(page, 'Save').isDisabled(), true);
    await dialog.getByLabel('It is not known who gains or loses access').check();
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    isSlow = false;
    assert.equal((await services.get({ id })).name, 'larger');
  });

  test('a preview that is late only when it is repeated before the change says that nothing has been changed', async () => {
    const id = await anIdentity('slow phone');
    const page = await openPage(`#/entities/identities/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
    isSlow = true;
    await button(page, 'Delete').click();
    await page.getByRole('dialog').getByText('Nothing has been changed').waitFor();
    isSlow = false;
    await button(page, 'Try again').click();
    await page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
    await button(page, 'Delete').click();
    await page.getByText('slow phone was deleted.').waitFor();
  });

  test('the end of all sessions and a new enrollment ask first', async () => {
    const { identities, enrollments, revocations } = network.controller.api;
    const id = await anIdentity('tablet');
    const page = await openPage(`#/entities/identities/${id}`);
    await page.getByRole('button', { name: 'New enrollment' }).click();
    await page.getByRole('dialog').getByText('can act as this identity').waitFor();
    await button(page, 'Cancel').click();
    assert.equal((await enrollments.list({ filter: `identity = "${id}"` })).data.length, 0);
    await page.getByRole('button', { name: 'New enrollment' }).click();
    await button(page, 'Create the enrollment').click();
    await page.getByRole('heading', { name: 'Enroll the device' }).waitFor();
    assert.ok((await identities.get({ id })).enrollment.ott);
    const ended = (await revocations.list()).data.length;
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByRole('dialog').getByText('may sign in again').waitFor();
    assert.equal((await revocations.list()).data.length, ended);
    await button(page, 'End the sessions').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal((await revocations.list()).data.length, ended + 1);
  });

  test('what was entered in a form is not discarded without a question', async () => {
    const page = await openPage('#/entities/services/new');
    await page.getByLabel('Name (required)').fill('a long story');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByText('Discard what you entered?').waitFor();
    await button(page, 'Cancel').click();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'a long story');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await button(page, 'Discard').click();
    await page.getByRole('heading', { name: 'Services' }).waitFor();
    await network.goTo(page, '#/entities/services/new');
    assert.equal(await page.getByLabel('Name (required)').inputValue(), '');
  });

  test('a reason survives the end of the session, whose text is for people, and another person does not see it', async () => {
    const id = await anIdentity('leaver');
    const page = await openPage(`#/entities/identities/${id}`);
    const askAgain = async () => {
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
    };
    await askAgain();
    await page.getByLabel('Reason').fill('left the company');
    await network.controller.api.revocations.create({ body: { id: anna, type: 'IDENTITY' } });
    await button(page, 'Delete').click();
    const alert = page.getByRole('alert').filter({ hasText: 'Your session has ended' });
    await alert.first().waitFor();
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /header|authorization|zt-session/i);
    await alert.getByRole('button', { name: 'Sign in' }).click();
    await network.fillLogin(page, 'anna');
    await page.getByRole('heading', { name: 'leaver' }).waitFor();
    await askAgain();
    assert.equal(await page.getByLabel('Reason').inputValue(), 'left the company');
    await network.controller.api.revocations.create({ body: { id: anna, type: 'IDENTITY' } });
    await button(page, 'Delete').click();
    await alert.getByRole('button', { name: 'Sign in' }).click();
    await network.fillLogin(page, 'admin');
    await page.getByRole('heading', { name: 'leaver' }).waitFor();
    await askAgain();
    assert.equal(await page.getByLabel('Reason').inputValue(), '');
  });

  test('a deletion of what has changed since it was opened shows the change first', async () => {
    const { services } = network.controller.api;
    const { id } = await services.create({ body: { name: 'draft service', encryptionRequired: true } });
    const page = await openPage(`#/entities/services/${id}`);
    await services.patch({ id, body: { name: 'live service' } });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
    await button(page, 'Delete').click();
    await page.getByRole('alert').filter({ hasText: 'live service was changed by someone else' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.getByRole('button', { name: 'Delete' }).click();
    await button(page, 'Delete').click();
    await page.getByText('live service was deleted.').waitFor();
  });
});
