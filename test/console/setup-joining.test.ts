/** The guided setups of those who join the network: people, devices and edge routers, until they are seen to have joined. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addEntries, type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';
import { csr } from '../support/pki.ts';
import { requestsOf } from '../support/routers.ts';

describe('the setups of those who join', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole();
  });
  after(() => network?.close());

  const openSetup = async (route: string) => {
    const opened = await network.open();
    await network.logIn(opened.page);
    await network.goTo(opened.page, route);
    return opened;
  };
  const create = async (page: Page, report = 'Nobody gains or loses access') => {
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(report).waitFor();
    await dialog.getByRole('button', { name: 'Create' }).click();
  };
  /** What a device or a router sends to join. */
  const enroll = async (method: string, token: string, data: string | object) => {
    const contentType = typeof data === 'string' ? 'application/x-pem-file' : 'application/json';
    const response = await network.request.post(`${network.address}/edge/client/v1/enroll?method=${method}&token=${token}`, {
      data,
      headers: { 'content-type': contentType },
    });
    assert.equal(response.status(), 200, await response.text());
  };
  const identityNamed = async (name: string) => {
    const { data } = await network.controller.api.identities.list({ filter: `name = "${name}"` });
    assert.ok(data[0]);
    return data[0];
  };

  test('a device is added, and its enrollment is seen at once', async () => {
    const { page, complaints } = await openSetup('#/setup/add-identity');
    await page.getByLabel('Name (required)').fill('forklift 7');
    assert.equal(await page.getByLabel('Username').count(), 0);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('h2:focus', { hasText: 'Access' }).waitFor();
    await addEntries(page, 'Role attributes', 'warehouse');
    await create(page);
    await page.locator('h2:focus', { hasText: 'forklift 7 was created' }).waitFor();
    await page.getByRole('img', { name: 'QR code with the enrollment token of forklift 7' }).waitFor();
    await page.getByText('ziti edge enroll forklift-7.jwt').waitFor();
    await page.getByText('Not yet: It has enrolled').waitFor();
    await page.reload();
    await page.getByText('Not yet: It has enrolled').waitFor();
    const { roleAttributes, enrollment, isAdmin } = await identityNamed('forklift 7');
    assert.deepEqual([roleAttributes, isAdmin], [['warehouse'], false]);
    await enroll('ott', enrollment.ott?.token ?? '', (await csr('CN=forklift')).csr);
    await page.getByText('Done: It has enrolled').waitFor();
    assert.equal(await page.getByRole('img', { name: /QR code/ }).count(), 0);
    assert.deepEqual(complaints, []);
  });

  test('a person gets a username, enrolls with a password, and is seen to be online', async () => {
    const { page } = await openSetup('#/setup/add-identity');
    await page.getByLabel('Name (required)').fill('Bea');
    await page.getByLabel('Who is it?').selectOption({ label: 'A person with a username and password' });
    await page.getByLabel('Username').fill('bea');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('[id="field-username-problem"]', { hasText: 'The username should be at least 4 chars long' }).waitFor();
    await page.getByLabel('Username').fill('beatrice');
    await page.getByRole('button', { name: 'Next' }).click();
    await create(page);
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    const { enrollment } = await identityNamed('Bea');
    await enroll('updb', enrollment.updb?.token ?? '', { password: PASSWORD });
    await page.getByText('Done: It has enrolled').waitFor();
    const login = await network.request.post(`${network.address}/edge/client/v1/authenticate?method=password`, {
      data: { username: 'beatrice', password: PASSWORD },
    });
    assert.equal(login.status(), 200);
    await page.getByText('Done: It is online').waitFor();
  });

  test('a name that is taken is reported beside its field, in the first step', async () => {
    const { page } = await openSetup('#/setup/add-identity');
    await page.getByLabel('Name (required)').fill('Default Admin');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('[id="field-name-problem"]').waitFor();
    await page.getByRole('heading', { level: 2, name: 'Identity' }).waitFor();
  });

  test('an edge router is added, gets lines for each platform, and is seen to enroll', async () => {
    const { page, complaints } = await openSetup('#/setup/add-router');
    await page.getByLabel('Name (required)').fill("o'hara; $(id)");
    await page.getByLabel('It also hosts and uses services').check();
    await create(page, 'Edge routers gained (1)');
    await page.getByRole('heading', { name: 'Start the router' }).waitFor();
    const { port } = new URL(network.address);
    await page.getByText(`ZITI_CTRL_ADVERTISED_ADDRESS=127.0.0.1 ZITI_CTRL_ADVERTISED_PORT=${port}`).waitFor();
    await page.getByText('ziti router enroll o-hara-id-.yml --jwt o-hara-id-.jwt').waitFor();
    await page.getByText('--tunnelerMode host').waitFor();
    await page.getByLabel('Address of the router').fill('$(reboot)');
    await page.getByText('ZITI_ROUTER_ADVERTISED_ADDRESS=ROUTER_ADDRESS').waitFor();
    await page.getByLabel('Address of the router').fill('fra1.example.com');
    await page.getByText('ZITI_ROUTER_ADVERTISED_ADDRESS=fra1.example.com').waitFor();
    await page.getByLabel('Where it runs').selectOption('Container');
    await page.getByText('docker run --detach --name o-hara-id-').waitFor();
    await page.getByLabel('Where it runs').selectOption('Kubernetes');
    await page.getByText('helm upgrade --install o-hara-id openziti/ziti-router').waitFor();
    await page.getByText(`ctrl.endpoint=127.0.0.1:${port}`).waitFor();
    const [router] = (await network.controller.api.edgeRouters.list({})).data;
    assert.ok(router);
    const { id, enrollmentToken = '' } = await network.controller.api.edgeRouters.get({ id: router.id });
    await enroll('erott', enrollmentToken ?? '', await requestsOf(id));
    await page.getByText('Done: It has enrolled').waitFor();
    await page.getByText('Not yet: It is online').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Start the router' }).count(), 0);
    assert.deepEqual(complaints, []);
  });

  test('the page of a router that has not enrolled has the lines, too', async () => {
    const { id } = await network.controller.api.edgeRouters.create({ body: { name: 'spare' } });
    const { page } = await openSetup(`#/entities/edgeRouters/${id}`);
    await page.getByText('ziti router run spare.yml').waitFor();
  });
});
