import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import type { Hooks } from '../../src/call/pipeline/hooks.ts';
import type { HostRule } from '../../src/call/pipeline/host-rule.ts';
import { versionOf } from '../../src/contract/api/kit/entity-version.ts';
import { previewing } from '../../src/contract/previewing.ts';
import type { Api } from '../../src/contract/types/api.ts';
import { openOverlays } from '../../src/controller/tenants/index.ts';
import { type App, openApp, SECRET_KEY } from '../support/app.ts';
import { type HostedStorage, stores } from '../support/stores.ts';

/** Long enough for a write that waits for nothing. ms */
const lockTimeout = 300;

const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
after(() => rmSync(folder, { recursive: true }));

const sqlite = (file: string): HostedStorage => {
  const storage = sqliteStorage({ file, lockTimeout, synchronous: 'NORMAL' });
  return { storage, transaction: (work) => storage.db.transaction().execute(work) };
};

const hosted: Readonly<Record<string, () => HostedStorage>> = {
  memory: () => {
    const storage = memoryStorage({ lockTimeout });
    return {
      storage,
      transaction: async (work) => {
        const host = await storage.database.begin();
        try {
          const result = await work(host);
          host.commit();
          return result;
        } catch (error) {
          host.rollback();
          throw error;
        }
      },
    };
  },
  file: () => sqlite(join(folder, `${randomUUID()}.db`)),
  ':memory:': () => sqlite(':memory:'),
};

interface Target {
  readonly api: Api;
  readonly id: string;
  /** A revision of the identity with another name. */
  readonly revision: number;
  transaction: HostedStorage['transaction'];
}

const BY = { actor: 'sso:ann' } as const;
const document = { identities: [{ name: 'target', type: 'User', isAdmin: false, roleAttributes: ['declared'] }] } as const;

const calls: Readonly<Record<string, (target: Target) => Promise<unknown>>> = {
  patch: ({ api, id }) => api.identities.patch({ id, body: { externalId: 'new' } }, BY),
  'role attributes': ({ api, id }) => api.identities.addRoleAttributes({ id, body: { roleAttributes: ['a'] } }, BY),
  upsert: ({ api }) => api.services.upsert({ body: { name: 'wiki', encryptionRequired: true } }, BY),
  revert: ({ api, id, revision }) => api.history.revert({ kind: 'identity', id, body: { revision } }, BY),
  apply: ({ api }) => api.state.apply({ body: { document } }, BY),
  batch: ({ api, id }) =>
    api.batch.run(
      {
        body: {
          operations: [
            { operation: 'services.create', input: { body: { name: 'a', encryptionRequired: true } } },
            { operation: 'services.patch', input: { id: '$1.id', body: { roleAttributes: ['b'] } } },
            { operation: 'services.patch', input: { id: '$1.id', body: { roleAttributes: ['c'] } } },
            { operation: 'identities.patch', input: { id, body: { externalId: 'new' } } },
          ],
        },
      },
      BY,
    ),
  preview: ({ api, id }) => previewing(api).identities.patch({ id, body: { externalId: 'new' } }, BY),
  'preview of a batch': ({ api, id }) =>
    previewing(api).batch.run(
      { body: { operations: [{ operation: 'identities.patch', input: { id, body: { externalId: 'new' } } }] } },
      BY,
    ),
  key: ({ api, id }) => api.identities.addRoleAttributes({ id, body: { roleAttributes: ['a'] } }, { ...BY, idempotencyKey: 'once' }),
  'most lost': ({ api, id }) => api.identities.patch({ id, body: { externalId: 'new' } }, { ...BY, maxLost: 0 }),
  transaction: ({ api, id, transaction }) =>
    transaction(async (host) => {
      await api.identities.patch({ id, body: { externalId: 'new' } }, { ...BY, transaction: host });
    }),
  'batch in a transaction': ({ api, id, transaction }) =>
    transaction(async (host) => {
      const operations = [{ operation: 'identities.patch', input: { id, body: { externalId: 'new' } } }];
      await api.batch.run({ body: { operations } }, { ...BY, transaction: host });
    }),
};

type Work = (app: App, id: string) => Promise<unknown>;

/** Writes an entity of its own, and once the target of the call. */
const writes = (): Work => {
  let isFirst = true;
  return async ({ controller: { api } }, id) => {
    await api.services.create({ body: { name: `log-${randomUUID()}`, encryptionRequired: true } });
    if (isFirst) await api.identities.patch({ id, body: { tags: { seen: true } } });
    isFirst = false;
  };
};
const reads =
  (): Work =>
  async ({ controller: { api } }) => {
    await api.services.list();
  };

type Code = (run: () => Promise<unknown>) => { readonly authorize?: HostRule; readonly hooks?: Hooks };

const rule: Code = (run) => ({
  authorize: async ({ actor, about }) => {
    if (actor.name === BY.actor && about === 'call') await run();
    return undefined;
  },
});
const before: Code = (run) => ({
  hooks: {
    before: async (_operation, _input, { actor }) => {
      if (actor.name === BY.actor) await run();
    },
  },
});
const inTransaction: Code = (run) => ({
  hooks: {
    inTransaction: async ({ actor }) => {
      if (actor === BY.actor) await run();
    },
  },
});
const afterCommit: Code = (run) => ({
  hooks: {
    afterCommit: async ({ actor }) => {
      if (actor === BY.actor) await run();
    },
  },
});

