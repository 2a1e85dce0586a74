import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { AT, byCertificate, byEndpoint, detail, ENDPOINT } from '../support/external-jwt-signers.ts';
import { assertRefused } from '../support/refusals.ts';

const CLIENT = '/edge/client/v1/external-jwt-signers';

onEveryStore('who sees what of external JWT signers', (open) => {
  test('a setting shows administrators where the keys are, in details and lists, and nobody else, nor in events', async () => {
    await using app = await open({ settings: { showJwksEndpoints: true } });
    const events: unknown[] = [];
    app.controller.events.on('externalJwtSigner', (event) => void events.push(event));
    const id = await app.create(AT, byEndpoint);
    const own = await app.create(AT, { ...byCertificate, name: 'certified', issuer: 'https://other.example' });
    assert.equal((await detail(app, id)).jwksEndpoint, ENDPOINT);
    assert.equal((await detail(app, own)).jwksEndpoint, null);
    const { data } = (await app.request('GET', `${AT}?sort=name`)).body;
    assert.deepEqual(data.map(({ jwksEndpoint }: { jwksEndpoint: unknown }) => jwksEndpoint).toSorted(), [ENDPOINT, null]);
    assert.equal((await app.controller.api.externalJwtSigners.get({ id })).jwksEndpoint, ENDPOINT);
    // As the console saves a signer: with all that it was shown.
    const { _links, createdAt, updatedAt, ...shown } = await detail(app, id);
    assert.equal((await app.request('PATCH', `${AT}/${id}`, { body: { ...shown, name: 'saved' } })).status, 200);
    assert.equal((await app.request('PUT', `${AT}/${id}`, { body: { ...shown, name: 'saved again' } })).status, 200);
    assert.equal((await detail(app, id)).jwksEndpoint, ENDPOINT);
    assert.ok(!(await app.request('GET', CLIENT, { as: null })).text.includes(ENDPOINT));
    const as = await (await app.user()).login();
    assert.equal((await app.request('GET', AT, { as })).status, 401);
    await app.request('DELETE', `${AT}/${id}`);
    assert.ok(events.length > 0);
    for (const said of [events, await app.rows('change')]) assert.ok(!JSON.stringify(said).includes(ENDPOINT));
    assertRefused(await app.request('GET', `${AT}?filter=${encodeURIComponent(`jwksEndpoint = "${ENDPOINT}"`)}`), 400, 'INVALID_FILTER');
  });

  test('anybody sees the enabled signers, and of them no more than a login needs', async () => {
    await using app = await open();
    const id = await app.create(AT, {
      ...byCertificate,
      kid: 'k',
      scopes: ['openid'],
      externalAuthUrl: 'https://issuer.example/auth',
      tags: { a: 'b' },
    });
    const disabled = await app.create(AT, { ...byEndpoint, name: 'disabled', issuer: 'x', clientId: 'c', enabled: false });
    const seen = async (query = '') => (await app.request('GET', `${CLIENT}${query}`, { as: null })).body;
    const { data, meta } = await seen();
    assert.equal(data.length, 1);
    const { createdAt, updatedAt, ...shown } = data[0];
    assert.ok(createdAt && updatedAt);
    assert.deepEqual(shown, {
      _links: { self: { href: `./external-jwt-signers/${id}` } },
      id,
      name: 'mine',
      audience: 'us',
      externalAuthUrl: 'https://issuer.example/auth',
      scopes: ['openid'],
      targetToken: 'ACCESS',
      enrollToCertEnabled: false,
      enrollToTokenEnabled: false,
      tags: {},
    });
    assert.equal(meta.pagination.totalCount, 1);
    for (const field of ['issuer', 'kid', 'certPem', 'fingerprint', 'enabled', 'claimsProperty', 'jwksEndpoint']) {
      assert.ok(!meta.filterableFields.includes(field), field);
      assert.equal((await app.request('GET', `${CLIENT}?filter=${field}%20%3D%20null`, { as: null })).status, 400, field);
    }
    await app.request('PATCH', `${AT}/${disabled}`, { body: { enabled: true } });
    await app.request('PATCH', `${AT}/${id}`, { body: { enabled: false } });
    assert.deepEqual(
      (await seen()).data.map(({ id: each, clientId }: { id: string; clientId: string }) => [each, clientId]),
      [[disabled, 'c']],
    );
    for (const [method, path] of [
      ['GET', `${CLIENT}/${disabled}`],
      ['POST', CLIENT],
    ] as const)
      assert.ok((await app.request(method, path, { body: byEndpoint })).status >= 404, path);
  });
});
