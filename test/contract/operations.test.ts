import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groups } from '../../src/api/index.ts';
import { surfaces } from '../../src/api/surfaces/index.ts';
import { entries } from '../../src/domain/entries.ts';
import { type Answer, type App, onEveryStore } from '../support/app.ts';
import { callSample, type Operation, type SampleCall } from '../support/calls.ts';
import { policyBody } from '../support/policies.ts';
import { emptyLists, listsOfUnknownParents, nameOf, type Sample, samples } from '../support/samples.ts';

const operations: readonly Operation[] = entries.map(({ operation }) => operation);

const sampleOf = async (app: App, operation: Operation): Promise<Sample> => {
  const sample = samples[nameOf(operation)];
  assert.ok(sample, `test/support/samples.ts has no line for ${nameOf(operation)}`);
  return sample(app);
};

interface Refusal {
  /** What holds of it, as a sentence. */
  readonly rule: string;
  readonly of: (operation: Operation) => boolean;
  /** Calls that are refused, made of one that is not. */
  readonly calls: (app: App, sample: Sample) => Promise<readonly SampleCall[]>;
  /** What each answers, in part. */
  readonly answer: (operation: Operation) => unknown;
}

const unauthorized = (status = 401) => ({ status, body: { error: { code: 'UNAUTHORIZED' } } });

const refusals: readonly Refusal[] = [
  {
    rule: 'without credentials every operation but the open ones is refused',
    of: ({ permission }) => permission !== 'open',
    calls: async (_, sample) => [null, 'nonsense', '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f'].map((as) => ({ ...sample, as })),
    answer: () => unauthorized(),
  },
  {
    rule: 'operations for administrators are refused to every other session',
    of: ({ permission }) => !['open', 'partial', 'session'].includes(permission),
    calls: async (app, sample) => {
      const as = await (await app.user({ roleAttributes: ['admin'] })).login();
      return [sample, { ...sample, id: 'no-such-id' }].map((each) => ({ ...each, as }));
    },
    answer: ({ denied }) => unauthorized(denied),
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
    rule: 'an id that is not there is not found, and nothing is written',
    of: ({ path }) => path.includes('{'),
    calls: async (_, sample) =>
      ['no-such-id', 'constructor', '__proto__', '%2e%2e', "'", 'x'.repeat(5000)].map((id) => ({ ...sample, id: encodeURIComponent(id) })),
    answer: (operation) =>
      listsOfUnknownParents.includes(nameOf(operation))
        ? { status: 200, body: { data: [], meta: { pagination: { totalCount: 0 } } } }
        : { status: 404, body: { error: { code: 'NOT_FOUND' } } },
  },
  {
    rule: 'a body that is missing where one is needed is refused with its name',
    of: ({ body }) => body !== undefined && body.required !== false,
    calls: async (_, { body, ...sample }) => [sample],
    answer: ({ body }) => ({ status: 400, body: { error: { code: 'COULD_NOT_VALIDATE', cause: { field: body?.name } } } }),
  },
];

onEveryStore('every operation', (open) => {
  test('operations have names of their own, and each is carried out by something', () => {
    const declared = Object.values(groups).flatMap(({ operations: declared }) =>
      Object.values(declared as Readonly<Record<string, Operation>>),
    );
    const names = declared.map(nameOf);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(operations.map(nameOf).toSorted(), names.toSorted());
    assert.deepEqual(Object.keys(samples).toSorted(), names.toSorted());
  });

  test('what is refused leaves nothing behind', async (t) => {
    for (const operation of operations)
      await t.test(nameOf(operation), async (t) => {
        await using app = await open();
        const sample = await sampleOf(app, operation);
        for (const { rule, calls, answer } of refusals.filter(({ of }) => of(operation)))
          await t.test(rule, async () => {
            const refused = await calls(app, sample);
            const left = await app.trail(async () => {
              for (const call of refused) assert.partialDeepStrictEqual(await callSample(app, operation, call), answer(operation));
            });
            assert.deepEqual(left, []);
          });
      });
  });

  for (const api of ['management', 'client', 'extensions'] as const) {
    test(`a success on the ${api} API answers what is declared, and leaves exactly its change records`, async (t) => {
      for (const operation of operations.filter((operation) => operation.surfaces.includes(surfaces[api])))
        await t.test(nameOf(operation), async () => {
          await using app = await open();
          const sample = await sampleOf(app, operation);
          const left = await app.trail(async () => {
            const answer = await callSample(app, operation, sample, api);
            if (sample.refused === undefined) assertDeclared(operation, answer);
            else assert.equal(answer.body.error.code, sample.refused);
          });
          assert.deepEqual(left, sample.leaves ?? []);
          if (operation.method === 'GET') assert.deepEqual(left, []);
        });
    });
  }
});

/** The answer holds what the operation says, and nothing beside it: a schema drops what it does not know. */
const assertDeclared = ({ operationId, answer, status, query }: Operation, { status: actual, headers, text, body }: Answer): void => {
  assert.equal(actual, status ?? (answer.is === 'created' ? 201 : 200), text);
  if ('contentTypes' in answer) {
    assert.ok(answer.contentTypes.includes(headers['content-type'] ?? ''), headers['content-type']);
    assert.ok(text.length > 0);
    return;
  }
  if (answer.is === 'events') {
    assert.equal(headers['content-type'], 'text/event-stream');
    assert.match(text, /^id: \d+\n/);
    return;
  }
  assert.equal(headers['content-type'], 'application/json');
  if (answer.is === 'page') {
    assert.ok(body.data.length > 0 || emptyLists.includes(operationId), 'an empty page proves nothing');
    for (const item of body.data) assert.partialDeepStrictEqual(answer.item.parse(item), item);
    for (const count of Object.values(body.meta.pagination)) assert.ok(Number.isInteger(count));
    assert.ok(!query || !('filter' in query.shape) || body.meta.filterableFields.length > 0);
  } else if ('schema' in answer) assert.partialDeepStrictEqual(answer.schema.parse(body.data), body.data);
};
