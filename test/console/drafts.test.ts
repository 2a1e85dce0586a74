/** What someone has entered survives the end of their session, in their tab, and nobody else sees it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

describe('drafts of the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  const people: Record<string, string> = {};
  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    for (const name of ['anna', 'robert']) {
      const { id } = await api.identities.create({ body: { name, type: 'User', isAdmin: true } });
      await api.authenticators.create({ body: { identityId: id, method: 'updb', username: name, password: PASSWORD } });
      people[name] = id;
    }
  });
  after(() => network?.close());

  /** Ends all sessions of someone, saves, and follows the sign-in to the page of the provider. */
  const saveWithoutSession = async (page: Page, name: string): Promise<void> => {
    await network.controller.api.revocations.create({ body: { id: people[name] ?? '', type: 'IDENTITY' } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Username').waitFor();
  };

  test('an edit and its role attributes are as they were after the login of the same person, and are saved', async () => {
    const { services } = network.controller.api;
    const { id } = await services.create({ body: { name: 'wiki', encryptionRequired: true, roleAttributes: ['web'] } });
    const { page } = await network.open();
    await network.logIn(page, 'anna');
    await network.goTo(page, `#/entities/services/${id}/edit`);
    await page.getByLabel('Name (required)').fill('handbook');
    await page.getByLabel('Role attributes').fill('web\nstaff');
    await saveWithoutSession(page, 'anna');
    await network.fillLogin(page, 'anna');
    await page.getByText('What you had entered before is filled in again.').waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'handbook');
    assert.equal(await page.getByLabel('Role attributes').inputValue(), 'web\nstaff');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { name, roleAttributes } = await services.get({ id });
    assert.deepEqual([name, roleAttributes], ['handbook', ['staff', 'web']]);
  });

  test('another person who logs in in the same tab does not see what was entered', async () => {
    const { page } = await network.open();
    await network.logIn(page, 'anna');
    await network.goTo(page, '#/entities/services/new');
    await page.getByLabel('Name (required)').fill('a plan of anna');
    await saveWithoutSession(page, 'anna');
    await network.fillLogin(page, 'robert');
    await page.getByRole('heading', { name: 'New service' }).waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), '');
    assert.equal(await page.getByText('What you had entered before').count(), 0);
    const kept: string = await page.evaluate('JSON.stringify(sessionStorage)');
    assert.doesNotMatch(kept, /a plan of anna/);
  });
});
