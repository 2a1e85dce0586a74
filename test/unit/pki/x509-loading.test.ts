import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { x509 } from '../../../src/crypto/pki/x509.ts';
import { countTurns } from '../../support/turns.ts';

test('others have turns while the library of certificates is loaded, and Reflect is as it was', async () => {
  // A module of its own, because tests of the same process may have loaded it.
  const fresh = new URL('../../../src/crypto/pki/x509.ts?fresh', import.meta.url).href;
  const module = (await import(fresh)) as { readonly x509: typeof x509 }; // the same file
  const before = 'getMetadata' in Reflect;
  using others = countTurns();
  const [library, again] = await Promise.all([module.x509(), module.x509()]);
  assert.equal(library, again);
  assert.ok(others.turns >= 4, `${others.turns} turns`);
  assert.equal('getMetadata' in Reflect, before);
});
