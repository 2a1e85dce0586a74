import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { party } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const AT = '/external-jwt-signers';
const CLIENT = '/edge/client/v1/external-jwt-signers';
const ENDPOINT = 'https://issuer.example/keys';
const [one, other] = await Promise.all([party('one'), party('other')]);
const byCertificate = { name: 'mine', issuer: 'https://issuer.example', audience: 'us', enabled: true, certPem: one.cert } as const;
const { certPem: _, ...common } = byCertificate;
const byEndpoint = { ...common, jwksEndpoint: ENDPOINT } as const;
const detail = async (app: App, id: string) => (await app.request('GET', `${AT}/${id}`)).body.data;

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

  test('a signer is listed, found by its filter fields, and deleted', proves(5, 323), async () => {
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
    for (const filter of [
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
    ])
      assert.deepEqual(
        (await list(app, AT, { filter })).body.data.map((row: { id: string }) => row.id),
        [id],
        filter,
      );
    const { meta } = (await app.request('GET', AT)).body;
    assert.deepEqual(meta.filterableFields.toSorted(), [
      'audience',
      'certPem',
      'claimsProperty',
      'clientId',
      'commonName',
      'createdAt',
      'enabled',
      'fingerprint',
      'id',
      'isSystem',
      'issuer',
      'kid',
      'name',
      'notAfter',
      'notBefore',
      'scopes',
      'tags',
      'targetToken',
      'updatedAt',
      'useExternalId',
    ]);
    assertRefused(await app.request('GET', `${AT}?filter=${encodeURIComponent(`jwksEndpoint = "${ENDPOINT}"`)}`), 400, 'INVALID_FILTER');
    assert.equal((await app.request('DELETE', `${AT}/${id}`)).status, 200);
    assertRefused(await app.request('GET', `${AT}/${id}`), 404, 'NOT_FOUND');
    assertRefused(await app.request('DELETE', `${AT}/${id}`), 404, 'NOT_FOUND');
  });

  test('what a signer needs is needed on create and replace, and null is none of it', proves(146, 147, 152, 156, 160), async () => {
    await using app = await open();
    const id = await app.create(AT, byCertificate);
    for (const field of ['name', 'issuer', 'audience', 'enabled']) {
      for (const value of [undefined, null, ...(field === 'enabled' ? [] : [''])]) {
        assertInvalid(await app.request('POST', AT, { body: { ...byEndpoint, name: 'x', issuer: 'x', [field]: value } }), field);
        assertInvalid(await app.request('PUT', `${AT}/${id}`, { body: { ...byCertificate, [field]: value } }), field);
      }
    }
    assertInvalid(await app.request('POST', AT, { body: {} }), 'audience');
    for (const field of ['name', 'issuer', 'audience'])
      assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: { [field]: '' } }), field);
  });

  test('an issuer or an audience that is blank is none, however it is written', async () => {
    await using app = await open();
    const id = await app.create(AT, byCertificate);
    const left = await app.trail(async () => {
      for (const field of ['issuer', 'audience'])
        for (const blank of ['', ' ', '\t \n', '\u00a0']) {
          assertInvalid(await app.request('POST', AT, { body: { ...byEndpoint, name: 'x', issuer: 'x', [field]: blank } }), field);
          assertInvalid(await app.request('PUT', `${AT}/${id}`, { body: { ...byCertificate, [field]: blank } }), field);
          assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: { [field]: blank } }), field);
        }
    });
    assert.deepEqual(left, []);
  });

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
    assert.equal((await app.controller.externalJwtSigners.get({ id })).jwksEndpoint, ENDPOINT);
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

  test('addresses are http or https, and the target token is one of two', proves(154, 158), async () => {
    await using app = await open();
    const id = await app.create(AT, byEndpoint);
    const left = await app.trail(async () => {
      for (const field of ['jwksEndpoint', 'externalAuthUrl']) {
        for (const value of [
          'nonsense',
          '/keys',
          'file:///etc/passwd',
          'ftp://issuer.example/keys',
          'javascript:alert(1)',
          'https://',
          'data:,x',
        ]) {
          assertInvalid(await app.request('POST', AT, { body: { ...byEndpoint, name: 'x', issuer: 'x', [field]: value } }), field);
          assertInvalid(await app.request('PUT', `${AT}/${id}`, { body: { ...byEndpoint, [field]: value } }), field);
          assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: { [field]: value } }), field);
        }
      }
      assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: { jwksEndpoint: '' } }), 'jwksEndpoint');
      for (const value of ['REFRESH', 'access', ''])
        assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: { targetToken: value } }), 'targetToken');
    });
    assert.deepEqual(left, []);
    await app.request('PATCH', `${AT}/${id}`, { body: { externalAuthUrl: 'http://issuer.example/auth' } });
    assert.equal((await detail(app, id)).externalAuthUrl, 'http://issuer.example/auth');
    await app.request('PATCH', `${AT}/${id}`, { body: { externalAuthUrl: ' ' } });
    assert.equal((await detail(app, id)).externalAuthUrl, null);
  });

  test('a signer has a certificate or an address of keys, never both or neither, also by patches', proves(148), async () => {
    await using app = await open();
    const [certified, fetched] = [
      await app.create(AT, byCertificate),
      await app.create(AT, { ...byEndpoint, name: 'fetched', issuer: 'https://fetched.example' }),
    ];
    const both = { ...byCertificate, ...byEndpoint };
    const left = await app.trail(async () => {
      for (const body of [both, common]) {
        assertRefused(await app.request('POST', AT, { body: { ...body, name: 'x', issuer: 'x' } }), 400, 'REFERENCED_ENTITY_NOT_FOUND');
        assertRefused(await app.request('PUT', `${AT}/${certified}`, { body }), 400, 'REFERENCED_ENTITY_NOT_FOUND');
      }
      assertRefused(
        await app.request('PATCH', `${AT}/${certified}`, { body: { jwksEndpoint: ENDPOINT } }),
        400,
        'REFERENCED_ENTITY_NOT_FOUND',
      );
      assertRefused(await app.request('PATCH', `${AT}/${fetched}`, { body: { certPem: other.cert } }), 400, 'REFERENCED_ENTITY_NOT_FOUND');
    });
    assert.deepEqual(left, []);
    await app.request('PUT', `${AT}/${certified}`, { body: byEndpoint });
    const { certPem, commonName, fingerprint, notAfter } = await detail(app, certified);
    assert.deepEqual(
      { certPem, commonName, fingerprint, notAfter },
      { certPem: null, commonName: '', fingerprint: null, notAfter: '0001-01-01T00:00:00.000Z' },
    );
    await app.request('PUT', `${AT}/${certified}`, { body: byCertificate });
    assert.equal((await detail(app, certified)).fingerprint, one.certificate.fingerprint);
  });

  test('a certificate is exactly one, and a patch of it takes along what it says', proves(148), async () => {
    await using app = await open();
    const id = await app.create(AT, byCertificate);
    for (const certPem of ['', 'nonsense', one.cert + other.cert, one.cert.replace('MII', 'XXX'), one.key, one.cert.slice(0, -30)]) {
      assertRefused(
        await app.request('POST', AT, { body: { ...byCertificate, name: 'x', issuer: 'x', certPem } }),
        400,
        'INVALID_CERT_PEM',
      );
      assertRefused(await app.request('PATCH', `${AT}/${id}`, { body: { certPem } }), 400, 'INVALID_CERT_PEM');
    }
    await app.request('PATCH', `${AT}/${id}`, { body: { certPem: other.cert } });
    const { commonName, fingerprint } = await detail(app, id);
    assert.deepEqual([commonName, fingerprint], ['other', other.certificate.fingerprint]);
    await app.request('PATCH', `${AT}/${id}`, { body: { audience: 'them' } });
    assert.equal((await detail(app, id)).fingerprint, other.certificate.fingerprint);
  });

  test('name, issuer, kid and certificate are unique, on every write', proves(156, 159, 160), async () => {
    await using app = await open();
    await app.create(AT, { ...byCertificate, kid: 'k' });
    const body = { name: 'x', issuer: 'x', audience: 'us', enabled: true, certPem: other.cert, kid: 'x' };
    const id = await app.create(AT, body);
    for (const [field, taken] of [
      ['name', { name: 'mine' }],
      ['issuer', { issuer: byCertificate.issuer }],
      ['kid', { kid: 'k' }],
      ['fingerprint', { certPem: one.cert }],
    ] as const) {
      const fresh = { ...body, name: 'y', issuer: 'y', kid: 'y', certPem: (await party('fresh')).cert };
      assertInvalid(await app.request('POST', AT, { body: { ...fresh, ...taken } }), field);
      assertInvalid(await app.request('PUT', `${AT}/${id}`, { body: { ...body, ...taken } }), field);
      assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: taken }), field);
    }
    // No kid and no certificate are no values that could clash.
    await app.create(AT, { ...byEndpoint, name: 'a', issuer: 'a' });
    await app.create(AT, { ...byEndpoint, name: 'b', issuer: 'b' });
  });

  test('a replace resets what is not given, a patch changes what it names', proves(149, 150, 161, 164, 323), async () => {
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
    await app.request('PUT', `${AT}/${id}`, { body: byCertificate });
    assert.deepEqual(await shown(), {
      name: 'mine',
      claimsProperty: 'sub',
      useExternalId: false,
      externalAuthUrl: null,
      scopes: null,
      clientId: null,
      kid: null,
      targetToken: 'ACCESS',
      tags: {},
      enabled: true,
    });
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
      tags: { a: 'b' },
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

  test('a signer that a policy names is not deleted, and is once none does', proves(342), async () => {
    await using app = await open();
    const [allowed, required] = [
      await app.create(AT, byCertificate),
      await app.create(AT, { ...byEndpoint, name: 'required', issuer: 'x' }),
    ];
    const policy = await app.create(
      '/auth-policies',
      policyBody('strict', { extJwt: { allowedSigners: [allowed] }, secondary: { requireExtJwtSigner: required } }),
    );
    for (const id of [allowed, required]) {
      const refusal = await app.request('DELETE', `${AT}/${id}`);
      assertRefused(refusal, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
      assert.match(refusal.body.error.cause.reason, new RegExp(`^externalJwtSigner ${id} is used by auth-policies `));
    }
    await app.request('PATCH', `/auth-policies/${policy}`, { body: { secondary: { requireExtJwtSigner: null } } });
    assert.equal((await app.request('DELETE', `${AT}/${required}`)).status, 200);
    assertRefused(await app.request('DELETE', `${AT}/${allowed}`), 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
    await app.request('PUT', `/auth-policies/${policy}`, { body: policyBody('lenient') });
    assert.equal((await app.request('DELETE', `${AT}/${allowed}`)).status, 200);
  });

  test('a policy names signers that exist, on create, replace and patch', proves(50), async () => {
    await using app = await open();
    const id = await app.create(AT, byCertificate);
    const body = policyBody('strict', { extJwt: { allowedSigners: [id, id] }, secondary: { requireExtJwtSigner: id } });
    const policy = await app.create('/auth-policies', body);
    const { primary, secondary } = (await app.request('GET', `/auth-policies/${policy}`)).body.data;
    assert.deepEqual([primary.extJwt.allowedSigners, secondary.requireExtJwtSigner], [[id], id]);
    const among = ['!', id]; // sets are sorted: the unknown one comes first
    for (const [field, parts] of [
      ['primary.extJwt.allowedExtJwtSigners[0]', { primary: { extJwt: { allowedSigners: among } } }],
      ['secondary.requiredExtJwtSigner', { secondary: { requireExtJwtSigner: 'no-such-signer' } }],
    ] as const) {
      const refusal = await app.request('PATCH', `/auth-policies/${policy}`, { body: parts });
      assertRefused(refusal, 404, 'NOT_FOUND');
      assert.equal(refusal.body.error.cause.field, field);
    }
    assertRefused(
      await app.request('PUT', `/auth-policies/${policy}`, { body: policyBody('strict', { extJwt: { allowedSigners: among } }) }),
      404,
      'NOT_FOUND',
    );
  });

  test('signers are counted in the summary', async () => {
    await using app = await open();
    const count = async () => (await app.request('GET', '/summary')).body.data.externalJwtSigners;
    assert.equal(await count(), 0);
    await app.create(AT, byCertificate);
    assert.equal(await count(), 1);
  });
});
