import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { aCa, COMMON_NAME, caBody, readCa, SPIFFE } from '../support/certificates.ts';
import { authority } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

onEveryStore('external id claims of certificate authorities', (open) => {
  test('a claim is whole and of some use, however it is written', proves(81), async () => {
    await using app = await open();
    const post = async (externalIdClaim: object) =>
      app.request('POST', '/cas', { body: { ...caBody('x', (await authority('x')).cert), externalIdClaim } });
    for (const leaf of Object.keys(COMMON_NAME))
      assertInvalid(await post({ ...COMMON_NAME, [leaf]: undefined }), `externalIdClaim.${leaf}`);
    assertInvalid(await post({ ...COMMON_NAME, location: 'SAN_DNS' }), 'externalIdClaim.location');
    assertInvalid(await post({ ...COMMON_NAME, matcher: 'REGEX' }), 'externalIdClaim.matcher');
    assertInvalid(await post({ ...COMMON_NAME, parser: 'JSON' }), 'externalIdClaim.parser');
    assertInvalid(await post({ ...COMMON_NAME, index: -1 }), 'externalIdClaim');
    assertRefused(await post({ ...COMMON_NAME, matcher: 'SCHEME', matcherCriteria: 'x' }), 400, 'REFERENCED_ENTITY_NOT_FOUND');
    const own = await aCa(app);
    const patched = await app.request('PATCH', `/cas/${own.id}`, { body: { externalIdClaim: { location: 'SAN_URI' } } });
    assertInvalid(patched, 'externalIdClaim.matcher');
  });

  test('a claim without any part counts as not given, as the command-line client sends it', async () => {
    await using app = await open();
    const certPem = (await authority('none')).cert;
    const body = { ...caBody('none', certPem), identityNameFormat: '[caName]' };
    const nulls = { location: null, index: null };
    const id = await app.create('/cas', { ...body, externalIdClaim: {} });
    const claimed = (await aCa(app, { externalIdClaim: SPIFFE })).id;
    for (const externalIdClaim of [{}, nulls]) {
      for (const [method, of, expected] of [
        ['PATCH', id, undefined],
        ['PATCH', claimed, SPIFFE],
        ['PUT', id, undefined],
      ] as const) {
        const answer = await app.request(method, `/cas/${of}`, { body: { ...body, name: `renamed-${of}`, externalIdClaim } });
        assert.equal(answer.status, 200, answer.text);
        const after = await readCa(app, of);
        assert.deepEqual([after.name, after.externalIdClaim], [`renamed-${of}`, expected]);
      }
    }
    assert.deepEqual(await app.trail(() => app.request('PATCH', `/cas/${id}`, { body: { externalIdClaim: {} } })), []);
    assert.equal((await app.request('PUT', `/cas/${claimed}`, { body: { ...body, name: 'x', externalIdClaim: nulls } })).status, 200);
    assert.equal((await readCa(app, claimed)).externalIdClaim, undefined);
    const other = { ...body, name: 'other', certPem: (await authority('other')).cert };
    for (const externalIdClaim of [[], 'x', { location: 'SAN_URI' }, { index: 0 }])
      assert.equal(
        (await app.request('POST', '/cas', { body: { ...other, externalIdClaim } })).status,
        400,
        JSON.stringify(externalIdClaim),
      );
  });

  test('a PATCH with null in place of a claim removes it, and one without it keeps it', async () => {
    await using app = await open();
    const { id } = await aCa(app, { externalIdClaim: SPIFFE });
    const patch = async (body: object) => {
      assert.equal((await app.request('PATCH', `/cas/${id}`, { body })).status, 200);
      return (await readCa(app, id)).externalIdClaim;
    };
    assert.deepEqual(await patch({ isAuthEnabled: true }), SPIFFE);
    assert.equal(await patch({ externalIdClaim: null }), undefined);
    assertInvalid(await app.request('PATCH', `/cas/${id}`, { body: { externalIdClaim: { index: 1 } } }), 'externalIdClaim.location');
    assert.deepEqual(await patch({ externalIdClaim: COMMON_NAME }), COMMON_NAME);
  });
});
