/** Ten everyday tasks, from the overview to their effect, by the pages alone: the clicks and the fields of each are in the guide. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { bindBy, dialBy, routed, type Traffic, traffic } from '../adapters/routers/traffic.ts';
import { temporaryFolder } from '../examples/child.ts';
import { type ConsoleInBrowser, inBrowser, openConsole, PASSWORD } from '../support/console-in-browser.ts';
import { policyBody } from '../support/policies.ts';
import { until } from '../support/until.ts';

const GUIDE = new URL('../../docs/guides/console.md', import.meta.url);

describe('everyday tasks in the console', inBrowser, () => {
  let network: ConsoleInBrowser;
  let page: Page;
  let clicks = 0;
  let fields = 0;

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    for (const role of ['client', 'host'])
      await api.identities.create({ body: { name: role, type: 'User', isAdmin: false, roleAttributes: [`${role}s`] } });
    ({ page } = await network.open());
    await network.logIn(page);
  });
  after(() => network?.close());

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true }).first();
  const dialog = () => page.getByRole('dialog');
  const click = async (target: Locator): Promise<void> => {
    clicks += 1;
    await target.click();
  };
  const type = async (label: string, text: string): Promise<void> => {
    fields += 1;
    await page.getByLabel(label).and(page.locator('input, textarea')).first().fill(text);
  };
  /** Types into a combobox, and takes what it offers with the key Enter. */
  const pick = async (label: string, text: string): Promise<void> => {
    fields += 1;
    const field = page.getByRole('combobox', { name: label });
    await field.fill(text);
    if (!text.startsWith('#')) await page.getByRole('option', { name: text }).first().waitFor();
    await field.press('Enter');
  };
  const confirm = async (name: string): Promise<void> => {
    await dialog().getByText('Checking what this changes').waitFor({ state: 'detached' });
    await click(dialog().getByRole('button', { name, exact: true }));
    await dialog().waitFor({ state: 'detached' });
  };
  /** Finds an entity with the search that is on every page. */
  const find = async (name: string): Promise<void> => {
    await click(page.getByRole('button', { name: /^Search/ }));
    fields += 1;
    await dialog().getByRole('combobox').fill(name);
    await click(
      dialog()
        .getByRole('option', { name: new RegExp(name) })
        .first(),
    );
    await page.getByRole('heading', { level: 1, name }).waitFor();
  };
  /** Performs a task, of which the guide tells the clicks and the fields that are entered. */
  const counted = async (name: string, perform: () => Promise<void>): Promise<void> => {
    [clicks, fields] = [0, 0];
    await perform();
    const row = `| ${name} | ${clicks} | ${fields} |`;
    assert.ok(readFileSync(GUIDE, 'utf8').includes(row), `the guide has the row ${row}`);
  };
  const task = (name: string, perform: () => Promise<void>): void =>
    void test(name, async () => {
      await network.goTo(page, '#/');
      await counted(name, perform);
    });

  task('publish a service', async () => {
    await click(link('Guided setup'));
    await click(link('Publish a service'));
    await type('Name (required)', 'wiki');
    await type('Addresses (required)', 'wiki.example.com');
    await type('Ports (required)', '443');
    await click(button('Next'));
    await type('Address of the server', 'localhost');
    await type('Port of the server', '8080');
    await pick('Hosted by', '#hosts');
    await click(button('Next'));
    await pick('Used by', '#clients');
    await click(button('Next'));
    await click(button('Next'));
    await click(button('Publish'));
    await confirm('Publish');
    await page
      .getByText('wiki was published')
      .or(page.getByRole('heading', { name: /wiki/ }))
      .first()
      .waitFor();
    const { api } = network.controller;
    const [service] = (await api.services.list({ filter: 'name = "wiki"' })).data;
    const [client] = (await api.identities.list({ filter: 'name = "client"' })).data;
    const { isPermitted } = await api.access.explain({ identityId: client?.id ?? '', serviceId: service?.id ?? '', type: 'Dial' });
    assert.equal(isPermitted, true);
  });

  task('onboard a person with a second factor', async () => {
    const { api } = network.controller;
    await api.authPolicies.create({ body: { ...(policyBody('with a code') as object), secondary: { requireTotp: true } } as never });
    await click(link('Guided setup'));
    await click(link('Add a person or device'));
    await type('Name (required)', 'Beatrice');
    clicks += 1;
    await page.getByLabel('Who is it?').selectOption({ label: 'A person with a username and password' });
    await type('Username', 'beatrice');
    await click(button('Next'));
    await pick('Auth policy', 'with a code');
    await click(button('Create'));
    await confirm('Create');
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    const [person] = (await api.identities.list({ filter: 'name = "Beatrice"' })).data;
    assert.ok(person?.enrollment.updb?.token);
    assert.equal((await api.authPolicies.get({ id: person?.authPolicyId ?? '' })).secondary.requireTotp, true);
  });

  task('find why a dial fails', async () => {
    await network.controller.api.services.create({ body: { name: 'vault', encryptionRequired: true } });
    await find('client');
    await click(page.locator('main').getByRole('link', { name: 'Access', exact: true }));
    await pick('Service', 'vault');
    await page.getByText('client may not dial vault.').waitFor();
    await page.getByRole('heading', { name: 'The smallest changes that would grant access' }).waitFor();
  });

  task('take access from a leaver', async () => {
    const { api } = network.controller;
    const { id } = await api.identities.create({ body: { name: 'leaver', type: 'User', isAdmin: false, roleAttributes: ['clients'] } });
    await find('leaver');
    await click(button('Disable'));
    await dialog().getByText('out of reach').waitFor();
    await confirm('Disable');
    await button('Enable').waitFor();
    assert.equal((await api.identities.get({ id })).disabled, true);
  });

  test('roll a CA', async (t) => {
    const { api } = network.controller;
    const cwd = temporaryFolder(t);
    const run = (command: string) => execFileSync('sh', ['-c', command], { cwd, stdio: 'ignore' });
    run(
      'openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 365 -subj /CN=next -addext keyUsage=critical,keyCertSign',
    );
    run(
      'openssl req -x509 -newkey rsa:2048 -nodes -keyout old.key -out old.pem -days 365 -subj /CN=old -addext keyUsage=critical,keyCertSign',
    );
    const flags = { isAuthEnabled: true, isOttCaEnrollmentEnabled: false, isAutoCaEnrollmentEnabled: false, identityRoles: [] };
    await api.cas.create({ body: { ...flags, name: 'old', certPem: readFileSync(join(cwd, 'old.pem'), 'utf8') } });
    await network.goTo(page, '#/');
    await counted('roll a CA', async () => {
      await click(link('Guided setup'));
      await click(link('Trust a certificate authority'));
      await type('Name (required)', 'next');
      fields += 1;
      await page
        .getByLabel('Certificate of the authority')
        .and(page.locator('textarea'))
        .fill(readFileSync(join(cwd, 'ca.pem'), 'utf8'));
      await click(button('Next'));
      await click(page.getByLabel('Sign in with its certificates'));
      await click(button('Upload'));
      await page.getByText('Not yet: You have proved').waitFor();
      writeFileSync(join(cwd, 'lines.sh'), (await page.locator('pre', { hasText: 'openssl req' }).textContent()) ?? '');
      run('sh lines.sh');
      fields += 1;
      await page
        .getByLabel('Certificate that proves it')
        .and(page.locator('textarea'))
        .fill(readFileSync(join(cwd, 'proof.pem'), 'utf8'));
      await click(button('Verify'));
      await page.getByText('Done: You have proved').waitFor();
      await find('old');
      await click(button('Delete'));
      await confirm('Delete');
      await page.getByText('old was deleted.').waitFor();
    });
    const { data } = await api.cas.list({});
    assert.deepEqual(
      data.map(({ name, isVerified }) => [name, isVerified]),
      [['next', true]],
    );
  });

  task('add a router', async () => {
    await click(link('Guided setup'));
    await click(link('Add a router'));
    await type('Name (required)', 'berlin');
    await click(button('Create'));
    await confirm('Create');
    await page.getByRole('heading', { name: 'Start the router' }).waitFor();
    const { data } = await network.controller.api.edgeRouters.list({ filter: 'name = "berlin"' });
    assert.ok(data[0]?.enrollmentJwt);
  });

  task('delegate a help desk', async () => {
    const { api } = network.controller;
    const { id } = await api.identities.create({ body: { name: 'helper', type: 'User', isAdmin: false } });
    await find('helper');
    await click(link('Edit'));
    await click(page.getByText('More fields'));
    await type('Permissions', 'identity.read\nenrollment');
    await click(button('Save'));
    await confirm('Save');
    await page.getByText('Saved.').waitFor();
    assert.deepEqual((await api.identities.get({ id })).permissions?.toSorted(), ['enrollment', 'identity.read']);
  });

  test('end a circuit', async () => {
    let at: Traffic | undefined;
    const routedNetwork = await openConsole({
      controllerAt: async (address) => {
        at = await traffic(routed, 'API session', {
          settings: { address },
          administrator: { password: PASSWORD },
          oidc: { consolePath: '/console/' },
        });
        return at.network.controller;
      },
    });
    const unrouted = page;
    const { api } = routedNetwork.controller;
    assert.ok(at);
    await bindBy(at, 'terminator-1');
    assert.ok((await dialBy(at)).isMade);
    await until(async () => (await api.circuits.list({})).data.length === 1);
    ({ page } = await routedNetwork.open());
    await routedNetwork.logIn(page);
    await counted('end a circuit', async () => {
      await click(link('Traffic'));
      await click(button('End'));
      await confirm('End the circuit');
      await until(async () => (await api.circuits.list({})).data.length === 0);
    });
    page = unrouted;
    await routedNetwork.close();
    await at[Symbol.asyncDispose]();
  });

  task('find who changed a policy and undo it', async () => {
    const { api } = network.controller;
    const body = { name: 'contractors', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#contractors'], serviceRoles: ['#all'] } as const;
    const { id } = await api.servicePolicies.create({ body });
    await api.servicePolicies.patch({ id, body: { identityRoles: ['#all'] } });
    await find('contractors');
    await click(link('History'));
    await page.getByText('system').first().waitFor();
    await click(button('Revert to this state').last());
    await confirm('Revert to this state');
    await until(async () => (await api.servicePolicies.get({ id })).identityRoles?.[0] === '#contractors');
  });

  task('export an audit', async () => {
    await click(link('Audit'));
    const [file] = await Promise.all([page.waitForEvent('download'), click(button('Export JSON'))]);
    const records = JSON.parse(await readFile(await file.path(), 'utf8')) as readonly { readonly operation: string }[];
    assert.equal(records.length, (await network.controller.api.audit.list({ limit: 1 })).pagination.totalCount);
  });
});
