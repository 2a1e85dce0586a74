import assert from 'node:assert/strict';
import { test } from 'node:test';
import { x509 } from '../../../src/pki/x509.ts';

test('others have turns while the library of certificates is loaded, and Reflect is as it was', async () => {
  let [turns, isLoaded] = [0, false];
  const next = () => {
    turns++;
    if (!isLoaded) setTimeout(next, 0);
  };
  setTimeout(next, 0);
  const [library, again] = await Promise.all([x509(), x509()]);
  isLoaded = true;
  assert.equal(library, again);
  assert.ok(turns >= 4, `${turns} turns`);
  assert.ok(!('getMetadata' in Reflect));
});
