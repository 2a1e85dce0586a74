import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { AT, byCertificate, byEndpoint, common, detail, ENDPOINT, NO_ENROLLMENT, one } from '../support/external-jwt-signers.ts';
import { list } from '../support/lists.ts';
import { assertRefused } from '../support/refusals.ts';

const CLIENT = '/edge/client/v1/external-jwt-signers';

onEveryStore('external JWT signers', (open) => {
  test('a signer by certificate shows what the certificate says, and not what a body says of it', proves(151, 155, 323), async () => {
    await using app = await open();
    const said = { commonName: 'x', fingerprint: 'x', notBefore: '2000-01-01T00:00:00.000Z', notAfter: '2000-01-01T00:00:00.000Z' };
    const id = await app.create(AT, { ...byCertificate, ...said, kid: 'the kid' });
    await app.request('PUT', `${AT}/${id}`, { body: { ...byCertificate, ...said, kid: 'the kid' } });
    await app.request('PATCH', `${AT}/${id}`, { body: said });
    const { createdAt: _, updatedAt: __, ...shown } = await detail(app, id);
    assert.deepEqual(shown, {
      _links: { self: { href: `./external-jwt-signers/${id}` } },
      id,
      tags: {},
      ...byCertificate,
      ...NO_ENROLLMENT,
      kid: 'the kid',
      claimsProperty: 'sub',
      useExternalId: false,
      externalAuthUrl: null,
      clientId: null,
      scopes: null,
      targetToken: 'ACCESS',
      commonName: 'one',
      fingerprint: one.certificate.fingerprint,
      notBefore: '2026-11-20T10:00:00.000Z',
      notAfter: '2027-11-21T10:00:00.000Z',
    });
  });

  test('a signer keeps every writable field, and where its keys are is shown to nobody', proves(150, 153, 157, 161, 163), async () => {
    await using app = await open();
    const events: unknown[] = [];
    app.controller.events.on('change', (change) => events.push(change));
    const fields = {
      claimsProperty: 'email',
      useExternalId: true,
      externalAuthUrl: 'https://issuer.example/auth',
      clientId: '',
      targetToken: 'ID',
      kid: ' ',
      tags: { a: 'b', c: true, d: null },
    };
    const id = await app.create(AT, { ...byEndpoint, ...fields, scopes: ['openid', 'email', 'openid'] });
    const { createdAt: _, updatedAt: __, _links, ...shown } = await detail(app, id);
    assert.deepEqual(shown, {
      id,
      ...common,
      ...NO_ENROLLMENT,
      ...fields,
      kid: null,
      scopes: ['email', 'openid'],
      certPem: null,
      commonName: '',
      fingerprint: null,
      notBefore: '0001-01-01T00:00:00.000Z',
      notAfter: '0001-01-01T00:00:00.000Z',
    });
    await app.request('PATCH', `${AT}/${id}`, { body: { jwksEndpoint: `${ENDPOINT}/2` } });
    await app.request('PUT', `${AT}/${id}`, { body: byEndpoint });
    await app.request('GET', AT);
    await app.request('GET', CLIENT, { as: null });
    await app.request('DELETE', `${AT}/${id}`);
    assert.equal(events.length, 4);
    for (const said of [app.transcript.map(({ answer }) => answer.text), events, await app.rows('change')])
      assert.ok(!JSON.stringify(said).includes(ENDPOINT));
  });

  test('a signer is found by its filter fields, and not by where its keys are', proves(5, 323), async () => {
    await using app = await open();
    const id = await app.create(AT, { ...byCertificate, scopes: ['openid'], clientId: 'c', kid: 'k' });
    await app.create(AT, {
      ...byEndpoint,
      name: 'other',
      issuer: 'https://other.example',
      audience: 'them',
      claimsProperty: 'email',
      useExternalId: true,
      targetToken: 'ID',
      enabled: false,
    });
    const filters = [
      'name = "mine"',
      'issuer = "https://issuer.example"',
      'audience = "us"',
      'kid = "k"',
      'clientId = "c"',
      'commonName = "one"',
      `fingerprint = "${one.certificate.fingerprint}"`,
      'certPem contains "CERTIFICATE"',
      'claimsProperty = "sub"',
      'useExternalId = false',
      'enabled = true',
      'targetToken = "ACCESS"',
      'anyOf(scopes) = "openid"',
      'notAfter > datetime(2027-01-01T00:00:00Z)',
      'notBefore > datetime(2026-01-01T00:00:00Z)',
    ];
    for (const filter of filters)
      assert.deepEqual(
        (await list(app, AT, { filter })).body.data.map((row: { id: string }) => row.id),
        [id],
        filter,
      );
    assertRefused(await app.request('GET', `${AT}?filter=${encodeURIComponent(`jwksEndpoint = "${ENDPOINT}"`)}`), 400, 'INVALID_FILTER');
  });

  test('a patch changes what it names, also to nothing', proves(149, 150, 159, 161, 164, 323), async () => {
    await using app = await open();
    const full = {
      ...byCertificate,
      claimsProperty: 'email',
      useExternalId: true,
      externalAuthUrl: 'https://issuer.example/auth',
      scopes: ['openid'],
      clientId: 'c',
      kid: 'k',
      targetToken: 'ID',
      tags: { a: 'b' },
    };
    const id = await app.create(AT, full);
    const shown = async () => {
      const { name, claimsProperty, useExternalId, externalAuthUrl, scopes, clientId, kid, targetToken, tags, enabled } = await detail(
        app,
        id,
      );
      return { name, claimsProperty, useExternalId, externalAuthUrl, scopes, clientId, kid, targetToken, tags, enabled };
    };
    const before = await shown();
    for (const [body, changed] of [
      [{ enabled: false }, { enabled: false }],
      [
        { claimsProperty: ' ', useExternalId: false },
        { claimsProperty: 'sub', useExternalId: false },
      ],
      [{ scopes: [] }, { scopes: null }],
      [{ kid: '' }, { kid: null }],
      [{ clientId: '' }, { clientId: '' }],
      [{ name: null, scopes: null, kid: null }, {}],
    ] as const) {
      await app.request('PATCH', `${AT}/${id}`, { body: full });
      await app.request('PATCH', `${AT}/${id}`, { body });
      assert.deepEqual(await shown(), { ...before, ...changed });
    }
  });

  test('signers are counted in the summary', async () => {
    await using app = await open();
    const count = async () => (await app.request('GET', '/summary')).body.data.externalJwtSigners;
    assert.equal(await count(), 0);
    await app.create(AT, byCertificate);
    assert.equal(await count(), 1);
  });
});
