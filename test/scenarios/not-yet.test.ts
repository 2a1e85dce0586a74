/** What later levels of the API ask for is refused where it asks for something, and taken where it asks for nothing: nothing is lost in silence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/errors/index.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { AT, byEndpoint } from '../support/external-jwt-signers.ts';
import { assertRefused } from '../support/refusals.ts';

const person = { name: 'ann', type: 'User', isAdmin: false } as const;

/** The ways of writing an entity: over HTTP, and in process. */
const writes = async (app: App, collection: string, group: 'identities' | 'externalJwtSigners', whole: object) => {
  const id = await app.create(collection, whole);
  const at = `${collection}/${id}`;
  const operations = app.controller.api[group] as unknown as Record<string, (input: object) => Promise<unknown>>;
  const over = (method: string, path: string) => async (body: object) => {
    const { status, body: answer } = await app.request(method, path, { body });
    return status < 300 ? undefined : { status, ...answer.error };
  };
  const inProcess = (verb: string, more: object) => (body: object) =>
    operations[verb]?.({ ...more, body }).then(
      () => undefined,
      (error: unknown) => (error instanceof ApiError ? { status: error.status, code: error.code, cause: error.cause } : error),
    );
  return {
    id,
    all: [
      [over('POST', collection), { ...whole, name: 'another', issuer: 'another' }],
      [over('PUT', at), whole],
      [over('PATCH', at), {}],
      [inProcess('create', {}), { ...whole, name: 'another', issuer: 'another' }],
      [inProcess('replace', { id }), whole],
      [inProcess('patch', { id }), {}],
    ] as const,
  };
};

onEveryStore('what is not there yet', (open) => {
  test('a signer that is to enroll identities is refused by field, on every way', async () => {
    await using app = await open();
    const { id, all } = await writes(app, AT, 'externalJwtSigners', byEndpoint);
    const before = await app.rows('externalJwtSigner');
    const asking = {
      enrollToCertEnabled: true,
      enrollToTokenEnabled: true,
      enrollNameClaimsSelector: '/name',
      enrollAttributeClaimsSelector: '/roles',
      enrollAuthPolicyId: 'some-policy',
    };
    for (const [write, body] of all)
      for (const [field, value] of Object.entries(asking)) {
        const refusal = await write({ ...body, [field]: value });
        assert.deepEqual([refusal.status, refusal.code, refusal.cause.field], [400, 'COULD_NOT_VALIDATE', field]);
        assert.match(
          refusal.cause.reason,
          /in body must be (false|\/sub|blank|default): this controller does not enroll identities by tokens/,
        );
        assert.equal((await write({ ...body, [field]: [7] })).code, 'COULD_NOT_PARSE_BODY');
      }
    assert.deepEqual(await app.rows('externalJwtSigner'), before);
    const nothing = [
      {
        enrollToCertEnabled: false,
        enrollToTokenEnabled: false,
        enrollNameClaimsSelector: '/sub',
        enrollAttributeClaimsSelector: '',
        enrollAuthPolicyId: 'default',
      },
      { enrollNameClaimsSelector: '', enrollAttributeClaimsSelector: ' ', enrollAuthPolicyId: '' },
      { enrollNameClaimsSelector: 'sub' },
      Object.fromEntries(Object.keys(asking).map((field) => [field, null])),
    ];
    for (const [i, fields] of nothing.entries()) {
      await app.create(AT, { ...byEndpoint, name: `s${i}`, issuer: `i${i}`, ...fields });
      assert.equal((await app.request('PUT', `${AT}/${id}`, { body: { ...byEndpoint, ...fields } })).status, 200);
      assert.equal((await app.request('PATCH', `${AT}/${id}`, { body: fields })).status, 200);
    }
    const shown = Object.keys(await app.controller.api.externalJwtSigners.get({ id }));
    assert.deepEqual(
      shown.filter((name) => name.startsWith('enroll')),
      [],
    );
  });

  test('a token of a signer enrolls nobody', async () => {
    await using app = await open();
    const headers = { authorization: 'Bearer e30.e30.e30' };
    const { status, body } = await app.request('POST', '/edge/client/v1/enroll/token', { as: null, body: {}, headers });
    assert.deepEqual([status, body.error.code], [404, 'NOT_FOUND']);
    assertRefused(
      await app.request('POST', '/edge/client/v1/enroll?method=token', { as: null, body: {}, headers }),
      400,
      'INVALID_ENROLLMENT_TOKEN',
    );
    assert.equal(await app.count('identity'), 1);
  });
});
