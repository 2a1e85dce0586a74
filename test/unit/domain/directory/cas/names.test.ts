import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { identityNameOf, type NameParts, nameVariants } from '../../../../../src/identity/cas/names.ts';

const parts: NameParts = { caName: 'our CA', caId: 'ca1', commonName: 'ann', requestedName: 'wish', identityId: 'id1' };

describe('the name of an identity that enrols by itself', () => {
  const table: readonly (readonly [format: string, name: string, given?: Partial<NameParts>])[] = [
    ['[caName]-[commonName]', 'our CA-ann'],
    ['[caId]/[identityId]', 'ca1/id1'],
    ['[requestedName]', 'wish'],
    ['[requestedName]', 'id1', { requestedName: undefined }],
    ['[requestedName]', 'id1', { requestedName: '  ' }],
    ['[commonName][commonName]', 'annann'],
    ['x-[nope]-[commonName]', 'x-[nope]-ann'],
    ['[CommonName]', '[CommonName]'],
    ['[toString]', '[toString]'],
    ['[commonName', '[commonName'],
    ['[[commonName]]', '[ann]'],
    ['plain', 'plain'],
    ['[commonName]', 'id1', { commonName: undefined }],
    ['[commonName]', '[identityId]', { commonName: '[identityId]' }],
    ['[commonName]', '$&$1', { commonName: '$&$1' }],
  ];
  for (const [format, name, given] of table)
    test(`by ${format} of ${JSON.stringify(given ?? {})} is ${name}`, () =>
      assert.equal(identityNameOf(format, { ...parts, ...given }), name));

  test('holds what a certificate says just as it stands', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (commonName) => {
        fc.pre(commonName.trim() !== '');
        assert.equal(identityNameOf('<[commonName]>', { ...parts, commonName }), `<${commonName}>`);
      }),
    );
  });

  test('has numbers after it when it is taken, one after another, and in the end the id', () => {
    const names = nameVariants('ann', 'id1');
    assert.deepEqual(names.slice(0, 4), ['ann', 'ann000001', 'ann000001000002', 'ann000001000002000003']);
    assert.equal(names.at(-1), 'ann-id1');
    assert.equal(new Set(names).size, names.length);
  });
});
