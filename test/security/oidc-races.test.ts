import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { begin, byPassword, claimsOf, codeOf, get, lives, redeem, refresh, tokensIn, tokensOf } from '../support/oidc.ts';
import { stores } from '../support/stores.ts';
import { three } from '../support/three-controllers.ts';

const winners = (answers: readonly { readonly status: number }[]): number => answers.filter(({ status }) => status === 200).length;

for (const store of stores)
  describe(`three controllers on one store (${store})`, () => {
    test('a code gives tokens once, whoever asks', async () => {
      await using network = await three(store);
      const [first, ...others] = network.apps;
      const { username } = await first.user();
      const login = await begin(first);
      assert.equal((await byPassword(others[0] ?? first, login, username)).status, 302, 'another controller goes on with the login');
      const code = await codeOf(others[1] ?? first, login);
      const answers = await Promise.all([...network.apps, ...network.apps].map((app) => redeem(app, login, code)));
      assert.equal(winners(answers), 1);
      assert.equal((await get(first, '/authorize/callback', { id: login.id })).status, 400, 'the login is over everywhere');
    });

    test('a refresh token is spent once, and its successor lives', async () => {
      await using network = await three(store);
      const [first, second] = network.apps;
      const { username } = await first.user();
      const { refresh_token } = await tokensOf(first, username);
      const answers = await Promise.all([...network.apps, ...network.apps].map((app) => refresh(app, refresh_token)));
      assert.equal(winners(answers), 1);
      const next = tokensIn(answers.find(({ status }) => status === 200) ?? assert.fail('none'));
      for (const app of network.apps) assert.ok(await lives(app, next.access_token));
      assert.equal((await refresh(second, next.refresh_token)).status, 200);
    });

    test('each accepts the tokens of all, and knows of a revocation on the next request', async () => {
      await using network = await three(store);
      const [first, second, third] = network.apps;
      const { username } = await first.user();
      const tokens = await Promise.all(network.apps.map((app) => tokensOf(app, username)));
      for (const { access_token } of tokens) for (const app of network.apps) assert.ok(await lives(app, access_token));
      const [one] = tokens;
      await second.create('/revocations', { type: 'API_SESSION', id: claimsOf(one?.access_token ?? '').z_asid });
      for (const app of [third, first]) assert.equal(await lives(app, one?.access_token ?? ''), false);
      const published = await Promise.all(network.apps.map(async (app) => (await get(app, '/keys')).body));
      assert.deepEqual(published[1], published[0]);
      assert.deepEqual(published[2], published[0]);
    });
  });
