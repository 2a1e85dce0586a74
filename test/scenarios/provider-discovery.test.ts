import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { keyServer } from '../support/provider.ts';

onEveryStore('discovery of an OpenID provider', (open) => {
  test('the addresses are those that the issuer itself publishes', async (t) => {
    await using app = await open({ settings: { outboundAllow: ['loopback'] } });
    const discover = (issuer: string) => app.controller.api.externalJwtSigners.discover({ body: { issuer } });
    const provider = await keyServer(t, []);
    const issuer = new URL(provider.url).origin;
    const metadata = { issuer, jwks_uri: `${issuer}/keys`, authorization_endpoint: `${issuer}/auth` };
    const publish = (document: unknown, status = 200) => {
      provider.answer = () => ({ status, body: typeof document === 'string' ? document : JSON.stringify(document) });
    };
    publish(metadata);
    const message = `the metadata was read at ${issuer}/.well-known/openid-configuration`;
    const found = { isFound: true, message, jwksEndpoint: `${issuer}/keys`, externalAuthUrl: `${issuer}/auth` };
    assert.deepEqual(await discover(issuer), found);
    publish({ ...metadata, authorization_endpoint: 'javascript:alert(1)' });
    assert.deepEqual(Object.keys(await discover(issuer)), ['isFound', 'message', 'jwksEndpoint']);
    for (const wrong of [
      { ...metadata, issuer: 'https://evil.example' },
      { ...metadata, jwks_uri: 'file:///etc/passwd' },
      { ...metadata, jwks_uri: undefined },
      [],
      'null',
      '<html>',
    ]) {
      publish(wrong);
      assert.equal((await discover(issuer)).isFound, false, JSON.stringify(wrong));
    }
    publish(metadata, 404);
    assert.equal((await discover(issuer)).isFound, false);
    publish(`{"issuer":"${issuer}","jwks_uri":"${issuer}/keys","a":"${'x'.repeat(300_000)}"}`);
    assert.equal((await discover(issuer)).isFound, false);
  });

  test('an address that the rules for outbound requests exclude is not requested, and the answer is that of one where nothing is', async (t) => {
    await using app = await open({});
    const provider = await keyServer(t, []);
    const { origin } = new URL(provider.url);
    const [excluded, absent] = await Promise.all(
      [origin, 'http://[::1]:9'].map((issuer) => app.controller.api.externalJwtSigners.discover({ body: { issuer } })),
    );
    assert.equal(excluded?.message.replace(origin, ''), absent?.message.replace('http://[::1]:9', ''));
    assert.deepEqual([excluded?.isFound, absent?.isFound, provider.hits], [false, false, 0]);
  });
});
