/** Followers and consumers of the change log are cut off at random: what they were given must be what was done. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Change } from '../../src/index.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { cuttable } from '../support/cuttable.ts';
import { newSharedStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;

type Step =
  | { readonly do: 'write'; readonly by: 0 | 1; readonly name: (typeof NAMES)[number]; readonly what: 'put' | 'delete' }
  | { readonly do: 'read' | 'cut' | 'close' | 'fail' };

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('write'),
        by: fc.constantFrom(0, 1),
        name: fc.constantFrom(...NAMES),
        what: fc.constantFrom('put', 'put', 'delete'),
      }) as fc.Arbitrary<Step>, // of these constants
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('read', 'cut', 'close', 'fail') }) as fc.Arbitrary<Step> },
  ),
  { minLength: 5, maxLength: 30 },
);

/** Creates a service, changes it where there is one, or deletes it. */
const write = async (
  {
    controller: {
      api: { services },
    },
  }: App,
  name: string,
  what: 'put' | 'delete',
): Promise<void> => {
  const [there] = (await services.list({ filter: `name = "${name}"` })).data;
  if (!there) return what === 'delete' ? undefined : void (await services.create({ body: { name, encryptionRequired: true } }));
  if (what === 'delete') await services.delete({ id: there.id });
  else await services.patch({ id: there.id, body: { tags: { again: String(Math.random()) } } });
};

const servicesOf = async ({ rows }: Pick<App, 'rows'>): Promise<ReadonlyMap<string, number>> =>
  new Map((await rows('service')).map(({ id, version }) => [id, version]));

/** A copy of the services that is kept by changes alone. */
const createReplica = () => {
  const services = new Map<string, number>();
  const revisions: number[] = [];
  const take = ({ entity, entityId, action, revision }: Change): void => {
    revisions.push(revision);
    if (entity !== 'service') return;
    if (action === 'delete') services.delete(entityId);
    else services.set(entityId, revision);
  };
  return { services, revisions, take };
};

const openBoth = async (store: string) => {
  const shared = newSharedStorage(store);
  const open = () => openApp(store, { storage: shared.adapter() });
  const apps = [await open(), await open()] as const;
  const end = async () => {
    for (const each of [...apps, shared]) await each[Symbol.asyncDispose]();
  };
  return { apps, [Symbol.asyncDispose]: end };
};

const newest = async ({ controller }: App): Promise<number> => (await controller.api.changes.list()).pagination.totalCount;
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
const runsOn = (store: string): number => (store === 'memory' ? 25 : 6);

onEveryStore('followers of the change log that are cut off at random', (_, store) => {
  const follows = (way: string, run: (apps: readonly [App, App], script: readonly Step[]) => Promise<void>): void => {
    test(`${way}: each change comes once and in order, and a copy is the original`, async () => {
      const property = fc.asyncProperty(steps, async (script) => {
        await using both = await openBoth(store);
        await run(both.apps, script);
      });
      await fc.assert(property, { numRuns: runsOn(store) });
    });
  };

  follows('a loop in process that goes on after the last revision', async ([app, other], script) => {
    const replica = createReplica();
    const loop = () => app.controller.api.changes.follow({ after: replica.revisions.at(-1) ?? 0 })[Symbol.asyncIterator]();
    let items = loop();
    const readOne = async () => replica.take((await items.next()).value as Change); // it goes on
    for (const step of script) {
      if (step.do === 'write') await write([app, other][step.by] ?? app, step.name, step.what);
      else if (step.do === 'read' && (replica.revisions.at(-1) ?? 0) < (await newest(app))) await readOne();
      else if (step.do === 'cut') {
        await items.return?.();
        items = loop();
      }
    }
    const last = await newest(app);
    while ((replica.revisions.at(-1) ?? 0) < last) await readOne();
    await items.return?.();
    assert.deepEqual(replica.revisions, upTo(last));
    assert.deepEqual(replica.services, await servicesOf(app));
  });

  follows('a client over HTTP that connects again', async ([app, other], script) => {
    const replica = createReplica();
    const { client, cut } = cuttable(app);
    const stop = new AbortController();
    const following = (async () => {
      for await (const change of client.changes.follow({ after: 0, signal: stop.signal })) replica.take(change);
    })();
    const over = assert.rejects(following, { name: 'AbortError' });
    for (const step of script) {
      if (step.do === 'write') await write([app, other][step.by] ?? app, step.name, step.what);
      else if (step.do === 'cut') cut();
      else if (step.do === 'read') app.clock.advance('1s');
      await new Promise(setImmediate);
    }
    const last = await newest(app);
    await app.controller.publish();
    await until(() => replica.revisions.length >= last);
    stop.abort();
    await over;
    assert.deepEqual(replica.revisions, upTo(last));
    assert.deepEqual(replica.services, await servicesOf(app));
  });
});

onEveryStore('consumers that fail, are closed and are started elsewhere at random', (_, store) => {
  test('are given each change at least once, none before all those that precede it', async () => {
    const property = fc.asyncProperty(steps, async (script) => {
      await using both = await openBoth(store);
      const { apps } = both;
      const given: number[] = [];
      let failures = 0;
      let at = 0;
      const start = () =>
        apps[at % 2]?.controller.changes.consume(
          'copy',
          async ({ revision }) => {
            given.push(revision);
            await new Promise(setImmediate);
            if (failures > 0) throw new Error(`failure ${failures--}`);
          },
          { at: 'oldest' },
        );
      let consumer = start();
      for (const step of script) {
        if (step.do === 'write') await write(apps[step.by], step.name, step.what);
        else if (step.do === 'fail') failures++;
        else if (step.do === 'close') {
          await consumer?.close();
          at++;
          consumer = start();
        } else for (const { clock } of apps) clock.advance('1s');
      }
      const last = await newest(apps[0]);
      await until(() => {
        for (const { clock } of apps) clock.advance('1s');
        return given.at(-1) === last && failures === 0;
      });
      const fresh = given.filter((revision, i) => revision !== given[i - 1]);
      assert.deepEqual(fresh, upTo(last));
    });
    await fc.assert(property, { numRuns: runsOn(store) });
  });
});
