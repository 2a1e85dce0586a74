import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { usernameFault } from '../../src/identity/authenticators/usernames.ts';
import { type App, onEveryStore, openApp, PASSWORD } from '../support/app.ts';
import { assertInvalid } from '../support/refusals.ts';

const GOOD = [
  'admin',
  'ann@acme.example',
  'Ann Smith-Jones',
  'зоя.иванова',
  'Ζωή-2026',
  'josé',
  '山田太郎',
  'tanaka-田中-たなか',
  '김철수-kim',
  'علي٣٤',
  'देवनागरी',
  '😀😀😀😀',
  // An accent that has no letter of its own with it: it is of the script of its letter.
  'x\u0303avier',
  'kim-ㄅㄆ-山',
];
/** Of each script in general use (Unicode UAX #31, table 5) a few letters. */
const SCRIPTS: Readonly<Record<string, string>> = {
  Arabic: 'سلام',
  Armenian: 'ողջույն',
  Bengali: 'নমস',
  Bopomofo: 'ㄅㄆㄇㄈ',
  Cyrillic: 'привет',
  Devanagari: 'नमस',
  Ethiopic: 'ሰላም',
  Georgian: 'გამარ',
  Greek: 'γεια',
  Gujarati: 'નમસ',
  Gurmukhi: 'ਸਤਸ',
  Han: '山田太郎',
  Hangul: '안녕하세',
  Hebrew: 'שלום',
  Hiragana: 'こんにち',
  Kannada: 'ನಮಸ',
  Katakana: 'カタカナ',
  Khmer: 'សួស',
  Lao: 'ສະບາຍ',
  Latin: 'hello',
  Malayalam: 'നമസ',
  Myanmar: 'မငလ',
  Oriya: 'ନମସ',
  Sinhala: 'ආයබ',
  Tamil: 'வணக',
  Telugu: 'నమస',
  Thaana: 'އައސ',
  Thai: 'สวสด',
  Tibetan: 'བཀྲ',
};
/** What is written together with Latin letters (Unicode UTS #39, section 5.2). */
const WITH_LATIN = ['Bopomofo', 'Han', 'Hangul', 'Hiragana', 'Katakana', 'Latin'];
const BAD: Readonly<Record<string, string>> = {
  'a control character': 'ad\u0007min',
  'a line break': 'admin\n',
  'an escape sequence': '\u001b[31madmin',
  'one that cannot be seen': 'ad\u200bmin',
  'nothing that can be seen': '\u200b\u200c\u200d\ufeff',
  'a letter that cannot be seen': 'admin\u3164',
  'another direction of writing': 'nim\u202eda',
  'a variant of what is seen': 'admin\ufe0f',
  'a separator of lines': 'ad\u2028min',
  'a separator of paragraphs': 'ad\u2029min',
  'a mark of annotation': 'ad\ufff9min',
  'a character for private use': 'ad\ue000min',
  'a stroke of Indian scripts, which looks like an l': 'admin।',
  'a blank at the beginning': ' admin',
  'a blank at the end': 'admin ',
  'only blanks': '    ',
  'a wide blank': 'ann\u00a0smith',
  'a Cyrillic letter among Latin ones': 'аdmin',
  'a Greek letter among Latin ones': 'admιn',
  'an Armenian letter among Latin ones': 'admiո',
  'a Cherokee letter among Latin ones': 'Ꭺdmin',
  'mathematical letters': '𝐚𝐝𝐦𝐢𝐧',
  'wide letters': 'ａｄｍｉｎ',
  'a ligature': 'ﬁnance',
};

test('usernames of every script in use are good, and those that are seen as another are not', () => {
  for (const username of GOOD) assert.equal(usernameFault(username), undefined, username);
  for (const [what, username] of Object.entries(BAD)) assert.notEqual(usernameFault(username), undefined, what);
});

test('usernames of each script are good by themselves, and only those that are written together with Latin are good with it', () => {
  for (const [script, word] of Object.entries(SCRIPTS)) {
    assert.equal(usernameFault(word), undefined, script);
    assert.equal(usernameFault(`ann-${word}`) === undefined, WITH_LATIN.includes(script), script);
  }
});

