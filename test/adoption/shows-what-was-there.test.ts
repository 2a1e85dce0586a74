import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { openFormerDatabase } from '../../adopt/reader/former-database.ts';
import { restoreSnapshot } from '../../src/index.ts';
import { adoptSeeds } from '../support/adopted.ts';
import { type App, openApp, SECRET_KEY } from '../support/app.ts';
import { writeFormerNetwork } from '../support/former-network/index.ts';
import { drawNetwork } from '../support/former-valid.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

const RUNS = Number(process.env.ADOPTION_RUNS ?? 10);

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

/** All entities of a kind as the API shows them. */
const listed = async ({ controller: { api } }: App, kind: string): Promise<readonly Shown[]> => {
  const group = api[kind as 'identities']; // one of the groups of CRUD
  const { data } = await group.list({ limit: 500 });
  return data as unknown as readonly Shown[]; // read field by field
};

/** Kinds that can be replaced by what was read of them. */
const REPLACEABLE = [
  'configTypes',
  'configs',
  'services',
  'postureChecks',
  'edgeRouters',
  'servicePolicies',
  'edgeRouterPolicies',
  'serviceEdgeRouterPolicies',
  'terminators',
] as const;

/** Sends every entity back as it was read, which must change nothing but its date. */
const sendBack = async (app: App) => {
  for (const kind of REPLACEABLE) {
    const { replace } = app.controller.api[kind] as unknown as { replace(input: { id: string; body: object }): Promise<unknown> };
    const before = await listed(app, kind);
    for (const shown of before) {
      const body = kind === 'terminators' ? { ...shown, service: shown.serviceId, router: shown.routerId } : shown;
      await replace({ id: shown.id, body });
    }
    const unchanged = (all: readonly Shown[]) => all.map((one) => ({ ...one, updatedAt: '' }));
    assert.deepEqual(unchanged(await listed(app, kind)), unchanged(before), kind);
  }
};

for (const store of stores)
  test(`on ${store}, the API shows every entity of an adopted network as it was, and its snapshot is restored`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'former-'));
    try {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(fc.gen(), fc.constantFrom(38, 40, 41, 43, 44), async (g, schemaVersion) => {
          const { entities, expected } = drawNetwork(g);
          const file = join(folder, `${++count}.db`);
          writeFormerNetwork(file, entities, { schemaVersion, integers: count % 2 === 0 });
          const former = await openFormerDatabase(file);
          await using shared = newSharedStorage(store);
          const report = await adoptSeeds({}, { former, storage: shared.adapter() }).finally(() => former.close());
          assert.deepEqual(report.losses, []);
          await using app = await openApp(store, { storage: shared.adapter(), settings: { showJwksEndpoints: true, numericTags: true } });
          for (const [kind, details] of Object.entries(expected)) {
            const shown = new Map((await listed(app, kind)).map((one) => [one.id, one]));
            for (const [id, detail] of details)
              for (const [field, value] of Object.entries(detail))
                assert.deepEqual(shown.get(id)?.[field], value, `${field} of ${kind} ${id}`);
          }
          await app.controller.api.database.createSnapshot();
          await using other = newSharedStorage('memory');
          await restoreSnapshot({ storage: other.adapter(), snapshot: [...app.snapshots.values()], secretKey: SECRET_KEY });
          await sendBack(app);
          for (const { id, serviceConfigs } of entities.identities ?? []) {
            const pairs = [...(serviceConfigs ?? [])].flatMap(([serviceId, byType]) =>
              [...byType.values()].map((configId) => ({ serviceId, configId })),
            );
            const overrides = (await app.controller.api.identities.listServiceConfigs({ id })).data;
            const ordered = (all: readonly { readonly serviceId: string; readonly configId: string }[]) =>
              all.map((one) => `${one.serviceId} ${one.configId}`).sort();
            assert.deepEqual(ordered(overrides), ordered(pairs));
          }
        }),
        { numRuns: RUNS, endOnFailure: !process.env.ADOPTION_SHRINK },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
