/** Pictures of access of networks with more than a picture can show at once. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

describe('access in the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  afterEach(() => network.closePages());
  after(() => network?.close());

  const identity = async (name: string, ...roleAttributes: string[]) =>
    (await network.controller.api.identities.create({ body: { name, type: 'User', isAdmin: false, roleAttributes } })).id;
  const service = async (name: string, ...roleAttributes: string[]) =>
    (await network.controller.api.services.create({ body: { name, encryptionRequired: true, roleAttributes } })).id;
  const dial = (name: string, identityRoles: string[], serviceRoles: string[], more: { semantic?: 'AllOf'; validUntil?: string } = {}) =>
    network.controller.api.servicePolicies.create({
      body: { name, type: 'Dial', semantic: 'AnyOf', identityRoles, serviceRoles, ...more },
    });

  test('someone turns the pages of an identity with more policies than a picture shows', async () => {
    const id = await identity('many', 'many');
    const target = await service('target');
    for (let i = 10; i < 33; i++) await dial(`policy ${i}`, ['#many'], [`@${target}`]);
    const { page } = await network.open();
    await network.logIn(page);
    await network.goTo(page, `#/access?identities=${id}`);
    const figure = page.getByRole('figure', { name: 'Who reaches what: many' });
    await figure.locator('text', { hasText: 'policy 10' }).waitFor();
    await page.getByText('1–20 of 23').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('21–23 of 23').waitFor();
    await figure.locator('text', { hasText: 'policy 32' }).waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await figure.locator('text', { hasText: 'policy 10' }).waitFor();
  });

  for (const [semantic, label, found] of [
    ['AnyOf', 'branch or till or safe', 4],
    ['AllOf', 'branch and till and safe', 2],
  ] as const)
    test(`a group of a policy (${semantic}) leads to the list of exactly what the policy selects`, async () => {
      const prefix = semantic.toLowerCase();
      const [branch, till] = [`${prefix}-branch`, `${prefix}-till`];
      for (const [name, ...attributes] of [['first', branch, till], ['second', branch], ['third', till], ['fourth']])
        await service(`${prefix} ${name}`, ...attributes);
      const safe = await service(`${prefix} safe`);
      const id = await identity(`${prefix} clerk`, prefix);
      await dial(prefix, [`#${prefix}`], [`#${branch}`, `#${till}`, `@${safe}`], semantic === 'AllOf' ? { semantic } : {});
      const { page } = await network.open();
      await network.logIn(page);
      await network.goTo(page, `#/access?identities=${id}`);
      const words = label.replaceAll(/branch|till|safe/g, (word) => (word === 'safe' ? `@${prefix} safe` : `#${prefix}-${word}`));
      await page
        .getByRole('figure')
        .getByRole('link', { name: new RegExp(`${words}|${found} services`) })
        .click();
      await page.getByRole('heading', { name: 'Services', level: 1 }).waitFor();
      await page.getByText(`1–${found} of ${found}`).waitFor();
    });

  test('a grant shows its end in the picture', async () => {
    const id = await identity('visitor', 'visitors');
    const target = await service('lobby');
    await dial('visit', ['#visitors'], [`@${target}`], { validUntil: '2999-03-01T12:00:00.000Z' });
    const { page } = await network.open();
    await network.logIn(page);
    await network.goTo(page, `#/access?identities=${id}`);
    await page.getByRole('figure').locator('text', { hasText: 'until Mar 1, 2999' }).first().waitFor();
  });

  test('a suggestion that others have outdated is not applied: what they have changed stays', async () => {
    const { identities } = network.controller.api;
    const id = await identity('newcomer', 'old');
    const target = await service('intranet');
    await dial('staff', ['#staff'], [`@${target}`]);
    const { page } = await network.open();
    await network.logIn(page);
    await network.goTo(page, `#/access/explain/${id}/${target}`);
    const preview = page.getByRole('listitem').filter({ hasText: 'newcomer' }).filter({ hasText: 'staff' }).getByRole('button').first();
    await preview.click();
    await page.getByRole('dialog').getByText('Gained').waitFor();
    await identities.patch({ id, body: { roleAttributes: ['new'] } });
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('This was changed by someone else').waitFor();
    assert.deepEqual((await identities.get({ id })).roleAttributes, ['new']);
    await preview.click();
    await page.getByRole('dialog').getByText('Gained').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('newcomer may dial intranet.').waitFor();
    assert.deepEqual((await identities.get({ id })).roleAttributes?.toSorted(), ['new', 'staff']);
  });

  test('an explanation names whom a policy selects by id', async () => {
    const id = await identity('named person');
    const target = await service('named service');
    await dial('by name', [`@${id}`], [`@${target}`]);
    const { page } = await network.open();
    await network.logIn(page);
    await network.goTo(page, `#/access/explain/${id}/${target}`);
    await page.getByText('@named person', { exact: true }).waitFor();
    await page.getByText('@named service', { exact: true }).waitFor();
    assert.equal(await page.getByText(`@${id}`).count(), 0);
  });

  test('from the picture of an identity, someone asks why it does not reach a service', async () => {
    const id = await identity('stranger');
    await service('vault');
    const { page } = await network.open();
    await network.logIn(page);
    await network.goTo(page, `#/access?identities=${id}`);
    await page.getByRole('combobox', { name: 'Service' }).fill('vault');
    await page.getByRole('option', { name: 'vault' }).click();
    await page.getByText('stranger may not dial vault.').waitFor();
  });
});
