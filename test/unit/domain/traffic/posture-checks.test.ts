import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hexSpellings, macSpellings, versionRanges } from '../../../../src/fabric/data-model/posture-checks.ts';

describe('rows of earlier releases, as they are sent to routers', () => {
  test('addresses are spelled in the usual ways, however they were kept', () => {
    assert.ok(macSpellings('02-FC-00-00-00-01').includes('02:fc:00:00:00:01'));
    assert.deepEqual(macSpellings('02FC.0000.0001'), macSpellings('02:fc:00:00:00:01'));
    assert.deepEqual(macSpellings('none?'.replaceAll(/[a-f]/g, '')), []);
  });

  test('hashes are bare; what has no digits stays, since none would mean any', () => {
    assert.deepEqual(hexSpellings(['AB:01', 'ab01']), ['ab01', 'AB01']);
    assert.deepEqual(hexSpellings(['xyz']), ['xyz', 'XYZ']);
    assert.deepEqual(hexSpellings([]), []);
  });

  test('a range that cannot be said lets nobody in, and the others hold', () => {
    assert.deepEqual(versionRanges(['>=1.0.0-x', 'no range', '~2.0.0']), ['>=2.0.0 <2.1.0-0']);
    assert.deepEqual(versionRanges(['>=1.0.0-x']), []);
    assert.deepEqual(versionRanges(null), ['>=0.0.0']);
  });
});
