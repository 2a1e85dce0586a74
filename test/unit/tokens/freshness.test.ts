import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshnessOf } from '../../../src/crypto/tokens/signer-keys.ts';
import { NOW } from '../../support/pki.ts';

const at = (ms: number) => new Date(NOW + ms).toUTCString();
const fresh = (headers: Readonly<Record<string, string>>) => freshnessOf((name) => headers[name], NOW);

test('an answer may be kept for as long as its caching says (RFC 9111), less its age', () => {
  for (const [headers, expected] of [
    [{}, undefined],
    [{ 'cache-control': 'public, must-revalidate, s-maxage=5' }, undefined],
    [{ 'cache-control': 'max-age=60' }, 60_000],
    [{ 'cache-control': 'Public, MAX-AGE="60" , s-maxage=5' }, 60_000],
    [{ 'cache-control': 'max-age = 60, max-age=20' }, 20_000],
    [{ 'cache-control': 'max-age=60', age: '20' }, 40_000],
    [{ 'cache-control': 'max-age=60', age: '100' }, 0],
    [{ 'cache-control': 'max-age=60', age: 'x' }, 60_000],
    [{ 'cache-control': 'max-age=60', expires: '0' }, 60_000],
    [{ 'cache-control': 'max-age=' }, 0],
    [{ 'cache-control': 'max-age=-1' }, 0],
    [{ 'cache-control': 'max-age=1e9' }, 0],
    [{ 'cache-control': 'max-age=60, no-cache' }, 0],
    [{ 'cache-control': 'private="max-age", max-age=60' }, 60_000],
    [{ 'cache-control': 'no-store' }, 0],
    [{ expires: at(60_000) }, 60_000],
    [{ expires: at(60_000), date: at(-60_000) }, 120_000],
    [{ expires: at(60_000), date: 'x', age: '10' }, 50_000],
    [{ expires: at(-60_000) }, 0],
    [{ expires: '0' }, 0],
    [{ expires: 'never' }, 0],
  ] as const)
    assert.equal(fresh(headers), expected, JSON.stringify(headers));
});
