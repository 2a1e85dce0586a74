import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { AdoptionRefused, LOSSES, type LossName } from '../../adopt/conversion/index.ts';
import { openFormerDatabase } from '../../adopt/reader/former-database.ts';
import type { StorageAdapter } from '../../src/store/storage/port.ts';
import { adoptSeeds } from '../support/adopted.ts';
import { type App, openApp } from '../support/app.ts';
import type { FormerRelease } from '../support/former-network/entity-writer.ts';
import { type NewFormerEntities, writeFormerNetwork } from '../support/former-network/index.ts';
import { formerNetworks, formerReleases } from '../support/former-network/random.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

const everyLoss = Object.keys(LOSSES) as LossName[]; // the keys of a literal
const RUNS = Number(process.env.ADOPTION_RUNS ?? 8);

type Entities = NewFormerEntities;

/** Any network of any release: references to nothing or to what is left out, texts of any kind, numbers out of bounds. */
const networks = formerReleases.chain((release) =>
  formerNetworks(release).map((entities) => ({ release, entities: entities as Entities })),
);

/** Fields that the former controller, too, keeps unique within a kind. All routers are of one kind. */
const UNIQUE = ['name', 'externalId', 'issuer', 'kid'] as const;
const uniqueFields = (kind: string): readonly string[] => (kind === 'mfas' ? ['identity'] : UNIQUE);

/** The same network as a former controller can have kept it: no name twice, and no id that an address cannot contain. */
const possible = (entities: Entities): Entities => {
  const seen = new Set<string>();
  const once = (kind: string, field: string, kept: unknown): unknown => {
    // All signers have an issuer: of one without, it is the empty text.
    const value = field === 'issuer' ? (kept ?? '') : kept;
    if (typeof value !== 'string') return value;
    const own = seen.has(`${kind} ${field} ${value}`) ? `${value} ${seen.size}` : value;
    seen.add(`${kind} ${field} ${own}`);
    return own;
  };
  const possibleOne = (kind: string, entity: Readonly<Record<string, unknown>>) => ({
    ...entity,
    id: /^\.\.?$/.test(String(entity['id'])) ? `id${entity['id']}` : entity['id'],
    ...Object.fromEntries(uniqueFields(kind).flatMap((field) => (field in entity ? [[field, once(kind, field, entity[field])]] : []))),
  });
  return Object.fromEntries(
    Object.entries(entities).map(([kind, all]) => [
      kind,
      [...all].map((entity) => possibleOne(kind.replace('edgeRouters', 'routers'), entity as Readonly<Record<string, unknown>>)),
    ]),
  ) as Entities;
};

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

/** Writes the database of a former controller, and adopts it with all losses. */
const adopted = async (file: string, { release, entities }: { release: FormerRelease; entities: Entities }, storage: StorageAdapter) => {
  writeFormerNetwork(file, entities, release);
  const former = await openFormerDatabase(file);
  return adoptSeeds({}, { former, storage, allow: everyLoss }).finally(() => former.close());
};

/** The only reasons for which a network is refused if no loss is. */
const REFUSALS = [
  /^the \w+ [^ ]+ \(.*\) cannot be stored: (name|externalId|issuer|kid|identityId) must be unique$/s,
  /^\w+ ".*" has the id "\.\.?", which no request can name$/s,
];

for (const store of stores)
  describe(`on ${store}, any former network`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'former-'));
    after(() => rmSync(folder, { recursive: true }));
    let count = 0;
    const newFile = () => join(folder, `${++count}.db`);

    test('that can have been is adopted without a fault; what is not reported as beyond the limits can be written back', () =>
      fc.assert(
        fc.asyncProperty(networks, async ({ release, entities }) => {
          await using shared = newSharedStorage(store);
          const report = await adopted(newFile(), { release, entities: possible(entities) }, shared.adapter());
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
      ));

    test('with a name twice or an id that no address can contain is refused for this, and for nothing else', () =>
      fc.assert(
        fc.asyncProperty(networks, async ({ release, entities }) => {
          await using shared = newSharedStorage(store);
          const error = await adopted(newFile(), { release, entities }, shared.adapter()).then(
            () => undefined,
            (refusal: unknown) => refusal,
          );
          if (error === undefined) return;
          assert.ok(error instanceof AdoptionRefused, String(error));
          for (const reason of error.reasons)
            assert.ok(
              REFUSALS.some((form) => form.test(reason)),
              reason,
            );
          assert.notDeepEqual(possible(entities), entities, 'without either, it is adopted');
        }),
        { numRuns: RUNS },
      ));
  });
