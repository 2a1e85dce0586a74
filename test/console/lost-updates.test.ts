/** What another administrator has saved is never overwritten unseen: it is merged, or shown beside what was entered here. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addEntries, type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

const HOST_V1 = 'NH5p4FpGR';

describe('edits of the same entity by two administrators', inBrowser, () => {
  let network: ConsoleInBrowser;
  let anna = '';
  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    anna = (await api.identities.create({ body: { name: 'anna', type: 'User', isAdmin: true } })).id;
    await api.authenticators.create({ body: { identityId: anna, method: 'updb', username: 'anna', password: PASSWORD } });
  });
  after(() => network?.close());

  /** Opens the form of an entity as `anna`. */
  const openForm = async (route: string) => {
    const opened = await network.open();
    await network.logIn(opened.page, 'anna');
    await network.goTo(opened.page, route);
    return opened;
  };
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
  /** The review of the fields that somebody else has changed. */
  const reviewOf = (page: Page) => page.getByRole('region', { name: 'Changed by someone else' });
  const aConfig = async (name: string) => {
    const data = { protocol: 'tcp', address: 'db.internal', port: 5432 };
    const { id } = await network.controller.api.configs.create({ body: { name, configTypeId: HOST_V1, data, tags: { site: 'a' } } });
    return { id, data };
  };
  const openTags = (page: Page) => page.getByText('More fields').click();

  test('after the session has ended, a field that only the other has changed is kept and named', async () => {
    const { configs, revocations } = network.controller.api;
    const { id, data } = await aConfig('database');
    const { page, complaints } = await openForm(`#/entities/configs/${id}/edit`);
    await page.getByLabel('Name (required)').fill('main database');
    await configs.patch({ id, body: { data: { ...data, port: 6000 } } });
    await revocations.create({ body: { id: anna, type: 'IDENTITY' } });
    await save(page);
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await network.fillLogin(page, 'anna');
    const notice = reviewOf(page);
    await notice.getByRole('row', { name: /port.*5432.*6000/ }).waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'main database');
    await save(page);
    await page.getByText('Saved.').waitFor();
    const saved = await configs.get({ id });
    assert.deepEqual([saved.name, saved.data], ['main database', { ...data, port: 6000 }]);
    assert.deepEqual(complaints, []);
  });

  test('a field that both have changed must be chosen, after a refused save, a reload, and a second refused save', async () => {
    const { configs } = network.controller.api;
    const { id, data } = await aConfig('cache');
    const { page } = await openForm(`#/entities/configs/${id}/edit`);
    await page.getByLabel('Name (required)').fill('mine');
    await configs.patch({ id, body: { name: 'theirs', data: { ...data, port: 7000 } } });
    await save(page);
    const row = reviewOf(page).getByRole('row', { name: /cache.*theirs.*mine/ });
    await row.waitFor();
    await page.reload();
    await row.waitFor();
    await reviewOf(page).getByRole('button', { name: 'Continue' }).click();
    assert.equal(await row.count(), 1, 'without a choice it stays');
    await row.getByLabel('Mine').check();
    await reviewOf(page).getByRole('button', { name: 'Continue' }).click();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'mine');
    await configs.patch({ id, body: { name: 'theirs again' } });
    await save(page);
    const second = reviewOf(page).getByRole('row', { name: /theirs.*theirs again.*mine/ });
    await second.getByLabel('Theirs').check();
    await reviewOf(page).getByRole('button', { name: 'Continue' }).click();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'theirs again');
    const { name, data: kept } = await configs.get({ id });
    assert.deepEqual([name, kept], ['theirs again', { ...data, port: 7000 }]);
  });

  test('tags are merged by name, and attributes can be taken from both', async () => {
    const { services } = network.controller.api;
    const { id } = await services.create({
      body: { name: 'wiki', encryptionRequired: true, roleAttributes: ['web'], tags: { site: 'a', floor: '1' } },
    });
    const { page, complaints } = await openForm(`#/entities/services/${id}/edit`);
    await openTags(page);
    const floor = page.getByRole('group', { name: 'Tags', exact: true }).getByRole('group', { name: 'Entry 2' });
    assert.equal(await floor.getByLabel('Name').inputValue(), 'floor');
    await floor.getByLabel('Value').fill('2');
    await addEntries(page, 'Role attributes', 'mine');
    await services.patch({ id, body: { tags: { site: 'b', floor: '1', owner: 'eve' }, roleAttributes: ['web', 'theirs'] } });
    await save(page);
    const review = reviewOf(page);
    await review.getByRole('row', { name: /Tags: site.*a.*b/ }).waitFor();
    await review.getByRole('row', { name: /Tags: owner.*eve/ }).waitFor();
    await review
      .getByRole('row', { name: /Role attributes/ })
      .getByLabel('Both')
      .check();
    await review.getByRole('button', { name: 'Continue' }).click();
    await save(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nobody gains or loses access').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { tags, roleAttributes } = await services.get({ id });
    assert.deepEqual(tags, { site: 'b', floor: '2', owner: 'eve' });
    assert.deepEqual(roleAttributes?.toSorted(), ['mine', 'theirs', 'web']);
    assert.deepEqual(complaints, []);
  });

  test('parts of an object are compared one by one', async () => {
    const { authPolicies } = network.controller.api;
    const updb = {
      allowed: true,
      minPasswordLength: 8,
      requireSpecialChar: false,
      requireNumberChar: false,
      requireMixedCase: false,
      maxAttempts: 5,
      lockoutDurationMinutes: 10,
    };
    const { id } = await authPolicies.create({
      body: {
        name: 'strict',
        primary: { cert: { allowed: true, allowExpiredCerts: false }, extJwt: { allowed: false, allowedSigners: [] }, updb },
        secondary: { requireTotp: false },
      },
    });
    const { page } = await openForm(`#/entities/authPolicies/${id}/edit`);
    await page.getByLabel('Min password length').fill('12');
    await authPolicies.patch({ id, body: { primary: { updb: { ...updb, maxAttempts: 3 } }, secondary: { requireTotp: true } } });
    await save(page);
    await reviewOf(page)
      .getByRole('row', { name: /Max attempts.*5.*3/ })
      .waitFor();
    await save(page);
    await page.getByText('Saved.').waitFor();
    const { primary, secondary } = await authPolicies.get({ id });
    assert.deepEqual([primary.updb.minPasswordLength, primary.updb.maxAttempts, secondary.requireTotp], [12, 3, true]);
  });

  test('two tabs with the same form: the second one compares before it saves, also within its preview', async () => {
    const { services } = network.controller.api;
    const { id } = await services.create({ body: { name: 'mail', encryptionRequired: true } });
    const first = await openForm(`#/entities/services/${id}/edit`);
    const second = await openForm(`#/entities/services/${id}/edit`);
    await first.page.getByLabel('Name (required)').fill('post');
    await second.page.getByLabel('Name (required)').fill('letters');
    for (const { page } of [first, second]) await save(page);
    for (const { page } of [first, second]) await page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
    await second.page.getByLabel('Reason').fill('ticket nine');
    await first.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await first.page.getByText('Saved.').waitFor();
    await second.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const row = reviewOf(second.page).getByRole('row', { name: /mail.*post.*letters/ });
    await row.getByLabel('Mine').check();
    assert.equal(await second.page.getByRole('dialog').count(), 0);
    await reviewOf(second.page).getByRole('button', { name: 'Continue' }).click();
    await save(second.page);
    assert.equal(await second.page.getByLabel('Reason').inputValue(), 'ticket nine');
    await second.page.getByRole('dialog').getByText('Nobody gains or loses access').waitFor();
    await second.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await second.page.getByText('Saved.').waitFor();
    assert.equal((await services.get({ id })).name, 'letters');
  });

  test('a change that both have made alike does not count as a difference, and an entity that is gone keeps what was entered', async () => {
    const { configs } = network.controller.api;
    const { id } = await aConfig('queue');
    const { page } = await openForm(`#/entities/configs/${id}/edit`);
    await page.getByLabel('Name (required)').fill('jobs');
    await configs.patch({ id, body: { name: 'jobs' } });
    await save(page);
    await page.getByText('Your changes are saved already').waitFor();
    await page.getByLabel('Name (required)').fill('works');
    await configs.delete({ id });
    await save(page);
    await page.getByRole('alert').filter({ hasText: 'does not exist' }).waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'works');
  });
});
