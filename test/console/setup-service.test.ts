/** The guided setup that publishes a service: configs, service and policies are created together, or not at all. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addEntries, type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';

const ROUTE = '#/setup/publish-service';

describe('the setup that publishes a service', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    const person = { type: 'User', isAdmin: false } as const;
    await api.identities.create({ body: { ...person, name: 'ann', roleAttributes: ['staff'] } });
    await api.identities.create({ body: { ...person, name: 'server room', roleAttributes: ['hosts'] } });
  });
  after(() => network?.close());

  const next = (page: Page) => page.getByRole('button', { name: 'Next' }).click();
  const stepShown = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true }).waitFor();

  const openSetup = async () => {
    const opened = await network.open();
    await network.logIn(opened.page);
    await network.goTo(opened.page, ROUTE);
    return opened;
  };
  const fillAddress = async (page: Page, name: string) => {
    await page.getByLabel('Name (required)').fill(name);
    await page.getByLabel('Addresses (required)').fill('wiki.example.com\n*.wiki.example.com');
    await page.getByLabel('Ports (required)').fill('443\n8000-8100');
    await next(page);
  };
  const fillServer = async (page: Page) => {
    await stepShown(page, 'Server');
    await page.getByLabel('Address of the server').fill('localhost');
    await page.getByLabel('Port of the server').fill('8080');
    await addEntries(page, 'Hosted by', '#hosts');
    await next(page);
  };
  const fillUsers = async (page: Page) => {
    await stepShown(page, 'Users');
    await addEntries(page, 'Used by', '#staff');
    await next(page);
  };
  const publish = async (page: Page) => {
    await page.getByRole('button', { name: 'Publish' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Gained (2)').waitFor();
    await dialog.getByRole('button', { name: 'Publish' }).click();
  };
  const namesOf = async (group: 'configs' | 'services' | 'servicePolicies' | 'edgeRouterPolicies' | 'serviceEdgeRouterPolicies') =>
    (await network.controller.api[group].list({ sort: 'name' })).data.map(({ name }) => name);

  test('a service is published from what is entered, with the router policies that are missing', async () => {
    const { page, complaints } = await openSetup();
    await fillAddress(page, 'wiki');
    await fillServer(page);
    await fillUsers(page);
    await stepShown(page, 'Routers');
    await page.getByText('There is no edge router yet.').waitFor();
    await page.getByText('2 entries of the hosts and users have no edge router yet.').waitFor();
    await next(page);
    await stepShown(page, 'Review');
    await page.getByText('wiki.example.com').waitFor();
    await publish(page);
    await page.getByRole('heading', { name: 'wiki is published' }).waitFor();
    await page.getByText('Not yet: A host offers it').waitFor();
    const { api } = network.controller;
    const [service] = (await api.services.list({ filter: 'name = "wiki"', configTypes: ['all'] })).data;
    assert.ok(service);
    assert.deepEqual(service.config, {
      'intercept.v1': {
        protocols: ['tcp'],
        addresses: ['wiki.example.com', '*.wiki.example.com'],
        portRanges: [
          { low: 443, high: 443 },
          { low: 8000, high: 8100 },
        ],
      },
      'host.v1': { protocol: 'tcp', address: 'localhost', port: 8080 },
    });
    const { entries } = await api.access.whoCan({ serviceId: service.id });
    assert.deepEqual(entries.map(({ identity, type }) => [identity.name, type]).toSorted(), [
      ['ann', 'Dial'],
      ['server room', 'Bind'],
    ]);
    const [policy] = (await api.edgeRouterPolicies.list({})).data;
    assert.deepEqual([policy?.identityRoles?.toSorted(), policy?.edgeRouterRoles], [['#hosts', '#staff'], ['#all']]);
    assert.deepEqual(
      (await api.serviceEdgeRouterPolicies.list({})).data.map(({ serviceRoles }) => serviceRoles),
      [[`@${service.id}`]],
    );
    assert.deepEqual(complaints, []);
    await page.getByRole('link', { name: 'Publish another service' }).click();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), '');
  });

  test('a name that is taken, invalid ports and a missing choice are reported beside their fields', async () => {
    const { api } = network.controller;
    await api.services.create({ body: { name: 'taken', encryptionRequired: true } });
    const { page } = await openSetup();
    await fillAddress(page, 'taken');
    await page.locator('[id="field-name-problem"]', { hasText: 'exists already' }).waitFor();
    await page.locator('[id="field-name"]:focus').waitFor();
    await page.getByLabel('Name (required)').fill('not taken');
    await page.getByLabel('Ports (required)').fill('70000');
    await next(page);
    await page.locator('[id="field-ports-problem"]', { hasText: '“70000” is neither a port' }).waitFor();
    await page.getByLabel('Ports (required)').fill('443');
    await next(page);
    await stepShown(page, 'Server');
    await page.getByLabel('Address of the server').fill('localhost');
    await next(page);
    await page.locator('[id="field-hostedBy-problem"]', { hasText: 'Choose who hosts the service' }).waitFor();
  });

  test('if one part is refused, nothing is created, and the name in the first step has the reason', async () => {
    const { api } = network.controller;
    const { data: types } = await api.configTypes.list({ filter: 'name = "host.v1"' });
    const data = { protocol: 'tcp', address: 'localhost', port: 1 };
    await api.configs.create({ body: { name: 'shop host', configTypeId: types[0]?.id ?? '', data } });
    const before = { services: await namesOf('services'), configs: await namesOf('configs'), policies: await namesOf('servicePolicies') };
    const { page } = await openSetup();
    await fillAddress(page, 'shop');
    await fillServer(page);
    await fillUsers(page);
    await stepShown(page, 'Routers');
    await next(page);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.locator('[id="field-name-problem"]', { hasText: 'The config “shop host” cannot be created' }).waitFor();
    await stepShown(page, 'Address');
    const now = { services: await namesOf('services'), configs: await namesOf('configs'), policies: await namesOf('servicePolicies') };
    assert.deepEqual(now, before);
  });

  test('a name that looks like a reference of a batch stays a name', async () => {
    const { page } = await openSetup();
    await fillAddress(page, '$1.id');
    await fillServer(page);
    await fillUsers(page);
    await stepShown(page, 'Routers');
    await next(page);
    await publish(page);
    await page.getByRole('heading', { name: '$1.id is published' }).waitFor();
    assert.ok((await namesOf('services')).includes('$1.id'));
  });

  test('where policies cover everything, no router policy is created', async () => {
    const { api } = network.controller;
    const all = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] } as const;
    await api.edgeRouters.create({ body: { name: 'paris', isTunnelerEnabled: true } });
    await api.edgeRouterPolicies.create({ body: { ...all, name: 'everyone', identityRoles: ['#all'] } });
    await api.serviceEdgeRouterPolicies.create({ body: { ...all, name: 'everything', serviceRoles: ['#all'] } });
    const before = [await namesOf('edgeRouterPolicies'), await namesOf('serviceEdgeRouterPolicies')];
    const { page } = await openSetup();
    await fillAddress(page, 'covered');
    await stepShown(page, 'Server');
    await page.getByLabel('Address of the server').fill('10.0.0.7');
    await page.getByRole('button', { name: 'paris' }).click();
    await page.getByRole('button', { name: 'Remove: @paris' }).waitFor();
    await next(page);
    await fillUsers(page);
    await page.getByText('Existing policies give the hosts and users').waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Edge routers' }).count(), 0);
    await next(page);
    await publish(page);
    await page.getByRole('heading', { name: 'covered is published' }).waitFor();
    assert.deepEqual([await namesOf('edgeRouterPolicies'), await namesOf('serviceEdgeRouterPolicies')], before);
    const [service] = (await api.services.list({ filter: 'name = "covered"', configTypes: ['host.v1'] })).data;
    const ports = [
      { low: 443, high: 443 },
      { low: 8000, high: 8100 },
    ];
    assert.deepEqual(service?.config?.['host.v1'], { protocol: 'tcp', address: '10.0.0.7', forwardPort: true, allowedPortRanges: ports });
  });

  test('steps are entered by the keyboard: the heading of each has the focus, and the browser goes back', async () => {
    const { page } = await openSetup();
    await page.getByLabel('Name (required)').focus();
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.type('keys.example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type('22');
    await page.getByLabel('Name (required)').focus();
    await page.keyboard.press('Enter');
    await page.locator('h2:focus', { hasText: 'Server' }).waitFor();
    await page.goBack();
    await page.locator('h2:focus', { hasText: 'Address' }).waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'by keyboard');
    await page.reload();
    await page.getByText('Your earlier entries have been restored.').waitFor();
    assert.equal(await page.getByLabel('Addresses (required)').inputValue(), 'keys.example.com');
  });

  test('delegates see the setups that their permissions allow', async () => {
    const { api } = network.controller;
    const { id } = await api.identities.create({
      body: { name: 'helper', type: 'User', isAdmin: false, permissions: ['identity', 'enrollment', 'router.read'] },
    });
    await api.authenticators.create({ body: { identityId: id, method: 'updb', username: 'helper', password: PASSWORD } });
    const { page } = await network.open();
    await network.logIn(page, 'helper');
    await page.getByRole('link', { name: 'Guided setup' }).click();
    await page.getByRole('heading', { level: 1, name: 'Guided setup' }).waitFor();
    assert.deepEqual(await page.locator('main').getByRole('link').allTextContents(), ['Add a person or device']);
    await network.goTo(page, ROUTE);
    await page.getByRole('heading', { level: 1, name: 'Guided setup' }).waitFor();
    await network.goTo(page, '#/entities/edgeRouters');
    assert.equal(await page.getByRole('link', { name: 'Step by step' }).count(), 0);
  });
});
