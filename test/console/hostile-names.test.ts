/** Whatever the entities of a network are called, their names are text on every page of the console. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

const HOSTILE = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202e{{7*7}}`;
const named = (name: string) => `${name} ${HOSTILE}`;

describe('a network of hostile names', inBrowser, () => {
  let network: ConsoleInBrowser;
  const routes: string[] = ['#/', '#/audit', '#/traffic', '#/usage', '#/access'];

  before(async () => {
    network = await openConsole();
    const { api } = network.controller;
    const reason = { reason: HOSTILE };
    const tags = { [HOSTILE]: HOSTILE };
    const roleAttributes = [HOSTILE];
    const identity = await api.identities.create(
      { body: { name: named('identity'), type: 'User', isAdmin: false, roleAttributes, tags, externalId: HOSTILE, appData: tags } },
      reason,
    );
    const configType = await api.configTypes.create({ body: { name: named('type'), tags } }, reason);
    const config = await api.configs.create({ body: { name: named('config'), configTypeId: configType.id, data: tags, tags } }, reason);
    const service = await api.services.create(
      { body: { name: named('service'), encryptionRequired: true, roleAttributes, configs: [config.id], tags } },
      reason,
    );
    const check = await api.postureChecks.create(
      { body: { name: named('check'), typeId: 'DOMAIN', domains: [HOSTILE], roleAttributes, tags } },
      reason,
    );
    const policy = await api.servicePolicies.create(
      {
        body: {
          name: named('policy'),
          type: 'Dial',
          semantic: 'AnyOf',
          identityRoles: [`#${HOSTILE}`],
          serviceRoles: [`@${service.id}`],
          postureCheckRoles: [`@${check.id}`],
          tags,
        },
      },
      reason,
    );
    const router = await api.edgeRouters.create({ body: { name: named('router'), roleAttributes, tags, appData: tags } }, reason);
    await api.edgeRouterPolicies.create(
      { body: { name: named('router policy'), semantic: 'AnyOf', identityRoles: ['#all'], edgeRouterRoles: [`#${HOSTILE}`], tags } },
      reason,
    );
    await api.authPolicies.create(
      {
        body: {
          name: named('auth policy'),
          primary: {
            cert: { allowed: true, allowExpiredCerts: false },
            updb: {
              allowed: true,
              maxAttempts: 0,
              minPasswordLength: 5,
              lockoutDurationMinutes: 0,
              requireMixedCase: false,
              requireNumberChar: false,
              requireSpecialChar: false,
            },
            extJwt: { allowed: false, allowedSigners: [] },
          },
          secondary: { requireTotp: false },
          tags,
        },
      },
      reason,
    );
    await api.identities.patch({ id: identity.id, body: { name: named('renamed') } }, { ...reason, actor: 'sso:x', onBehalfOf: HOSTILE });
    routes.push(
      ...(
        [
          ['identities', identity],
          ['services', service],
          ['servicePolicies', policy],
          ['edgeRouters', router],
          ['configs', config],
          ['configTypes', configType],
          ['postureChecks', check],
        ] as const
      ).flatMap(([group, { id }]) => [`#/entities/${group}/${id}`, `#/entities/${group}/${id}/edit`]),
      `#/access?identities=${identity.id}`,
      `#/access?services=${service.id}`,
      `#/access?edgeRouters=${router.id}`,
      `#/access/explain/${identity.id}/${service.id}`,
      `#/history/identity/${identity.id}`,
      `#/entities/${encodeURIComponent(HOSTILE)}`,
      `#/entities/services?filter=${encodeURIComponent(HOSTILE)}`,
    );
  });
  afterEach(() => network.closePages());
  after(() => network?.close());

  test('has text on every page, and nothing that the browser complains of', async () => {
    const { page, complaints } = await network.open();
    await network.logIn(page);
    const lists: readonly string[] = await page.evaluate(
      "[...document.querySelectorAll('nav.side a')].map((each) => each.getAttribute('href'))",
    );
    for (const route of [...routes, ...lists]) {
      await network.goTo(page, route);
      await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
      // The icon of the console is its only picture, and its script the only one.
      const elements = await page.evaluate("[document.querySelectorAll('img').length, document.querySelectorAll('script').length]");
      assert.deepEqual(elements, [1, 1], route);
      assert.doesNotMatch(await page.title(), /^owned/, route);
    }
    await network.goTo(page, '#/entities/identities');
    await page.getByText(named('renamed')).first().waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a name that looks like a time is a name', async () => {
    const { page, complaints } = await network.open();
    const name = '2027-99-99T99:99:99Z';
    const { id } = await network.controller.api.identities.create({ body: { name, type: 'User', isAdmin: false, externalId: name } });
    await network.logIn(page);
    await network.goTo(page, `#/entities/identities/${id}`);
    await page.getByRole('heading', { name }).waitFor();
    await network.goTo(page, `#/history/identity/${id}`);
    await page.getByRole('heading', { name: `History of ${name}` }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('an address that makes no sense leaves the way to other pages', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    await page.goto(`${network.address}/console/#/audit?from=yesterday&offset=first`);
    await page.getByRole('alert').waitFor();
    await page.getByRole('link', { name: 'Services', exact: true }).click();
    await page.getByRole('heading', { name: 'Services' }).waitFor();
  });

  test('a name that changes the direction of writing does not turn the words after it', async () => {
    const { page } = await network.open();
    const { id } = await network.controller.api.services.create(
      { body: { name: '\u202eturning', encryptionRequired: true } },
      { reason: 'ticket seven' },
    );
    await network.logIn(page);
    for (const route of ['#/', `#/audit?entityId=${id}`]) {
      await network.goTo(page, route);
      await page.locator('li em', { hasText: 'ticket seven' }).first().waitFor();
      const [first, last]: readonly [number, number] = await page.evaluate(`(() => {
        const element = [...document.querySelectorAll('li em')].find(({ textContent }) => textContent.includes('ticket seven'));
        const text = [...element.childNodes].find(({ textContent }) => textContent.includes('ticket'));
        const at = (letter) => {
          const range = document.createRange();
          range.setStart(text, text.textContent.indexOf(letter));
          range.setEnd(text, text.textContent.indexOf(letter) + 1);
          return range.getBoundingClientRect().left;
        };
        return [at('t'), at('v')];
      })()`);
      assert.ok(first < last, route);
    }
  });

  test('the policy of the page stops what would get past it', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    const failing = (work: string): Promise<boolean> =>
      page.evaluate(`(async () => { try { await (${work})(); return false; } catch { return true; } })()`);
    assert.ok(await failing("() => { document.body.innerHTML += '<b>x</b>'; }"));
    assert.ok(await failing("() => { trustedTypes.createPolicy('mine', { createHTML: (text) => text }); }"));
    assert.ok(await failing("() => fetch('http://127.0.0.1:9/')"));
    assert.ok(
      await failing(
        "() => new Promise((yes, no) => { const image = new Image(); image.onload = yes; image.onerror = no; image.src = 'http://127.0.0.1:9/'; })",
      ),
    );
    const violations: readonly string[] = await page.evaluate(`new Promise((resolve) => {
      const found = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => found.push(effectiveDirective));
      const form = Object.assign(document.createElement('form'), { action: 'http://127.0.0.1:9/', method: 'post' });
      const frame = Object.assign(document.createElement('iframe'), { src: 'http://127.0.0.1:9/' });
      const base = Object.assign(document.createElement('base'), { href: 'http://127.0.0.1:9/' });
      const style = Object.assign(document.createElement('style'), { textContent: 'body { display: none }' });
      document.body.append(form, frame, base, style);
      form.submit();
      setTimeout(() => resolve(found.toSorted()), 300);
    })`);
    assert.deepEqual(violations, ['base-uri', 'form-action', 'frame-src', 'style-src-elem']);
  });
});
