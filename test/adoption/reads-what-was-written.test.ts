import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openFormerDatabase } from '../../adopt/reader/former-database.ts';
import { type NewFormerEntities, writeFormerNetwork } from '../support/former-network/index.ts';
import { FORMER_KINDS, formerNetworks, formerReleases } from '../support/former-network/random.ts';

const folder = mkdtempSync(join(tmpdir(), 'former-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'ctrl.db');

const layouts = fc.record({
  pageSize: fc.constantFrom(1024, 4096, 16_384, 65_536),
  fan: fc.constantFrom(undefined, 2, 3),
  perLeaf: fc.constantFrom(undefined, 1, 2),
  inline: fc.boolean(),
  freeEvery: fc.constantFrom(0, 3),
  txid: fc.bigInt({ min: 2n, max: 2n ** 60n }),
  withDerived: fc.boolean(),
  integers: fc.boolean(),
});

test('any network of any release reads as it was written, whatever the layout of its file', async () => {
  const cases = formerReleases.chain((release) => fc.tuple(fc.constant(release), formerNetworks(release), layouts));
  await fc.assert(
    fc.asyncProperty(cases, async ([release, network, layout]) => {
      // The random entities have the values of the kinds' fields, which no type can say of all kinds at once.
      writeFormerNetwork(path, network as NewFormerEntities, { ...release, ...layout });
      const database = await openFormerDatabase(path);
      try {
        assert.equal(database.schemaVersion, release.schemaVersion);
        for (const kind of FORMER_KINDS) {
          const expected = network[kind] ?? [];
          assert.deepEqual([...database.entities(kind)], expected);
          for (const entity of expected) assert.deepEqual(database.entity(kind, entity.id), entity);
          assert.equal(database.counts().get(kind) ?? 0, expected.length);
        }
        assert.equal(database.entity('identities', 'nobody at all'), undefined);
        assert.equal(database.nameOf('identities', 'nobody at all'), undefined);
        for (const { id, name } of database.entities('identities'))
          assert.equal(database.nameOf('identities', id)?.slice(0, 900), name.slice(0, 900));
        database.assertUnchanged();
      } finally {
        await database.close();
      }
    }),
    { numRuns: Number(process.env['FORMER_RUNS'] ?? 25) },
  );
});
