/** The console in German: chosen by the browser or by the person, complete on every page, and loaded only where it is shown. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { german } from '../../console/app/german/german.ts';
import { texts } from '../../console/app/texts.ts';
import { violationsOf } from '../support/axe.ts';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';
import { type EveryPage, openEveryPage } from '../support/every-page.ts';

/** The texts of a language without parameters. */
const plainTexts = (part: object): readonly string[] =>
  Object.values(part).flatMap((text: unknown) =>
    typeof text === 'string' ? [text] : typeof text === 'object' ? plainTexts(Object(text)) : [],
  );

const shared = new Set(plainTexts(german));
const english = new Set(plainTexts(texts).filter((text) => !shared.has(text)));

/** Words that English sentences have and German ones do not. */
const ENGLISH_WORDS = /\b(the|of|and|is|are|not|your|you|with|by|for|from|this|it|its|that|which|they|has|have|yet|new|show|no)\b/i;

/** Names and values of the network that look English, certificates, and the syntax of filters. */
const OF_THE_NETWORK = [/^-----BEGIN /, /^(host|service|Service|required|terminators-are-sealed)$/, /^[{[]/, /name contains "lab" and/];

const isEnglish = (text: string): boolean =>
  (english.has(text) || ENGLISH_WORDS.test(text)) && !OF_THE_NETWORK.some((each) => each.test(text));

/** The descriptions in the schema of a config type. */
const descriptionsIn = (schema: unknown): readonly string[] =>
  Object.entries(Object(schema)).flatMap(([key, value]) =>
    key === 'description' && typeof value === 'string' ? [value] : typeof value === 'object' ? descriptionsIn(value) : [],
  );

/** What a person reads or hears on a page: texts, also those in closed parts, and labels for screen readers. Lines for a shell are none. */
const spokenOn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, ({ parentElement }) =>
      parentElement.closest('pre, code, script, noscript') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    const found = [];
    while (walker.nextNode()) found.push(walker.currentNode.data);
    for (const name of ['aria-label', 'title', 'placeholder', 'data-label', 'alt'])
      for (const element of document.querySelectorAll('[' + name + ']')) found.push(element.getAttribute(name));
    return [...new Set(found.map((text) => text.trim()))].filter((text) => text !== '');
  })()`);

const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Opens a page in German, which no text in English announces. */
const goTo = async (page: Page, network: ConsoleInBrowser, route: string): Promise<void> => {
  await page.goto(`${network.address}/console/${route}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText(german.loading).first().waitFor({ state: 'detached' });
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
};

const logIn = async (page: Page, network: ConsoleInBrowser): Promise<void> => {
  await page.goto(`${network.address}/console/`);
  await network.fillLogin(page);
  await page.getByRole('heading', { name: german.overview }).waitFor();
};

