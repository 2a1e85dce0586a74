import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { portableSha256Hex, sha256Hex } from '../../../src/crypto/sha256.ts';

test('the hash of the runtime and the portable one are SHA-256 of bytes, and of texts in UTF-8, also with lone surrogates', () => {
  const text = fc.string({ unit: 'binary' });
  const lone = fc.string({ unit: fc.constantFrom('a', '\ud800', '\udc00', 'ü', '😀') });
  fc.assert(
    fc.property(fc.oneof(text, lone, fc.uint8Array()), (data) => {
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
      const expected = createHash('sha256').update(bytes).digest('hex');
      assert.equal(sha256Hex(data), expected);
      assert.equal(portableSha256Hex(data), expected);
    }),
  );
});
