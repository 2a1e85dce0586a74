/**
 * Operators read what an adoption tells on a terminal, and keep it in logs. Others chose parts of it: routers the ids of terminators,
 * delegates names. And neither place is one for secrets.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compareNetworks } from '../../adopt/command/compare.ts';
import { readFormerConfig } from '../../adopt/command/former-config.ts';
import { refusalText, reportText } from '../../adopt/command/report-text.ts';
import { comparisonText } from '../../adopt/command/verify.ts';
import { AdoptionRefused } from '../../adopt/conversion/index.ts';
import { identity } from '../../src/contract/api/identities.ts';
import { adoptSeeds, openAdopted } from '../support/adopted.ts';
import type { FormerSeeds } from '../support/former-in-memory.ts';
import { NOW } from '../support/pki.ts';
import { newSharedStorage } from '../support/stores.ts';

const CLEAR = '\u001b[2J\u0007\u202e';
const assertPrintable = (text: string) => assert.doesNotMatch(text.replaceAll('\n', ''), /\p{C}/u);

test('a plan shows no id that controls the terminal', async () => {
  const terminators = [{ id: CLEAR, service: 'none', router: 'none', binding: 'edge', address: 'a' }];
  const report = await adoptSeeds({ terminators }, { plan: true });
  const text = reportText(report);
  assert.match(text, /LOSS dangling \(1,/);
  assertPrintable(text);
});

test('a refusal of the store shows no name that controls the terminal', async () => {
  await using shared = newSharedStorage('memory');
  const identities = ['a', 'b'].map((id) => ({ id, name: CLEAR }));
  const refused = await adoptSeeds({ identities }, { storage: shared.adapter() }).catch((error: unknown) => error);
  assert.ok(refused instanceof AdoptionRefused);
  const text = refusalText(refused);
  assert.match(text, /cannot be stored/);
  assertPrintable(text);
});

test('a refusal of the store shows the beginning of a long name, and of a long id', async () => {
  await using shared = newSharedStorage('memory');
  const identities = ['a', 'b'].map((id) => ({ id: id.repeat(1900), name: 'n'.repeat(4000) }));
  const refused = await adoptSeeds({ identities }, { storage: shared.adapter(), allow: ['limits'] }).catch((error: unknown) => error);
  assert.ok(refused instanceof AdoptionRefused, String(refused));
  assert.match(refused.message, /identity b{1000} \(n{1000}\) cannot be stored/);
});

test('a comparison shows no id that controls the terminal, and no token', async () => {
  const seeds = (token: string): FormerSeeds => ({
    identities: [{ id: 'ann', name: 'ann' }],
    enrollments: [
      {
        id: 'e',
        identity: 'ann',
        method: 'ott',
        token,
        jwt: `x.${btoa(JSON.stringify({ jti: token }))}.z`,
        expiresAt: new Date(NOW + 60_000),
      },
    ],
  });
  await using former = await openAdopted('memory', seeds('secret-1'));
  // An adoption refuses such an id, but the controller that is compared may have it.
  await former.app.inStore('write', async (entities) => {
    const ann = await entities.get(identity, 'ann');
    assert.ok(ann);
    await entities.insert(identity, { ...ann, id: CLEAR, name: 'odd' });
  });
  await using adopted = await openAdopted('memory', seeds('secret-2'));
  const comparison = await compareNetworks(former.app.controller.api, adopted.app.controller.api, NOW);
  const text = comparisonText(comparison);
  assert.match(text, /DIFFERENT identities odd .* missing/);
  assert.match(text, /DIFFERENT enrollments .*token/);
  assert.doesNotMatch(text, /secret-[12]|eyJ/);
  assertPrintable(text);
});

test('an error in a configuration shows nothing of a key in it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'ctrl.yaml');
  const key = ['-----BEGIN PRIVATE KEY-----', 'c2VjcmV0', '-----END PRIVATE KEY-----'];
  for (const lines of [
    ['identity:', '  cert: "pem:x"', '  key: |', ...key.map((line) => `    ${line}`)],
    ['identity:', '  key: "pem:', ...key.map((line) => `    ${line}`), '    c2VjcmV0" : : x'],
  ]) {
    await writeFile(file, lines.join('\n'));
    assert.throws(
      () => readFormerConfig(file),
      ({ message }: Error) => /ctrl\.yaml/.test(message) && !/c2VjcmV0|PRIVATE KEY/.test(message),
    );
  }
});

test('the ids of a thousand lost entities are reported, and none is kept whole', async () => {
  const terminators = Array.from({ length: 1100 }, (_, i) => ({
    id: `${i}-`.padEnd(5000, 'x'),
    service: 'none',
    router: 'none',
    binding: 'edge',
    address: 'a',
  }));
  const { losses } = await adoptSeeds({ terminators }, { plan: true });
  const [{ count, entities } = assert.fail('something is lost')] = losses;
  assert.deepEqual([count, entities.length], [1100, 1000]);
  assert.ok(JSON.stringify(entities).length < 1000 * 2500);
});

test('a config of 300 objects in each other is a loss that can be allowed, and is shown as it was', async () => {
  const nested = (depth: number): Record<string, unknown> => (depth === 0 ? {} : { o: nested(depth - 1) });
  const seeds = {
    configTypes: [{ id: 't', name: 'any', schema: null }],
    configs: [{ id: 'c', name: 'deep', type: 't', data: nested(300), cut: ['data'] }],
  } as FormerSeeds;
  const { losses } = await adoptSeeds(seeds, { plan: true });
  assert.deepEqual(
    losses.map(({ name, entities: [one] }) => [name, one?.name, one?.detail]),
    [
      ['bounds', 'deep', 'data nests so many objects and lists that the innermost are left out'],
      ['limits', 'deep', 'it must not be nested more than 64 levels deep'],
    ],
  );
  for (const store of ['memory', 'sqlite']) {
    await using adopted = await openAdopted(store, seeds, { allow: ['bounds', 'limits'] });
    assert.deepEqual((await adopted.app.controller.api.configs.get({ id: 'c' })).data, nested(300));
  }
});

test('the report about an entity is bounded, whatever its database holds', async () => {
  const unknown = Array.from({ length: 20_000 }, (_, index) => `field ${index}`);
  const { losses } = await adoptSeeds({ identities: [{ id: 'i', name: 'x'.repeat(100_000), unknown }] }, { plan: true });
  const [{ entities: [found] = [] } = {}] = losses.filter(({ name }) => name === 'unknown');
  assert.match(found?.detail ?? '', /^field 0, field 1, /);
  assert.ok(JSON.stringify(found).length < 3000);
});