onEveryStore('names that imitate', (open, store) => {
  const person = (app: App, name: string, more: object = {}) =>
    app.request('POST', '/identities', { body: { name, type: 'User', isAdmin: false, ...more } });

  test('such a username is refused wherever one is given', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const identityId = await app.create('/identities', { name: 'somebody', type: 'User', isAdmin: false });
    const expiresAt = new Date(app.clock.now() + 600_000).toISOString();
    const left = await app.trail(async () => {
      for (const username of Object.values(BAD).filter((name) => [...name].length >= 4)) {
        const own = `/current-identity/authenticators/${user.authenticatorId}`;
        const of = `/authenticators/${user.authenticatorId}`;
        assertInvalid(
          await app.request('POST', '/authenticators', { body: { identityId, method: 'updb', username, password: PASSWORD } }),
          'username',
        );
        assertInvalid(await app.request('PATCH', of, { body: { username } }), 'username');
        assertInvalid(await app.request('PUT', of, { body: { username, password: PASSWORD } }), 'username');
        assertInvalid(await app.request('PATCH', own, { as, body: { username, currentPassword: PASSWORD } }), 'username');
        assertInvalid(await app.request('PUT', own, { as, body: { username, password: PASSWORD, currentPassword: PASSWORD } }), 'username');
        assertInvalid(await app.request('POST', '/enrollments', { body: { identityId, method: 'updb', username, expiresAt } }), 'username');
        assertInvalid(await person(app, 'another', { enrollment: { updb: username } }), 'enrollment.updb');
      }
    });
    assert.deepEqual(left, []);
    await assert.rejects(
      openApp(store, { administrator: { username: 'аdmin', password: PASSWORD } }),
      /username of the first administrator must not mix/,
    );
  });

  test('a username that is there already still logs in, and its owner may change the password', async () => {
    await using app = await open();
    const user = await app.user();
    const username = ' аdmin\u200b';
    await app.alter('authenticator', user.authenticatorId, { username });
    const as = (await app.login(username, PASSWORD)).body.data.token;
    const own = `/current-identity/authenticators/${user.authenticatorId}`;
    const body = { username, password: 'another password', currentPassword: PASSWORD };
    assert.equal((await app.request('PUT', own, { as, body })).status, 200);
    assert.equal(
      (await app.request('PUT', `/authenticators/${user.authenticatorId}`, { body: { username, password: PASSWORD } })).status,
      200,
    );
    assert.equal((await app.login(username, PASSWORD)).status, 200);
  });

  test('names of entities may hold anything, but not only what cannot be seen', async () => {
    await using app = await open();
    for (const name of ['two\nlines', ' blanks ', '   ', 'аdmin', '👩‍🚀', 'a\u200bb'])
      assert.equal((await person(app, name)).status, 201, name);
    for (const name of ['', '\u200b', '\u200b\u2060\ufeff']) assertInvalid(await person(app, name), 'name');
  });

  test('a text by which rows are found has 2,048 bytes at most, on every store', async () => {
    await using app = await open();
    // Of no pattern, so that no index can make it shorter.
    const random = randomBytes(1024).toString('hex');
    const id = (await person(app, random)).body.data.id;
    assert.equal((await app.request('GET', `/identities/${id}`)).body.data.name, random);
    assert.equal((await person(app, `${'é'.repeat(1023)}xx`)).status, 201);
    for (const name of [`${random}x`, `${'é'.repeat(1023)}xxx`, 'x'.repeat(10_000)]) {
      assertInvalid(await person(app, name), 'name');
      assertInvalid(await app.request('PATCH', `/identities/${id}`, { body: { name } }), 'name');
      assertInvalid(await person(app, 'other', { externalId: name }), 'externalId');
      assertInvalid(await person(app, 'other', { roleAttributes: ['good', name] }), 'roleAttributes');
    }
    assert.equal((await person(app, 'other', { externalId: random, roleAttributes: ['good', random] })).status, 201);
  });

  const everTookOne = { skip: store === 'postgres' && 'its index never took one' };
  test('a longer name that is there already does not get in the way of other changes', everTookOne, async () => {
    await using app = await open();
    const { id } = (await person(app, 'short')).body.data;
    await app.alter('identity', id, { name: 'x'.repeat(5000) });
    assert.equal((await app.request('PATCH', `/identities/${id}`, { body: { isAdmin: true } })).status, 200);
  });
});