describe('the console in German', inBrowser, () => {
  let network: ConsoleInBrowser;
  let routes: EveryPage['routes'] = {};
  before(async () => {
    ({ network, routes } = await openEveryPage());
  });
  after(() => network?.close());

  test('every page is in German, satisfies WCAG 2.2 AA, and fits on a screen of 320 px', async () => {
    const { page, complaints } = await network.open('de-AT');
    await page.setViewportSize({ width: 320, height: 800 });
    await logIn(page, network);
    assert.equal(await page.evaluate('document.documentElement.lang'), 'de');
    const { data } = await network.controller.api.configTypes.list({ limit: 100 });
    const ofSchemas = new Set(data.flatMap(({ schema }) => descriptionsIn(schema)));
    const faults: string[] = [];
    for (const [name, route] of Object.entries(routes)) {
      await goTo(page, network, route);
      for (const text of await spokenOn(page)) if (isEnglish(text) && !ofSchemas.has(text)) faults.push(`${name}: '${text}' is in English`);
      for (const violation of await violationsOf(page)) faults.push(`${name}: ${violation}`);
      const overflow = await overflowOf(page);
      if (overflow > 0) faults.push(`${name}: ${overflow} px too wide`);
    }
    assert.deepEqual(faults, []);
    assert.deepEqual(complaints, []);
  });

  test('numbers and dates are those of the language', async () => {
    const { page } = await network.open('de');
    await logIn(page, network);
    await goTo(page, network, routes['details'] ?? '');
    await page.locator('time').first().waitFor();
    assert.match((await page.locator('time').first().getAttribute('title')) ?? '', /^\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d$/);
    await page
      .locator('time')
      .filter({ hasText: /^vor |^jetzt$/ })
      .first()
      .waitFor();
  });

  test('the changes that would grant access are sentences of the language; in English, those of the API', async () => {
    const { api } = network.controller;
    const bob = await api.identities.create({ body: { name: 'bob', type: 'User', isAdmin: false } });
    const shop = await api.services.create({ body: { name: 'shop', encryptionRequired: true, roleAttributes: ['goods'] } });
    await api.servicePolicies.create({
      body: { name: 'buyers', type: 'Dial', semantic: 'AllOf', identityRoles: ['#adult', '#member'], serviceRoles: ['#goods'] },
    });
    const { suggestions } = await api.access.explain({ identityId: bob.id, serviceId: shop.id });
    const route = `#/access/explain/${bob.id}/${shop.id}`;
    const { page } = await network.open('de');
    await logIn(page, network);
    await goTo(page, network, route);
    assert.deepEqual(await page.locator('.suggestions li > span').allTextContents(), [
      'bob zu den Identitätsrollen der Richtlinie buyers hinzufügen',
      'bob die Rollenattribute adult, member geben, die die Richtlinie buyers verlangt',
      'Eine Richtlinie (Dial) nur für diese Identität und diesen Dienst anlegen',
    ]);
    const { page: other } = await network.open();
    await network.logIn(other);
    await network.goTo(other, route);
    const sentences = await other.locator('.suggestions li > span').allTextContents();
    assert.deepEqual(
      sentences,
      suggestions.map(({ description }) => description),
    );
  });

  test('a choice of the language is kept in the browser, and costs nothing that was entered', async () => {
    const { page } = await network.open('de');
    await logIn(page, network);
    await goTo(page, network, '#/entities/services/new');
    await page.getByLabel(`Name (${german.required})`).fill('halb fertig');
    await goTo(page, network, '#/account');
    await page.getByLabel(german.account.language.label).selectOption('English');
    await page.getByRole('heading', { name: texts.account.title }).waitFor();
    await network.goTo(page, '#/entities/services/new');
    await page.getByText(texts.draftKept).waitFor();
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'halb fertig');
    await page.reload();
    await page.getByRole('heading', { name: texts.newEntity('service') }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'en');
  });

  test('texts in German are loaded where they are shown only', async () => {
    const scriptsFor = async (locale: string, sign: string): Promise<readonly string[]> => {
      const { page } = await network.open(locale);
      const loaded = new Set<string>();
      page.on('request', (request) => (request.resourceType() === 'script' ? loaded.add(request.url()) : undefined));
      await page.goto(`${network.address}/console/`);
      await network.fillLogin(page);
      await page.getByRole('heading', { name: sign }).waitFor();
      return [...loaded].map((url) => url.slice(url.lastIndexOf('/') + 1));
    };
    assert.deepEqual(await scriptsFor('fr-FR', texts.overview), ['app.js']);
    assert.deepEqual(await scriptsFor('de-DE', german.overview), ['app.js', 'german.js']);
  });

  test('a person whose browser cannot load the texts sees those in English', async () => {
    const { page } = await network.open('de');
    await page.route('**/german.js', (route) => route.abort());
    await network.logIn(page);
    await page.getByRole('button', { name: texts.signOut }).waitFor();
  });
});

describe('the languages of a host', inBrowser, () => {
  let network: ConsoleInBrowser;
  before(async () => {
    network = await openConsole({
      options: {
        language: 'fr-CA',
        texts: { signOut: 'Quitter', en: { signOut: 'Leave', newEntity: 'Add {1}' }, de: { signOut: 'Verlassen', newEntity: 'Neu: {1}' } },
      },
    });
  });
  after(() => network?.close());

  test('people see that of the host, and its texts in the language that they choose', async () => {
    const { page } = await network.open('de');
    await network.logIn(page);
    await page.getByRole('button', { name: 'Quitter' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'fr-CA');
    await network.goTo(page, '#/account');
    const choice = page.getByLabel('Language of the console');
    assert.deepEqual(await choice.locator('option').allTextContents(), ['français canadien', 'English', 'Deutsch']);
    await choice.selectOption('Deutsch');
    await page.getByRole('button', { name: 'Verlassen' }).waitFor();
    await goTo(page, network, '#/entities/services');
    await page.getByRole('link', { name: 'Neu: Dienst' }).waitFor();
    await goTo(page, network, '#/account');
    await page.getByLabel(german.account.language.label).selectOption('English');
    await page.getByRole('button', { name: 'Leave' }).waitFor();
  });
});
