/** The pages of a login are in the language of the browser, as far as there is one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { DEFAULT_PAGES } from '../../src/identity/oidc/pages/defaults.ts';
import { GERMAN } from '../../src/identity/oidc/pages/german.ts';
import { ManagementController } from '../../src/index.ts';

const ADDRESS = 'https://overlay.example.com';
type Pages = Exclude<NonNullable<Parameters<typeof ManagementController.open>[0]['oidc']>, boolean>['pages'];

/** The heading of the first page, and its language. */
const headingIn = async (language: string | undefined, pages: Pages = {}): Promise<readonly (string | undefined)[]> => {
  const controller = await ManagementController.open({ storage: memoryStorage(), settings: { address: ADDRESS }, oidc: { pages } });
  const headers = { accept: 'text/html', ...(language === undefined ? {} : { 'accept-language': language }) };
  const answer = await fetchHandler(controller)(new Request(`${ADDRESS}/oidc/login/username`, { headers }));
  const page = await answer.text();
  await controller.close();
  assert.equal(/<html lang="([^"]*)"/.exec(page)?.[1], answer.headers.get('content-language'));
  return [/<h1>(.*)<\/h1>/.exec(page)?.[1], answer.headers.get('content-language') ?? undefined];
};

describe('the language of the login pages', () => {
  test('is the first one of the browser that the pages have, by weight', async () => {
    for (const [accepted, heading, language] of [
      [undefined, 'Sign in', 'en'],
      ['de', 'Anmelden', 'de'],
      ['de-AT,de;q=0.9,en;q=0.5', 'Anmelden', 'de'],
      ['en;q=0.5, de;q=0.9', 'Anmelden', 'de'],
      ['fr, en;q=0.8, de;q=0.7', 'Sign in', 'en'],
      ['fr', 'Sign in', 'en'],
      ['de;q=0', 'Sign in', 'en'],
      ['*', 'Sign in', 'en'],
      [',;q=,de;q=x', 'Sign in', 'en'],
      [`de,${'x,'.repeat(400)}`, 'Sign in', 'en'],
    ] as const)
      assert.deepEqual(await headingIn(accepted), [heading, language], accepted);
  });

  test('is the one that the host names, whatever the browser asks for', async () => {
    assert.deepEqual(await headingIn('de', { language: 'fr', texts: { signIn: 'Connexion' } }), ['Connexion', 'fr']);
    assert.deepEqual(await headingIn('en', { language: 'de-CH' }), ['Anmelden', 'de-CH']);
  });

  test('takes texts of the host in either language', async () => {
    const texts = { signIn: 'Log in', de: { signIn: 'Einloggen' } };
    assert.deepEqual(await headingIn('en', { texts }), ['Log in', 'en']);
    assert.deepEqual(await headingIn('de', { texts }), ['Einloggen', 'de']);
    await assert.rejects(headingIn('de', { texts: { de: { signin: 'x' } as never } }), TypeError);
  });

  test('has each text in German, none of which is the English one but for words that both have', () => {
    const same = Object.entries(DEFAULT_PAGES.texts).filter(([name, text]) => Reflect.get(GERMAN, name) === text);
    assert.deepEqual(
      same.map(([name]) => name),
      ['code'],
    );
  });
});
