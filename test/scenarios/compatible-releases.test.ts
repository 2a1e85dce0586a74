import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { assertRefused } from '../support/refusals.ts';

const NEW_SIGNER_FIELDS = ['enrollAuthPolicyId', 'enrollNameClaimsSelector', 'enrollToCertEnabled', 'enrollToTokenEnabled'];
const NEW_SIGNER_FILTERS = [...NEW_SIGNER_FIELDS, 'enrollAttributeClaimsSelector'];
const signer = {
  name: 'provider',
  issuer: 'https://idp.example',
  audience: 'network',
  jwksEndpoint: 'https://idp.example/keys',
  enabled: true,
};

onEveryStore('compatible releases', (open) => {
  test('compatible with 2.0, signers show how they enroll, and filters know the new fields', async () => {
    await using app = await open();
    const { id } = (await app.request('POST', '/external-jwt-signers', { body: signer })).body.data;
    const { data } = (await app.request('GET', `/external-jwt-signers/${id}`)).body;
    assert.deepEqual(
      NEW_SIGNER_FIELDS.map((name) => data[name]),
      ['default', '/sub', false, false],
    );
    const list = await app.request('GET', `/external-jwt-signers?filter=${encodeURIComponent('enrollNameClaimsSelector = "/sub"')}`);
    assert.deepEqual([list.status, list.body.data.length], [200, 1]);
    assert.deepEqual(
      NEW_SIGNER_FILTERS.filter((name) => !list.body.meta.filterableFields.includes(name)),
      [],
    );
    assert.ok((await app.request('GET', '/controllers')).body.meta.filterableFields.includes('isPreferredLeader'));
  });

  test('compatible with 1.7, what is new in 2.0 can be written, and is neither shown nor a filter', async () => {
    await using app = await open({ settings: { compat: '1.7' } });
    const body = { ...signer, enrollAttributeClaimsSelector: '/groups' };
    const { id } = (await app.request('POST', '/external-jwt-signers', { body })).body.data;
    const list = await app.request('GET', '/external-jwt-signers');
    const shown = [(await app.request('GET', `/external-jwt-signers/${id}`)).body.data, list.body.data[0]];
    for (const detail of shown) {
      assert.deepEqual(
        NEW_SIGNER_FILTERS.filter((name) => name in detail),
        [],
      );
      assert.deepEqual([detail.issuer, detail.claimsProperty], [signer.issuer, 'sub']);
    }
    assert.deepEqual(
      list.body.meta.filterableFields.filter((name: string) => NEW_SIGNER_FILTERS.includes(name)),
      [],
    );
    for (const name of NEW_SIGNER_FILTERS) {
      assertRefused(await app.request('GET', `/external-jwt-signers?sort=${name}`), 400, 'INVALID_SORT_IDENTIFIER');
    }
    assert.ok(!(await app.request('GET', '/controllers')).body.meta.filterableFields.includes('isPreferredLeader'));
    const configTypes = await app.request('GET', '/config-types');
    assert.ok(!configTypes.body.meta.filterableFields.includes('target'));
    assert.ok(configTypes.body.data.every((detail: object) => !('target' in detail)));
  });
});
