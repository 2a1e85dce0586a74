import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLocalJWKSet, decodeProtectedHeader, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import { type App, type OpenOptions, onEveryStore, openApp } from '../support/app.ts';
import { get, lives, refresh, tokensIn, tokensOf } from '../support/oidc.ts';
import { newSharedStorage, stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const keysOf = async (app: App): Promise<JSONWebKeySet> => (await get(app, '/keys')).body;
const kidsOf = async (app: App) => (await keysOf(app)).keys.map(({ kid }) => kid);
const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid;

/** Lets time pass, until so many keys are published. */
const advance = async (app: App, by: string, keys: number): Promise<void> => {
  app.clock.advance(by);
  await until(async () => (await keysOf(app)).keys.length === keys);
};

/** As a client does that reads the keys again when it meets one that it does not know. */
const verified = async (app: App, jwt: string) =>
  (await jwtVerify(jwt, createLocalJWKSet(await keysOf(app)), { currentDate: new Date(app.clock.now()) })).payload;

onEveryStore('the keys of the provider follow one another', (open) => {
  test('the next key is published a day before it signs, and the one before for as long as its tokens live', async () => {
    await using app = await open();
    const { username } = await app.user();
    const [first] = await kidsOf(app);
    assert.equal(kidOf((await tokensOf(app, username)).access_token), first);

    await advance(app, '29d', 2);
    const second = (await kidsOf(app)).find((kid) => kid !== first);
    app.clock.advance('23h');
    assert.equal(kidOf((await tokensOf(app, username)).access_token), first, 'its time has not come');
    app.clock.advance('50m');
    const before = await tokensOf(app, username);
    app.clock.advance('10m');
    const after = await tokensOf(app, username);
    assert.deepEqual(
      [before, after].map(({ access_token }) => kidOf(access_token)),
      [first, second],
    );
    for (const { access_token, id_token } of [before, after]) {
      assert.ok(await lives(app, access_token));
      for (const jwt of [access_token, id_token]) await verified(app, jwt);
    }

    app.clock.advance('19m');
    assert.ok(await lives(app, before.access_token), 'a token goes on until it expires');
    app.clock.advance('1m');
    assert.equal(await lives(app, before.access_token), false);
    await assert.rejects(verified(app, before.access_token), errors.JWTExpired);

    app.clock.advance('23h');
    const renewed = tokensIn(await refresh(app, before.refresh_token));
    assert.deepEqual([kidOf(before.refresh_token), kidOf(renewed.access_token)], [first, second]);
    await advance(app, '2h', 1);
    assert.deepEqual(await kidsOf(app), [second], 'nothing that the first one signed can be good any more');
    assert.ok(await lives(app, tokensIn(await refresh(app, renewed.refresh_token)).access_token));
  });

  test('keys follow as often, and stay as long, as the options say', async () => {
    await using app = await open({ oidc: { keyRotationDays: 1, refreshTokenMinutes: 60 } });
    const { username } = await app.user();
    const [first] = await kidsOf(app);
    await advance(app, '12h', 2);
    assert.equal(kidOf((await tokensOf(app, username)).access_token), first);
    app.clock.advance('12h');
    assert.notEqual(kidOf((await tokensOf(app, username)).access_token), first);
    await advance(app, '3h', 1);
  });

  test('a network that nobody ran for a year signs on, and its new key is published ahead all the same', async () => {
    await using app = await open();
    const { username } = await app.user();
    const [first] = await kidsOf(app);
    await advance(app, '365d', 2);
    assert.equal(kidOf((await tokensOf(app, username)).access_token), first);
    app.clock.advance('1d');
    assert.notEqual(kidOf((await tokensOf(app, username)).access_token), first);
  });
});

for (const store of stores)
  describe(`keys of several controllers on one store (${store})`, () => {
    const shared = () => {
      const storage = newSharedStorage(store);
      const open = (options: OpenOptions = {}) => openApp(store, { storage: storage.adapter(), ...options });
      return { open, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() };
    };

    test('those that open an empty store at once agree on the first key, and later on the next', async () => {
      await using network = shared();
      const apps = await Promise.all([network.open(), network.open(), network.open()]);
      const { username } = await apps[0].user();
      const agreed = async () => {
        const [one, ...others] = await Promise.all(apps.map(kidsOf));
        for (const kids of others) assert.deepEqual(kids, one);
        return one ?? [];
      };
      const first = await agreed();
      assert.equal(first.length, 1);
      await Promise.all(apps.map((app) => advance(app, '29d', 2)));
      const both = await agreed();
      assert.equal(both.length, 2);
      for (const app of apps) app.clock.advance('1d');
      for (const app of apps) {
        const { access_token } = await tokensOf(app, username);
        assert.equal(
          kidOf(access_token),
          both.find((kid) => !first.includes(kid)),
        );
        for (const other of apps) assert.ok(await lives(other, access_token));
      }
      for (const app of apps) await app.close();
    });

    test('keys and tokens survive a restart', async () => {
      await using network = shared();
      const before = await network.open();
      const { username } = await before.user();
      const tokens = await tokensOf(before, username);
      const kids = await kidsOf(before);
      await before.close();
      await using after = await network.open();
      assert.deepEqual(await kidsOf(after), kids);
      assert.ok(await lives(after, tokens.access_token));
      tokensIn(await refresh(after, tokens.refresh_token));
    });
  });

test('the key set has no private members, and the store has the keys sealed', async () => {
  await using app = await openApp('memory');
  const { keys } = await keysOf(app);
  for (const key of keys) assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  assert.match(keys[0]?.kid ?? '', /^[0-9a-f]{40}$/);
  const kept = JSON.stringify(await app.rows('keptSecret'));
  assert.doesNotMatch(kept, new RegExp(`"d"|${keys[0]?.x}`));
});
