import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAdopted } from '../support/adopted.ts';
import { AUDIENCE, claimsOf, keyServer, loginByToken, providerKey, sign } from '../support/provider.ts';

test('the address of an adopted key set is asked where the host allows it, as any other', async (t) => {
  const key = await providerKey('a');
  const server = await keyServer(t, [key.jwk]);
  const { port } = new URL(server.url);
  const hosts = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '169.254.169.254'];
  const seeds = {
    identities: [{ id: 'ann', name: 'ann', externalId: 'ann@idp' }],
    authPolicies: [{ id: 'default', name: 'Default', 'primary.extJwt.allowed': true }],
    externalJwtSigners: hosts.map((host, i) => ({
      id: `s${i}`,
      name: host,
      issuer: `https://idp${i}.example`,
      audience: AUDIENCE,
      enabled: true,
      useExternalId: true,
      jwksEndpoint: `http://${host}:${port}/keys`,
    })),
  };
  const statusesOf = async (outboundAllow: readonly string[]) => {
    await using adopted = await openAdopted('memory', seeds, { open: { settings: { outboundAllow } } });
    return await Promise.all(
      seeds.externalJwtSigners.map(async ({ issuer }) => {
        const token = await sign(claimsOf(issuer, { sub: 'ann@idp' }), key);
        return (await loginByToken(adopted.app, token)).status;
      }),
    );
  };
  assert.deepEqual([await statusesOf([]), server.hits], [[401, 401, 401, 401], 0]);
  const [first, ...others] = await statusesOf(['127.0.0.1/32']);
  assert.deepEqual([first, others.at(-1)], [200, 401]);
});
