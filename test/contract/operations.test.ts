import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import type { Entry } from '../../src/call/entry.ts';
import { groups } from '../../src/contract/api/index.ts';
import { surfaces } from '../../src/contract/api/surfaces/index.ts';
import { entries } from '../../src/controller/entries.ts';
import { proves } from '../specification.ts';
import { type Answer, type App, onEveryStore, openApp } from '../support/app.ts';
import { callSample, type Operation, type SampleCall } from '../support/calls.ts';
import { interleaved } from '../support/interleaving.ts';
import { policyBody } from '../support/policies.ts';
import { emptyLists, listsOfUnknownParents, nameOf, type Sample, sampleOf } from '../support/samples/index.ts';

interface Refusal {
  /** What holds of it, as a sentence. */
  readonly rule: string;
  readonly proven?: ReturnType<typeof proves>;
  readonly of: (operation: Operation) => boolean;
  /** Calls that are refused, made of one that is not. */
  readonly calls: (app: App, sample: Sample) => Promise<readonly SampleCall[]>;
  /** What each answers, in part. */
  readonly answer: (entry: Entry) => unknown;
}

const VERSIONS = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' };
const unauthorized = (status = 401) => ({ status, body: { error: { code: 'UNAUTHORIZED' } } });

const refusals: readonly Refusal[] = [
  {
    rule: 'without credentials every operation but the open ones is refused',
    proven: proves(303, 304, 436, 448),
    of: ({ permission }) => permission !== 'open',
    calls: async (_, sample) => [null, 'nonsense', '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f'].map((as) => ({ ...sample, as })),
    answer: () => unauthorized(),
  },
  {
    rule: 'operations for administrators are refused to every other session',
    proven: proves(345, 346, 436),
    of: ({ permission, everySession }) => !['open', 'partial', 'session'].includes(permission) && everySession !== 'everywhere',
    calls: async (app, sample) => {
      const as = await (await app.user({ roleAttributes: ['admin'] })).login();
      return [sample, { ...sample, id: 'no-such-id' }].map((each) => ({ ...each, as }));
    },
    answer: ({ operation: { denied } }) => unauthorized(denied),
  },
  {
    rule: 'a session that owes a factor is refused all but the open operations and those about itself',
    of: ({ permission }) => !['open', 'partial'].includes(permission),
    calls: async (app, sample) => {
      const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
      return [{ ...sample, as: await (await app.user({ authPolicyId, isAdmin: true })).login() }];
    },
    answer: () => unauthorized(),
  },
  {
    rule: 'an id that is not there is not found',
    proven: proves(
      304,
      306,
      307,
      335,
      340,
      343,
      344,
      353,
      368,
      369,
      370,
      371,
      376,
      377,
      386,
      387,
      388,
      391,
      392,
      393,
      394,
      395,
      397,
      398,
      399,
      400,
      401,
      402,
      403,
      404,
      405,
      406,
      407,
      408,
      409,
      412,
      413,
      450,
    ),
    of: ({ path }) => path.includes('{'),
    calls: async (_, sample) =>
      ['no-such-id', 'constructor', '__proto__', '%2e%2e', "'", 'x'.repeat(5000)].map((id) => ({ ...sample, id: encodeURIComponent(id) })),
    answer: (entry) =>
      listsOfUnknownParents.has(nameOf(entry))
        ? { status: 200, body: { data: [], meta: { pagination: { totalCount: 0 } } } }
        : { status: 404, body: { error: { code: 'NOT_FOUND' } } },
  },
  {
    rule: 'a body that is missing where one is needed is refused with its name',
    proven: proves(305),
    of: ({ body }) => body !== undefined && body.required !== false,
    calls: async (_, { body, ...sample }) => [sample],
    answer: ({ operation: { body } }) => ({ status: 400, body: { error: { code: 'COULD_NOT_VALIDATE', cause: { field: body?.name } } } }),
  },
  {
    rule: 'on the extensions API a parameter of the query that the operation does not declare is refused by its name',
    of: ({ surfaces }) => surfaces.some(({ name }) => name === 'extensions'),
    calls: async (_, { query, ...sample }) =>
      ['colour=x', 'colour', 'colour=a%3Bb', 'colour=1;colour=2'].map((unknown) => ({
        ...sample,
        query: query === undefined ? unknown : `${query}&${unknown}`,
      })),
    answer: () => ({ status: 400, body: { error: { code: 'COULD_NOT_VALIDATE', cause: { field: 'colour' } } } }),
  },
];

