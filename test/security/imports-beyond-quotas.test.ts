/**
 * A tenant is made of a snapshot that a customer may have written: what has bounds of its own in an open network had none in a snapshot, so
 * that an import filled the disk.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, SnapshotRefused } from '../../src/index.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { snapshotTables } from '../../src/store/storage/snapshot/take.ts';
import { contentOf, type SnapshotContent, type SnapshotRow, snapshotWith } from '../support/snapshots.ts';
import { exported, newTenant, onEveryTenantStore, openTenants } from '../support/tenants.ts';

const TEXT = 'x'.repeat(4000);
const COUNT = 250;

/** Rows that are like one that is there, or like a valid one, with a long text in each: by kind. */
const many: Readonly<Record<string, (content: SnapshotContent, i: number) => SnapshotRow['row']>> = {
  change: ({ rows, head }, i) => {
    const like = rows.filter(({ kind }) => kind === 'change').at(-1)?.row ?? {};
    const revision = Number(head.revision) + 1;
    head.revision = revision;
    return { ...like, id: String(revision).padStart(16, '0'), version: revision, revision, reason: `${i} ${TEXT}` };
  },
  apiSession: ({ rows }, i) => {
    const like = rows.find(({ kind }) => kind === 'apiSession')?.row ?? {};
    return { ...like, id: `session-${i}`, tokenHash: `hash-${i}`, configTypes: [TEXT] };
  },
  revocation: (content, i) => ({
    ...base(content),
    id: `revocation-${i}`,
    tags: { TEXT },
    type: 'JTI',
    expiresAt: '2026-12-01T00:00:00.000Z',
  }),
  controller: (content, i) => ({ ...base(content), id: `controller-${i}`, name: `controller-${i}`, certPem: TEXT }),
  trace: (content, i) => {
    const identityId = content.rows.find(({ kind }) => kind === 'identity')?.row.id;
    return { ...base(content), id: `trace-${i}`, identityId, traceId: TEXT, until: '2026-12-01T00:00:00.000Z' };
  },
};

const base = ({ rows: [first] }: SnapshotContent) => {
  const { version, createdAt, updatedAt } = first?.row ?? {};
  return { version, createdAt, updatedAt, tags: {} };
};

onEveryTenantStore('an import', (newDatabase) => {
  for (const [kind, rowOf] of Object.entries(many))
    test(`with many rows of ${kind} is refused where the quota of bytes is exceeded, and leaves nothing`, async () => {
      await using database = newDatabase();
      await using app = await openTenants(database);
      await newTenant(app.overlays, 'acme');
      const { snapshot, secretKey } = await exported(app.overlays, 'acme');
      const content = contentOf(snapshot);
      for (let i = 0; i < COUNT; i++) content.rows.push({ kind, row: rowOf(content, i) });
      const from = { snapshot: [snapshotWith(content)], secretKey, endCredentials: false };
      const { storageBytes } = await app.overlays.usage('acme');
      const quotas = { storageBytes: 2 * snapshot.length };
      assert.ok(storageBytes < quotas.storageBytes && quotas.storageBytes < COUNT * TEXT.length);

      await assert.rejects(app.overlays.create({ name: 'bravo', from, quotas }), (error: unknown) => {
        assert.ok(error instanceof ApiError && error.code === 'QUOTA_EXCEEDED', String(error));
        assert.match(error.message, new RegExp(`${quotas.storageBytes} bytes`));
        return true;
      });
      assert.equal(await app.overlays.find('bravo'), undefined);
      // The same snapshot is taken where there is room for it, and what has bounds of its own is no part of the usage.
      await app.overlays.create({ name: 'bravo', from });
      assert.equal((await app.overlays.usage('bravo')).storageBytes, storageBytes);
    });

  test('of what a tenant exported is taken under a quota that holds all of it', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    await newTenant(app.overlays, 'acme');
    const { snapshot, secretKey } = await exported(app.overlays, 'acme');
    await app.overlays.create({ name: 'bravo', from: { snapshot: [snapshot], secretKey }, quotas: { storageBytes: snapshot.length } });
  });

  test('with a row of a kind that no snapshot holds is refused by its line', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    await newTenant(app.overlays, 'acme');
    const { snapshot, secretKey } = await exported(app.overlays, 'acme');
    const others = storageSchema.map(({ kind }) => kind).filter((kind) => !snapshotTables.includes(kind));
    assert.ok(others.includes('tenant'));
    for (const kind of [...others, 'edgeRouter', 'publicExternalJwtSigner', 'spaceship', 'constructor']) {
      const content = contentOf(snapshot);
      content.rows.splice(2, 0, { kind, row: { ...base(content), id: 'self', quotas: {}, bytes: 0 } });
      await assert.rejects(
        app.overlays.create({ name: 'bravo', from: { snapshot: [snapshotWith(content)], secretKey } }),
        (error: unknown) => {
          assert.ok(error instanceof SnapshotRefused, String(error));
          assert.match(error.message, new RegExp(`line 4: .*${kind}`));
          return true;
        },
      );
    }
    assert.equal((await app.overlays.list()).length, 1);
  });
});