interface Case {
  readonly code: Code;
  readonly work: () => Work;
  /** The code with which a call is refused; undefined if it succeeds. */
  refusal(call: string, store: string): string | undefined;
}

const isJoined = (call: string) => call.includes('transaction');
const isTried = (call: string) => call.includes('preview');
/** On one connection, a reader waits for the writer. */
const waitsToRead = (store: string) => store === ':memory:';

const cases: Readonly<Record<string, Case>> = {
  'rule that writes': { code: rule, work: writes, refusal: (call) => (isJoined(call) ? 'CONFLICT' : undefined) },
  'rule that reads': { code: rule, work: reads, refusal: (call, store) => (isJoined(call) && waitsToRead(store) ? 'CONFLICT' : undefined) },
  'hook before that writes': { code: before, work: writes, refusal: (call) => (isJoined(call) ? 'CONFLICT' : undefined) },
  'hook before that reads': {
    code: before,
    work: reads,
    refusal: (call, store) => (isJoined(call) && waitsToRead(store) ? 'CONFLICT' : undefined),
  },
  'hook inTransaction that writes elsewhere': {
    code: inTransaction,
    work: writes,
    refusal: (call) => (isTried(call) ? undefined : 'SERVER_UNAVAILABLE'),
  },
  'hook inTransaction that reads elsewhere': {
    code: inTransaction,
    work: reads,
    refusal: (call, store) => (!isTried(call) && waitsToRead(store) ? 'SERVER_UNAVAILABLE' : undefined),
  },
  'hook afterCommit that writes': { code: afterCommit, work: writes, refusal: () => undefined },
};

const tested = Object.entries(hosted).filter(([store]) => stores.includes(store === 'memory' ? store : 'sqlite'));

for (const [store, make] of tested)
  describe(`host code that uses the controller, on ${store}`, () => {
    for (const [name, { code, work, refusal }] of Object.entries(cases))
      test(`a ${name} blocks nothing`, async () => {
        for (const [call, perform] of Object.entries(calls)) {
          const { storage, transaction } = make();
          let run = (): Promise<unknown> => Promise.resolve();
          await using app = await openApp(store, { storage, ...code(() => run()) });
          const { api } = app.controller;
          const { id } = await api.identities.create({ body: { name: 'former', type: 'User', isAdmin: false } });
          const revision = versionOf(await api.identities.get({ id })) ?? 0;
          await api.identities.patch({ id, body: { name: 'target' } });
          const doing = work();
          run = () => doing(app, id);
          const expected = refusal(call, store);
          const outcome = await perform({ api, id, revision, transaction }).then(
            () => undefined,
            (error) => error,
          );
          assert.equal(outcome?.code, expected, `${call}: ${outcome?.stack}`);
          if (expected === 'CONFLICT') assert.match(outcome.message, /code of the host .* transaction/);
          run = () => Promise.resolve();
          await api.services.create({ body: { name: 'after', encryptionRequired: true } }, BY);
        }
      });
  });

for (const [store, make] of tested) {
  test(`on ${store}, a write beside an open transaction of the host is refused in time, and blocks nothing`, async () => {
    const { storage, transaction } = make();
    await using app = await openApp(store, { storage });
    const { services } = app.controller.api;
    const body = { name: 'wiki', encryptionRequired: true };
    await assert.rejects(
      transaction(async () => void (await services.create({ body }))),
      { code: 'SERVER_UNAVAILABLE' },
    );
    await services.create({ body });
  });

  test(`on ${store}, a rule is asked once if the store is busy when its answers are used`, async () => {
    const { storage, transaction } = make();
    let end = (): void => undefined;
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    const judged: string[] = [];
    let held: Promise<unknown> | undefined;
    await using app = await openApp(store, {
      storage,
      authorize: async ({ actor, about, operation }) => {
        if (actor.name !== BY.actor || about !== 'call' || operation === 'batch.run') return undefined;
        judged.push(operation);
        await new Promise<void>((resolve) => {
          if (held) return resolve();
          held = transaction(async () => {
            resolve();
            await isOver;
          });
        });
        return undefined;
      },
    });
    const operations = [{ operation: 'services.create', input: { body: { name: 'wiki', encryptionRequired: true } } }];
    await assert.rejects(app.controller.api.batch.run({ body: { operations } }, BY), { code: 'SERVER_UNAVAILABLE' });
    assert.deepEqual(judged, ['services.create']);
    end();
    await held;
  });
}

test('a tenant that is not open cannot be used beside an open transaction of the host, and blocks nothing', async () => {
  const storage = sqliteStorage({ file: join(folder, 'tenants.db'), lockTimeout });
  const settings = { address: 'https://example.com' };
  const options = { storage: (namespace: string) => storage.within(namespace), secretKey: SECRET_KEY, settings };
  const created = await openOverlays(options);
  await created.create({ name: 'acme' });
  await created.close();
  const overlays = await openOverlays(options);
  const use = () => overlays.use('acme', async ({ api }) => (await api.identities.list()).data.length);
  await assert.rejects(storage.db.transaction().execute(use), /has held the database/);
  assert.equal(await use(), 1);
  await overlays.close();
});
