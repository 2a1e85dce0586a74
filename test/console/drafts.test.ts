/** What someone has entered survives the end of their session, in their tab, and nobody else sees it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addEntries, type ConsoleInBrowser, chipsOf, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

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
    await addEntries(page, 'Role attributes', 'staff');
    await saveWithoutSession(page, 'anna');
    await network.fillLogin(page, 'anna');
    await page.getByText('Your earlier entries have been restored.').waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'handbook');
    assert.equal(await chipsOf(page, 'Role attributes').count(), 2);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { name, roleAttributes } = await services.get({ id });
    assert.deepEqual([name, roleAttributes], ['handbook', ['staff', 'web']]);
  });

  /** The key of the draft of an edit of a service. */
  const keyOf = (id: string) => `overlay-console /console/ draft services/${id}`;
  const openEdit = async (name: string) => {
    const { id } = await network.controller.api.services.create({ body: { name, encryptionRequired: true } });
    const { page, complaints } = await network.open();
    await network.logIn(page, 'anna');
    await network.goTo(page, `#/entities/services/${id}/edit`);
    return { page, complaints, id };
  };

  test('entries that the storage has no room for are announced, and no older ones come back', async () => {
    const { page, complaints } = await openEdit('small');
    const name = page.getByLabel('Name (required)');
    await name.fill('an older entry');
    await page.evaluate(
      "for (let size = 1 << 23; size >= 1; size >>= 1) { try { sessionStorage.full = (sessionStorage.full ?? '') + 'x'.repeat(size); } catch {} }",
    );
    await name.fill('a newer entry '.repeat(100));
    await page.getByText('too large to be kept').waitFor();
    await page.reload();
    await name.waitFor();
    assert.equal(await name.inputValue(), 'small');
    assert.deepEqual(complaints, []);
  });

  test('a draft that cannot be read, or has another form, leaves the form as the entity is', async () => {
    const { page, complaints, id } = await openEdit('sound');
    for (const draft of [
      'nonsense',
      '[]',
      '{"shown":{"name":"of an earlier release"}}',
      '{"entered":{"name":"without the state that it changes"}}',
      '{"entered":{"name":{"a":1},"roleAttributes":[1],"tags":{}},"opened":{"version":1,"shown":{"name":5,"tags":[]}}}',
    ]) {
      await page.evaluate(`sessionStorage.setItem(${JSON.stringify(keyOf(id))}, ${JSON.stringify(draft)})`);
      await page.reload();
      const name = page.getByLabel('Name (required)');
      await name.waitFor();
      assert.equal(await name.inputValue(), 'sound', draft);
    }
    assert.deepEqual(complaints, []);
  });

  test('entries of an edit whose entity was deleted are used for a new one', async () => {
    const { page, complaints, id } = await openEdit('short-lived');
    await page.getByLabel('Name (required)').fill('second life');
    await network.controller.api.services.delete({ id });
    await page.reload();
    await page.getByText('It was deleted, but what you had entered').waitFor();
    await page.getByRole('button', { name: 'Use my entries for a new one' }).click();
    await page.getByRole('heading', { name: 'New service' }).waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'second life');
    assert.equal(await page.evaluate(`sessionStorage.getItem(${JSON.stringify(keyOf(id))})`), null);
    assert.deepEqual(complaints, []);
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
    assert.equal(await page.getByText('Your earlier entries').count(), 0);
    const kept: string = await page.evaluate('JSON.stringify(sessionStorage)');
    assert.doesNotMatch(kept, /a plan of anna/);
  });

  test('nothing of what was entered stays in a tab whose session has ended when its person signs out in another tab', async () => {
    const { page } = await network.open();
    await network.logIn(page, 'anna');
    const other = await page.context().newPage();
    await network.goTo(other, '#/entities/services/new');
    await other.getByLabel('Name (required)').fill('a plan of anna');
    await network.controller.api.revocations.create({ body: { id: people['anna'] ?? '', type: 'IDENTITY' } });
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByRole('alert').getByRole('button', { name: 'Sign in' }).waitFor();
    assert.match(await other.evaluate('JSON.stringify(sessionStorage)'), /a plan of anna/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
    await other.getByText('You are signed out.').waitFor();
    assert.doesNotMatch(await other.evaluate('JSON.stringify(sessionStorage)'), /a plan of anna/);
  });
});
