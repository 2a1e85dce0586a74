/** A former database was written by another controller, which let its callers store more than this one does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adoptSeeds, openAdopted } from '../support/adopted.ts';
import type { FormerSeeds } from '../support/former-in-memory.ts';
import { sharedPki } from '../support/pki.ts';

const lossesOf = async (seeds: FormerSeeds) => {
  const { losses } = await adoptSeeds(seeds, { plan: true });
  return losses.flatMap(({ name, entities }) => entities.map((one) => `${name} ${one.name}: ${one.detail}`));
};

test('a schema keeps no key named __proto__ and no U+0000, which its text hides', async () => {
  const schema = String.raw`{"type":"object","properties":{"a":{"\u005f_proto__":{"type":"string"},"description":"x\u0000y"}}}`;
  const seeds: FormerSeeds = { configTypes: [{ id: 't', name: 'odd', schema }] };
  assert.deepEqual(await lossesOf(seeds), [
    'nul odd: its schema has the character U+0000',
    'bounds odd: a key named __proto__ in its schema is left out',
  ]);
  await using adopted = await openAdopted('memory', seeds, { allow: ['nul', 'bounds'] });
  const { schema: kept } = await adopted.app.controller.api.configTypes.get({ id: 't' });
  assert.deepEqual(kept, { type: 'object', properties: { a: { description: 'x\uFFFDy' } } });
});

test('a schema beyond any depth is left out', async () => {
  const schema = `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`;
  assert.deepEqual(await lossesOf({ configTypes: [{ id: 't', name: 'deep', schema }] }), [
    'bounds deep: its schema is not a JSON object, or is nested too deeply: configs of this type may contain anything',
  ]);
});

test('clients are not sent to an address that is a script', async () => {
  const seeds: FormerSeeds = {
    externalJwtSigners: [
      { id: 's', name: 'signer', issuer: 'i', audience: 'a', jwksEndpoint: 'https://i/k', externalAuthUrl: 'javascript:alert(1)' },
    ],
  };
  assert.deepEqual(await lossesOf(seeds), ['bounds signer: its externalAuthUrl is not an http or https address, and is left out']);
  await using adopted = await openAdopted('memory', seeds, { allow: ['bounds'] });
  const { externalAuthUrl } = await adopted.app.controller.api.externalJwtSigners.get({ id: 's' });
  assert.equal(externalAuthUrl, null);
});

test('a claim of external ids that does not exist is left out', async () => {
  const { root } = await sharedPki();
  const externalIdClaim = {
    'externalIdClaim.location': 'constructor',
    'externalIdClaim.matcher': 'toString',
    'externalIdClaim.matcherCriteria': '',
    'externalIdClaim.parser': 'NONE',
    'externalIdClaim.parserSeparator': '',
    'externalIdClaim.index': 0,
  };
  const seeds: FormerSeeds = { cas: [{ id: 'c', name: 'ca', certPem: root.cert, externalIdClaim }] };
  assert.deepEqual(await lossesOf(seeds), ['bounds ca: its externalIdClaim is unknown to this release, and is left out']);
});
