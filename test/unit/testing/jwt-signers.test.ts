import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testNetwork } from '../../../testing/index.ts';

test('an identity logs in with a token of a signer, whose keys come from memory', async () => {
  await using network = await testNetwork();
  const ann = await network.identity('ann');
  const provider = await network.jwtSigner('provider');
  const session = await provider.login(ann);
  assert.equal(session.identityId, ann.id);
  assert.equal((await session.currentIdentity.get()).name, 'ann');
});

test('a signer identifies identities by the configured claim and external id', async () => {
  await using network = await testNetwork();
  const body = { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann@example.com' } as const;
  const { id } = await network.controller.api.identities.create({ body });
  const provider = await network.jwtSigner('provider', { claimsProperty: 'email', useExternalId: true, audience: 'us' });
  assert.equal((await provider.login('ann@example.com')).identityId, id);
  await assert.rejects(provider.login('eve@example.com'), { code: 'INVALID_AUTH' });
  await assert.rejects(provider.login('ann@example.com', { aud: 'others' }), { code: 'INVALID_AUTH' });
});

test('a token ends with its time, and none counts before', async () => {
  await using network = await testNetwork();
  const ann = await network.identity('ann');
  const provider = await network.jwtSigner('provider');
  const token = await provider.token(ann);
  const asAnn = async () =>
    network.fetch(`${network.controller.settings.address}/edge/client/v1/authenticate?method=ext-jwt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
  assert.equal((await asAnn()).status, 200);
  await network.advance('12m');
  assert.equal((await asAnn()).status, 401);
  assert.equal((await provider.login(ann)).identityId, ann.id);
});

test('a signer rotates its key, and is out of reach for a while', async () => {
  await using network = await testNetwork();
  const ann = await network.identity('ann');
  const provider = await network.jwtSigner('provider');
  await provider.login(ann);
  const old = await provider.token(ann);
  await network.advance('1s');
  await provider.rotateKey();
  assert.equal((await provider.login(ann)).identityId, ann.id);
  assert.notEqual(old.split('.')[0], (await provider.token(ann)).split('.')[0]);

  provider.isReachable = false;
  await provider.rotateKey();
  await network.advance('1m');
  await assert.rejects(provider.login(ann), { code: 'INVALID_AUTH' });
  provider.isReachable = true;
  await network.advance('1m');
  assert.equal((await provider.login(ann)).identityId, ann.id);
});

test('requests to other addresses are refused, or are those of the platform that a test gives', async () => {
  const asked: string[] = [];
  const outbound = {
    request: async (url: string) => {
      asked.push(url);
      return { status: 200, body: new TextEncoder().encode('{"keys":[]}') };
    },
  };
  const foreign = { name: 'foreign', issuer: 'x', audience: 'y', enabled: true, jwksEndpoint: 'https://provider.example/keys' };
  await using closed = await testNetwork({ platform: { logger: { error: () => {}, warn: () => {}, info: () => {} } } });
  await closed.controller.api.externalJwtSigners.create({ body: foreign });
  await closed.settled();
  assert.match(String(closed.recorded.log.at(-1)?.details?.error), /a test network sends requests only if.*provider\.example/);

  await using network = await testNetwork({ platform: { outbound } });
  await network.controller.api.externalJwtSigners.create({ body: foreign });
  await network.settled();
  assert.deepEqual(asked, ['https://provider.example/keys']);
  const ann = await network.identity('ann');
  assert.equal((await (await network.jwtSigner('provider')).login(ann)).identityId, ann.id);
});
