/** Delegated administrators see what their permissions and scopes allow, and nothing that is refused. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

const within = { roleAttributes: ['team-a'] };

/** What people hold. */
const HOLDERS = {
  auditor: { permissions: ['admin_readonly'] },
  'reader of identities': { permissions: ['identity.read'] },
  'manager of policies': { permissions: ['service-policy', 'identity.read', 'service.read'] },
  'manager of identities': { permissions: ['identity', 'enrollment'] },
  operator: { permissions: ['ops'] },
  'manager of configs': { permissions: ['config', 'config-type.read', 'terminator', 'posture-check', 'auth-policy.read', 'ca'] },
  'manager of a team': {
    scopedPermissions: { identity: within, enrollment: within, service: within, 'router.read': within, 'posture-check': within },
  },
} as const;

describe('the console of delegated administrators', inBrowser, () => {
  let network: ConsoleInBrowser;
  let denial = '';
  before(async () => {
    network = await openConsole();
    await aNetwork();
    for (const [name, holding] of Object.entries(HOLDERS)) await person(name, holding);
    await person('nobody in particular', {});
  });
  afterEach(() => network.closePages());
  after(() => network?.close());

  const person = async (name: string, holding: object): Promise<void> => {
    const { api } = network.controller;
    const { id } = await api.identities.create({ body: { name, type: 'User', isAdmin: false, ...holding } });
    await api.authenticators.create({ body: { identityId: id, method: 'updb', username: name, password: PASSWORD } });
  };

  /** One entity of each kind that has a page, some of them within the team. */
  const aNetwork = async (): Promise<void> => {
    const { api } = network.controller;
    const device = { type: 'Device', isAdmin: false } as const;
    await api.identities.create({ body: { ...device, name: 'phone', roleAttributes: ['team-a'], enrollment: { ott: true } } });
    await api.identities.create({ body: { ...device, name: 'tablet', roleAttributes: ['team-b'] } });
    // An identity with a denial to explain.
    const printer = await api.identities.create({ body: { ...device, name: 'printer' } });
    const service = await api.services.create({ body: { name: 'wiki', encryptionRequired: true, roleAttributes: ['team-a'] } });
    denial = `#/access/explain/${printer.id}/${service.id}`;
    const router = await api.edgeRouters.create({ body: { name: 'edge', roleAttributes: ['team-a'] } });
    const policy = { semantic: 'AnyOf', identityRoles: ['#team-a'] } as const;
    await api.servicePolicies.create({ body: { ...policy, name: 'dials', type: 'Dial', serviceRoles: ['#team-a'] } });
    await api.edgeRouterPolicies.create({ body: { ...policy, name: 'routers', edgeRouterRoles: ['#all'] } });
    await api.postureChecks.create({
      body: { name: 'systems', typeId: 'OS', operatingSystems: [{ type: 'Windows', versions: [] }], roleAttributes: ['team-a'] },
    });
    const data = { protocol: 'tcp', address: 'db.internal', port: 5432 };
    await api.configs.create({ body: { name: 'db', configTypeId: 'NH5p4FpGR', data } });
    await api.terminators.create({ body: { service: service.id, router: router.id, binding: 'transport', address: 'tcp:10.0.0.1:80' } });
  };

  const linksOf = (page: Page): Promise<readonly string[]> =>
    page
      .locator('a[href^="#/"]')
      .evaluateAll((links: readonly { getAttribute(name: string): string | null }[]) =>
        links.map((link) => link.getAttribute('href') ?? ''),
      );
  /** A route without its ids: pages of the same kind are visited twice, other pages once. */
  const shapeOf = (route: string): string => route.replaceAll(/[\w.-]{20,}|default/g, 'ID');

  /** Goes to each page that has a link, and to the forms and dialogs of the first few. */
  const walk = async (page: Page, waiting: string[]): Promise<readonly string[]> => {
    const visits = new Map<string, number>();
    for (let route = waiting.shift(); route !== undefined; route = waiting.shift()) {
      const shape = shapeOf(route);
      const count = (visits.get(shape) ?? 0) + 1;
      if (count > (shape.includes('ID') ? 2 : 1)) continue;
      visits.set(shape, count);
      await network.goTo(page, route);
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      for (const link of await linksOf(page)) if (!waiting.includes(link)) waiting.push(link);
      for (const name of ['Delete', 'Disable', 'Save', 'Preview', 'Revert to this state']) {
        const button = page.locator('main').getByRole('button', { name, exact: true });
        if ((await button.count()) === 0 || shape.endsWith('/new')) continue;
        if (name === 'Save') {
          await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
          const field = page.getByRole('textbox', { name: /^Name( \(required\))?$/ });
          if ((await field.count()) === 0) continue;
          await field.fill(`changed ${count}`);
        }
        await button.first().click();
        await page.getByRole('dialog').or(page.getByText('Saved.')).or(page.getByRole('alert')).first().waitFor();
        await page.getByText('Checking what this changes').waitFor({ state: 'detached' });
        if ((await page.getByRole('dialog').count()) > 0) await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      }
    }
    return [...visits.keys()];
  };

  for (const name of Object.keys(HOLDERS))
    test(`nothing that the ${name} is offered is refused`, async () => {
      const { page, complaints } = await network.open();
      const refused: string[] = [];
      page.on('response', (response) => {
        if ([401, 403].includes(response.status())) refused.push(`${page.url()}: ${response.request().method()} ${response.url()}`);
      });
      await network.logIn(page, name);
      const mayExplain = (await page.getByRole('link', { name: 'Access', exact: true }).count()) > 0;
      const visited = await walk(page, mayExplain ? ['#/', denial] : ['#/']);
      assert.ok(visited.length > 3, visited.join());
      assert.deepEqual(refused, []);
      assert.deepEqual(complaints, []);
    });

  test('someone without administrative permissions reads that, and can sign in as someone else', async () => {
    const { page, complaints } = await network.open();
    await page.goto(`${network.address}/console/`);
    await network.fillLogin(page, 'nobody in particular');
    await page.getByText('nobody in particular, who has no administrative permissions').waitFor();
    assert.equal(await page.getByRole('link').count(), 0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('identities with more rights, and what lies outside of a scope, can be read and not changed', async () => {
    const { api } = network.controller;
    await person('scoped to change', { permissions: ['identity.read'], scopedPermissions: { 'identity.update': within } });
    const { page } = await network.open();
    await network.logIn(page, 'scoped to change');
    for (const [name, buttons] of [
      ['phone', ['Edit']],
      ['tablet', []],
      ['Default Admin', []],
    ] as const) {
      const { data } = await api.identities.list({ filter: `name = "${name}"` });
      await network.goTo(page, `#/entities/identities/${data[0]?.id}`);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      const shown = await page
        .locator('main')
        .getByRole('link', { name: /^(Edit|History)$/ })
        .allTextContents();
      assert.deepEqual(shown, buttons, name);
      assert.equal(await page.getByRole('button', { name: 'Disable' }).count(), buttons.length, name);
    }
  });

  test('the form of an identity asks delegates for nothing that only administrators write', async () => {
    const { page } = await network.open();
    await network.logIn(page, 'manager of identities');
    await network.goTo(page, '#/entities/identities/new');
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    assert.equal(await page.getByLabel(/^(Admin|Permissions|Scoped permissions)/).count(), 0);
    await page.getByLabel('Name (required)').fill('made by a delegate');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Your permissions do not include a report').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').or(page.getByText('was created')).first().waitFor();
    const { data } = await network.controller.api.identities.list({ filter: 'name = "made by a delegate"' });
    assert.equal(data[0]?.isAdmin, false);
  });

  test('parts that the host leaves out have no links, and their addresses no pages', async () => {
    const part = await openConsole({ options: { features: { access: false, audit: false, traffic: false, entities: false } } });
    const { api } = part.controller;
    const { id } = await api.services.create({ body: { name: 'wiki', encryptionRequired: true } });
    const { page, complaints } = await part.open();
    await part.logIn(page);
    await page.getByText('wiki').first().waitFor();
    const links = await linksOf(page);
    assert.deepEqual([...new Set(links)], ['#/', '#/account']);
    for (const route of [
      '#/access',
      '#/audit',
      '#/traffic',
      '#/usage',
      '#/entities/services',
      `#/entities/services/${id}`,
      `#/history/service/${id}`,
    ]) {
      await part.goTo(page, route);
      await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
    }
    assert.deepEqual(complaints, []);
    await part.close();
  });

  test('without the overview, the console begins with a page that there is', async () => {
    const part = await openConsole({ options: { features: { overview: false, access: false } } });
    const { page } = await part.open();
    await page.goto(`${part.address}/console/`);
    await part.fillLogin(page);
    await page.getByRole('heading', { name: 'Traffic' }).waitFor();
    await part.close();
  });
});
