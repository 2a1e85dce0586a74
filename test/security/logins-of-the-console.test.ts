import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FetchHandler, fetchHandler } from '../../adapters/http/fetch.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { consoleHandler } from '../../console/index.ts';
import { ManagementController } from '../../src/index.ts';
import { pkce } from '../support/oidc.ts';

const ADDRESS = 'https://overlay.example.com';
const PASSWORD = 'a-good-password';

const open = async () => {
  const controller = await ManagementController.open({
    storage: memoryStorage(),
    administrator: { password: PASSWORD },
    settings: { address: ADDRESS },
    oidc: { consolePath: '/console/' },
  });
  return { controller, handle: fetchHandler(consoleHandler(controller)), [Symbol.asyncDispose]: () => controller.close() };
};

const authorize = (address: string, redirectUri: string, challenge = pkce().challenge): string =>
  `${address}/oidc/authorize?${new URLSearchParams({
    client_id: 'overlay-console',
    response_type: 'code',
    scope: 'openid offline_access',
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })}`;

/** Headers by which proxies tell how a client reached them. No proxy is trusted here. */
const FORWARDED = {
  forwarded: 'host=evil.example;proto=http',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'http',
  'x-forwarded-prefix': '//evil.example',
  'x-original-url': '//evil.example/console/',
};

test('nothing that a request says of its host gets into the page of the console', async () => {
  await using app = await open();
  const plain = await app.handle(new Request(`${ADDRESS}/console/`));
  const forged = await app.handle(
    new Request('https://evil.example/console/?name=evil.example', { headers: { ...FORWARDED, host: 'evil.example' } }),
  );
  assert.equal(await forged.text(), await plain.text());
  assert.deepEqual([...forged.headers], [...plain.headers]);
  const folder = await app.handle(new Request('https://evil.example/console', { headers: FORWARDED }));
  assert.equal(folder.headers.get('location'), 'console/');
});

test('a login of the console begins at no other host, and leads to none', async () => {
  await using app = await open();
  const headers = { host: 'evil.example' };
  const forged = await app.handle(new Request(authorize(ADDRESS, 'https://evil.example/console/'), { headers }));
  assert.deepEqual([forged.status, forged.headers.get('location')], [404, null]);
  const misled = await app.handle(new Request(authorize(ADDRESS, 'https://evil.example/console/'), { headers: FORWARDED }));
  assert.deepEqual([misled.status, misled.headers.get('location')], [400, null]);
  const begun = await app.handle(new Request(authorize(ADDRESS, `${ADDRESS}/console/`), { headers: FORWARDED }));
  assert.ok(begun.headers.get('location')?.startsWith(`${ADDRESS}/oidc/login/`));
  for (const after of ['https://evil.example/console/', '//evil.example/', `${ADDRESS}/console`, '/console/']) {
    const query = new URLSearchParams({ client_id: 'overlay-console', post_logout_redirect_uri: after });
    assert.equal((await app.handle(new Request(`${ADDRESS}/oidc/end_session?${query}`))).status, 400, after);
  }
});

/** Logs in as the console does. */
const logIn = async (handle: FetchHandler): Promise<string> => {
  const { challenge, verifier } = pkce();
  const redirectUri = `${ADDRESS}/console/`;
  const begun = await handle(new Request(authorize(ADDRESS, redirectUri, challenge)));
  const id = new URL(begun.headers.get('location') ?? '').searchParams.get('authRequestID') ?? '';
  const form = new URLSearchParams({ id, username: 'admin', password: PASSWORD });
  let answer = await handle(new Request(`${ADDRESS}/oidc/login/password`, { method: 'POST', body: form }));
  for (let steps = 0; steps < 3 && !answer.headers.get('location')?.startsWith(redirectUri); steps++)
    answer = await handle(new Request(new URL(answer.headers.get('location') ?? '', ADDRESS)));
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const grant = {
    grant_type: 'authorization_code',
    client_id: 'overlay-console',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
  const tokens = await handle(new Request(`${ADDRESS}/oidc/oauth/token`, { method: 'POST', body: new URLSearchParams(grant) }));
  return ((await tokens.json()) as { readonly access_token: string }).access_token; // RFC 6749, 5.1
};

test('a stream that the console follows ends when its session is signed out, and tells nothing more', async () => {
  await using app = await open();
  const authorization = `Bearer ${await logIn(app.handle)}`;
  const followed = await app.handle(
    new Request(`${ADDRESS}/edge/management/extensions/v1/changes/follow?after=0`, { headers: { authorization } }),
  );
  assert.equal(followed.status, 200);
  const parts = followed.body?.pipeThrough(new TextDecoderStream()).getReader();
  const out = await app.handle(
    new Request(`${ADDRESS}/edge/management/v1/current-api-session`, { method: 'DELETE', headers: { authorization } }),
  );
  assert.equal(out.status, 200);
  await app.controller.api.services.create({ body: { name: 'made-later', encryptionRequired: true } });
  let text = '';
  for (let part = await parts?.read(); part && !part.done; part = await parts?.read()) text += part.value;
  assert.doesNotMatch(text, /made-later/);
});