onEveryStore('every operation', (open) => {
  test('operations have names of their own on each API, and each is carried out by something', () => {
    const declared = Object.entries(groups).flatMap(([group, { operations }]) =>
      Object.keys(operations).map((verb) => nameOf({ group, verb })),
    );
    assert.deepEqual(entries.map(nameOf).toSorted(), declared.toSorted());
    for (const surface of Object.values(surfaces)) {
      const names = entries.filter(({ operation }) => operation.surfaces.includes(surface)).map(({ operation }) => operation.operationId);
      assert.equal(new Set(names).size, names.length);
    }
  });

  // A refused call leaves nothing behind, so all refusals of an operation are tried on one network.
  for (const entry of entries) {
    const { operation } = entry;
    const applicable = refusals.filter(({ of }) => of(operation));
    if (applicable.length === 0) continue;
    test(`${nameOf(entry)} refuses`, async (t) => {
      await using app = await open();
      const sample = await sampleOf(app, entry);
      for (const { rule, proven, calls, answer } of applicable)
        await t.test(`${rule}, and leaves nothing behind`, proven, async () => {
          const refused = await calls(app, sample);
          const left = await app.trail(async () => {
            for (const call of refused) assert.partialDeepStrictEqual(await callSample(app, operation, call), answer(entry));
          });
          assert.deepEqual(left, []);
        });
    });
  }

  for (const api of ['management', 'client', 'extensions', 'fabric'] as const) {
    const proven = api === 'management' ? proves(1, 2, 18, 472, 473) : {};
    test(`a success on the ${api} API answers what is declared, and leaves exactly its change records`, proven, async (t) => {
      for (const entry of entries.filter(({ operation }) => operation.surfaces.includes(surfaces[api])))
        await t.test(nameOf(entry), async () => {
          await using app = await open();
          const sample = await sampleOf(app, entry);
          const left = await app.trail(async () => {
            const answer = await callSample(app, entry.operation, sample, api);
            if (sample.refused === undefined) assertDeclared(entry, answer);
            else assert.equal(answer.body.error.code, sample.refused);
          });
          assert.deepEqual(left, sample.leaves ?? []);
          if (entry.operation.method === 'GET') assert.deepEqual(left, []);
        });
    });
  }
});

test(
  'while no more changes may wait for their turn, each is asked to come back later, and changes nothing',
  proves(305, 306, 307, 308, 335, 337, 338, 339, 340, 342, 414, 456),
  async (t) => {
    for (const entry of entries.filter(({ operation: { method, surfaces: of } }) => method !== 'GET' && of.includes(surfaces.management)))
      await t.test(nameOf(entry), async () => {
        const interleaving = interleaved(memoryStorage());
        await using app = await openApp('memory', { storage: interleaving.storage, settings: { maxQueuedWrites: 1 } });
        const sample = await sampleOf(app, entry);
        if (sample.refused !== undefined) return;
        const { promise: turn, resolve: go } = Promise.withResolvers<void>();
        const hold = () => {
          interleaving.beforeWrite(hold);
          return turn;
        };
        void hold();
        const waiting = Array.from({ length: 12 }, (_, i) => app.request('POST', '/config-types', { body: { name: `type ${i}` } }));
        try {
          assert.equal((await Promise.race(waiting)).status, 429, 'the others still wait');
          const left = await app.trail(async () => {
            const { status, headers, body } = await callSample(app, entry.operation, sample);
            assert.deepEqual([status, body.error?.code, headers['retry-after']], [429, 'SERVER_TOO_MANY_REQUESTS', '1']);
          });
          assert.deepEqual(left, []);
        } finally {
          go();
          await Promise.all(waiting);
        }
      });
  },
);

/** The answer holds what the operation says, and nothing beside it: a schema drops what it does not know. */
const assertDeclared = (entry: Entry, { status: actual, headers, text, body }: Answer): void => {
  const { answer, status, query } = entry.operation;
  assert.equal(actual, status ?? (answer.is === 'created' ? 201 : 200), text);
  if ('contentTypes' in answer) {
    assert.ok(answer.contentTypes.includes(headers['content-type'] ?? ''), headers['content-type']);
    assert.ok(text.length > 0);
    return;
  }
  if (answer.is === 'events') {
    assert.equal(headers['content-type'], 'text/event-stream');
    // Changes have a position to continue from; events of the network have none.
    assert.match(text, nameOf(entry) === 'networkEvents.follow' ? /^event: stream\n/ : /^id: \d+\n/);
    return;
  }
  assert.equal(headers['content-type'], 'application/json');
  const isBare = answer.is === 'data' && answer.isBare;
  if (!isBare && entry.operation.surfaces.includes(surfaces.management)) assert.partialDeepStrictEqual(body.meta, VERSIONS);
  if (answer.is === 'page') {
    assert.ok(body.data.length > 0 || emptyLists.has(nameOf(entry)), 'an empty page proves nothing');
    for (const item of body.data) assert.partialDeepStrictEqual(answer.item.parse(item), item);
    for (const count of Object.values(body.meta.pagination)) assert.ok(Number.isInteger(count));
    assert.ok(!query || !('filter' in query.shape) || body.meta.filterableFields.length > 0);
  } else if ('schema' in answer) {
    const output = isBare ? body : body.data;
    assert.partialDeepStrictEqual(answer.schema.parse(output), output);
  }
};
