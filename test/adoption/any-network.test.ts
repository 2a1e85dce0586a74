import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { openFormerDatabase } from '../../adapters/adoption/former-database.ts';
import { AdoptionRefused, type AdoptionReport, LOSSES, type LossName } from '../../src/adoption/index.ts';
import { adoptSeeds } from '../support/adopted.ts';
import { type App, openApp } from '../support/app.ts';
import { type NewFormerEntities, writeFormerNetwork } from '../support/former-network/index.ts';
import { formerNetworks, formerReleases } from '../support/former-network/random.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

const everyLoss = Object.keys(LOSSES) as LossName[]; // the keys of a literal
const RUNS = Number(process.env.ADOPTION_RUNS ?? 8);

/** Any network of any release: references to nothing, texts of any kind, numbers out of bounds. */
const networks = formerReleases.chain((release) => formerNetworks(release).map((entities) => ({ release, entities })));

/** What a check of the data finds. */
const faultsIn = async ({ database }: App['controller']['api']) => {
  await database.checkIntegrity();
  for (;;) {
    const { inProgress, results } = await database.getIntegrityResults();
    if (!inProgress) return results;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};

/** Kinds that can be replaced by what was read of them. */
const REPLACEABLE = [
  ...['configTypes', 'configs', 'services', 'postureChecks', 'edgeRouters', 'identities', 'authPolicies', 'cas'],
  ...['servicePolicies', 'edgeRouterPolicies', 'serviceEdgeRouterPolicies'],
];

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

/** Sends every entity back as it was read. @param limited the ids of those that are told to be beyond the limits */
const sendBack = async (api: App['controller']['api'], limited: ReadonlySet<string>): Promise<void> => {
  for (const kind of REPLACEABLE) {
    const group = api[kind as 'services']; // all have these operations
    for (const shown of (await group.list({ limit: 500 })).data as unknown as readonly Shown[]) {
      if (limited.has(shown.id) || shown.isSystem) continue;
      const body = kind === 'identities' ? { ...shown, type: 'Default' } : shown;
      await group.replace({ id: shown.id, body: body as never }).catch((error: unknown) => assert.fail(`${kind} ${shown.id}: ${error}`));
    }
  }
};

for (const store of stores)
  test(`on ${store}, any former network is adopted without a fault, or refused in a sentence; what is not told to be beyond the limits can be written back`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'former-'));
    try {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(networks, async ({ release, entities }) => {
          const file = join(folder, `${++count}.db`);
          writeFormerNetwork(file, entities as NewFormerEntities, release);
          const former = await openFormerDatabase(file);
          await using shared = newSharedStorage(store);
          let report: AdoptionReport;
          try {
            report = await adoptSeeds({}, { former, storage: shared.adapter(), allow: everyLoss });
          } catch (error) {
            if (error instanceof AdoptionRefused) return;
            throw error;
          } finally {
            await former.close();
          }
          await using app = await openApp(store, { storage: shared.adapter(), settings: { numericTags: true } });
          const { api } = app.controller;
          assert.deepEqual(await faultsIn(api), []);
          for (const list of [api.identities, api.services, api.configs, api.configTypes, api.edgeRouters, api.routers, api.cas])
            await list.list({ limit: 100 });
          for (const list of [
            api.servicePolicies,
            api.edgeRouterPolicies,
            api.serviceEdgeRouterPolicies,
            api.postureChecks,
            api.authPolicies,
          ])
            await list.list({ limit: 100 });
          for (const list of [api.authenticators, api.enrollments, api.terminators, api.externalJwtSigners])
            await list.list({ limit: 100 });
          const limited = report.losses.find(({ name }) => name === 'limits')?.entities ?? [];
          await sendBack(api, new Set(limited.map(({ id }) => id)));
        }),
        { numRuns: RUNS },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
