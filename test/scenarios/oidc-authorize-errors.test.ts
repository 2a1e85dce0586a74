import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { authorizeFields, type Fields, get, inLocation, pkce, REDIRECT, tokensOf } from '../support/oidc.ts';

const refusals: readonly (readonly [fields: Fields, error: string])[] = [
  [{ prompt: 'none login' }, 'invalid_request'],
  [{ scope: undefined }, 'invalid_request'],
  [{ response_type: undefined }, 'invalid_request'],
  [{ response_type: 'token' }, 'unauthorized_client'],
  [{ id_token_hint: 'nonsense' }, 'login_required'],
  [{ id_token_hint: '' }, 'login_required'],
  [{ request: 'x' }, 'request_not_supported'],
  [{ request_uri: 'https://x.example' }, 'request_uri_not_supported'],
  [{ code_challenge: undefined }, 'invalid_request'],
  [{ code_challenge_method: 'plain' }, 'invalid_request'],
];

onEveryStore('an authorization that is refused', (open) => {
  test('goes back to the client with an error, what is wrong, and its state', async () => {
    await using app = await open();
    const { username } = await app.user();
    const { access_token: accessToken } = await tokensOf(app, username);
    const withAccessToken = [{ id_token_hint: accessToken }, 'login_required'] as const;
    for (const [fields, error] of [...refusals, withAccessToken]) {
      const answer = await get(app, '/authorize', authorizeFields(pkce().challenge, { state: 'mine', ...fields }));
      const told = JSON.stringify(fields);
      assert.ok(answer.headers.location?.startsWith(`${REDIRECT}?`), told);
      assert.deepEqual([inLocation(answer, 'error'), inLocation(answer, 'state')], [error, 'mine'], told);
      assert.match(inLocation(answer, 'error_description') ?? '', /\w+ \w+/, told);
    }
    assert.equal(
      inLocation(await get(app, '/authorize', authorizeFields(pkce().challenge, { prompt: 'none' })), 'error'),
      'login_required',
    );
  });
});
