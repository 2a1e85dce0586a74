/**
 * Anyone may ask the provider to begin and to end logins: by sending many requests at once a stranger must not keep the changes of others
 * waiting.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type App, onEveryStore } from '../support/app.ts';
import { counted } from '../support/counted.ts';
import { authorizeFields, begin, byPassword, CLIENT, get, pkce, post, REDIRECT } from '../support/oidc.ts';
import { newStorage } from '../support/stores.ts';

const callback = (app: App, id: string) => get(app, '/authorize/callback', { id });
const redemption = (app: App, code: string) =>
  post(app, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: CLIENT,
    redirect_uri: REDIRECT,
    code,
    code_verifier: pkce().verifier,
  });

const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();

onEveryStore('requests of strangers', (open, store) => {
  test('ask for no write, where there is no login to end', async () => {
    const { storage, asked } = counted(newStorage(store));
    await using app = await open({ storage });
    const user = await app.user();
    const [begun, complete] = [await begin(app), await begin(app)];
    await byPassword(app, complete, user.username);
    for (const id of ['', 'unknown', begun.id])
      for (const ask of [() => callback(app, id), () => redemption(app, `${id}.x`), () => redemption(app, id)])
        assert.ok(!(await asked(ask)).includes('write'), `${ask} ${id}`);
    assert.ok(!(await asked(() => redemption(app, `${complete.id}.x`))).includes('write'), 'a wrong code');
  });

  test('to end logins do not keep the changes of others out, however many come at once', async () => {
    await using app = await open();
    const all = Array.from({ length: 300 }, (_, i) => (i % 2 ? callback(app, 'unknown') : redemption(app, 'unknown.x')));
    const change = app.request('POST', '/services', { body: { name: 'web', encryptionRequired: true } });
    assert.deepEqual(statuses(await Promise.all(all)), [400]);
    assert.equal((await change).status, 201);
  });

  test('to begin logins do not keep the changes of others out, nor the logins of other addresses', async () => {
    await using app = await open();
    const beginFrom = (address: string) => get(app, '/authorize', authorizeFields(pkce().challenge), { address });
    const all = Array.from({ length: 300 }, () => beginFrom('192.0.2.1'));
    const changes = Array.from({ length: 10 }, (_, i) =>
      app.request('POST', '/services', { body: { name: `s${i}`, encryptionRequired: true } }),
    );
    const others = Array.from({ length: 10 }, (_, i) => beginFrom(`192.0.2.${i + 2}`));
    const flood = await Promise.all(all);
    assert.deepEqual(statuses(await Promise.all(changes)), [201]);
    assert.deepEqual(statuses(await Promise.all(others)), [302]);
    assert.deepEqual(statuses(flood), [302, 429]);
    assert.ok(flood.every(({ status, headers }) => status === 302 || Number(headers['retry-after']) > 0));
  });
});
