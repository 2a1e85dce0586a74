import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groups } from '../../src/api/index.ts';
import { entries } from '../../src/domain/entries.ts';
import { type Answer, type App, onEveryStore } from '../support/app.ts';
import { callSample, type Operation } from '../support/calls.ts';
import { policyBody } from '../support/policies.ts';
import { emptyLists, listsOfUnknownParents, nameOf, type Sample, samples } from '../support/samples.ts';

const operations: readonly Operation[] = entries.map(({ operation }) => operation);
const isForAdministrators = ({ permission }: Operation) => !['open', 'partial', 'session'].includes(permission);

const sampleOf = async (app: App, operation: Operation): Promise<Sample> => {
  const sample = samples[nameOf(operation)];
  assert.ok(sample, `test/support/samples.ts has no line for ${nameOf(operation)}`);
  return sample(app);
};

onEveryStore('every operation', (open) => {
  /** A subtest for each of some operations, each with a controller of its own. */
  const each = (name: string, of: (operation: Operation) => boolean, prove: (app: App, operation: Operation) => Promise<void>) =>
    test(name, async (t) => {
      for (const operation of operations.filter(of)) {
        await t.test(nameOf(operation), async () => {
          await using app = await open();
          await prove(app, operation);
        });
      }
    });

  test('operations have names of their own, and each is carried out by something', () => {
    const declared = Object.values(groups).flatMap(({ operations: declared }) =>
      Object.values(declared as Readonly<Record<string, Operation>>),
    );
    const names = declared.map(nameOf);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(operations.map(nameOf).toSorted(), names.toSorted());
    assert.deepEqual(Object.keys(samples).toSorted(), names.toSorted());
  });

  each(
    'without credentials every operation but the open ones is refused',
    ({ permission }) => permission !== 'open',
    async (app, operation) => {
      const sample = await sampleOf(app, operation);
      const left = await app.trail(async () => {
        for (const as of [null, 'nonsense', '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f']) {
          const { status, body } = await callSample(app, operation, { ...sample, as });
          assert.deepEqual([status, body.error.code], [401, 'UNAUTHORIZED']);
        }
      });
      assert.deepEqual(left, []);
    },
  );

  each('operations for administrators are refused to every other session', isForAdministrators, async (app, operation) => {
    const sample = await sampleOf(app, operation);
    const as = await (await app.user({ roleAttributes: ['admin'] })).login();
    const left = await app.trail(async () => {
      for (const id of [sample.id, 'no-such-id']) {
        const { status, body } = await callSample(app, operation, { ...sample, ...(id === undefined ? {} : { id }), as });
        assert.deepEqual([status, body.error.code], [operation.denied ?? 401, 'UNAUTHORIZED']);
      }
    });
    assert.deepEqual(left, []);
  });

  each(
    'a session that owes a factor is refused all but the open operations and those about itself',
    ({ permission }) => !['open', 'partial'].includes(permission),
    async (app, operation) => {
      const sample = await sampleOf(app, operation);
      const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
      const as = await (await app.user({ authPolicyId, isAdmin: true })).login();
      const left = await app.trail(async () => {
        const { status, body } = await callSample(app, operation, { ...sample, as });
        assert.deepEqual([status, body.error.code], [401, 'UNAUTHORIZED']);
      });
      assert.deepEqual(left, []);
    },
  );

  each(
    'an id that is not there is not found, and nothing is written',
    ({ path }) => path.includes('{'),
    async (app, operation) => {
      const sample = await sampleOf(app, operation);
      const left = await app.trail(async () => {
        for (const id of ['no-such-id', 'constructor', '__proto__', '%2e%2e', "'", 'x'.repeat(5000)]) {
          const { status, body } = await callSample(app, operation, { ...sample, id: encodeURIComponent(id) });
          if (listsOfUnknownParents.includes(nameOf(operation))) assert.deepEqual([status, body.data], [200, []]);
          else assert.deepEqual([status, body.error.code], [404, 'NOT_FOUND'], id);
        }
      });
      assert.deepEqual(left, []);
    },
  );

  for (const api of ['management', 'client', 'extensions'] as const) {
    each(
      `a success on the ${api} API answers what is declared`,
      ({ apis }) => apis.includes(api),
      async (app, operation) => {
        const sample = await sampleOf(app, operation);
        const answer = await callSample(app, operation, sample, api);
        if (sample.refused === undefined) assertDeclared(operation, answer);
        else assert.equal(answer.body.error.code, sample.refused);
      },
    );
  }

  each(
    'a success leaves exactly its change records',
    () => true,
    async (app, operation) => {
      const sample = await sampleOf(app, operation);
      const left = await app.trail(() => callSample(app, operation, sample));
      assert.deepEqual(left, sample.leaves ?? []);
      if (operation.method === 'GET') assert.deepEqual(left, []);
    },
  );

  each(
    'a body that is missing where one is needed is refused with its name',
    ({ body }) => body !== undefined && body.required !== false,
    async (app, operation) => {
      const { body: _, ...sample } = await sampleOf(app, operation);
      const left = await app.trail(async () => {
        const { status, body } = await callSample(app, operation, sample);
        assert.deepEqual([status, body.error.code, body.error.cause.field], [400, 'COULD_NOT_VALIDATE', operation.body?.name]);
      });
      assert.deepEqual(left, []);
    },
  );
});

/** The answer holds what the operation says, and nothing beside it: a schema drops what it does not know. */
const assertDeclared = ({ operationId, answer, status, query }: Operation, { status: actual, headers, text, body }: Answer): void => {
  assert.equal(actual, status ?? (answer.is === 'created' ? 201 : 200), text);
  if (answer.is === 'raw') {
    assert.ok(answer.contentTypes.includes(headers['content-type'] ?? ''), headers['content-type']);
    assert.ok(text.length > 0);
    return;
  }
  assert.equal(headers['content-type'], 'application/json');
  if (answer.is === 'page') {
    assert.ok(body.data.length > 0 || emptyLists.includes(operationId), 'an empty page proves nothing');
    for (const item of body.data) assert.partialDeepStrictEqual(answer.item.parse(item), item);
    for (const count of Object.values(body.meta.pagination)) assert.ok(Number.isInteger(count));
    assert.ok(query === undefined || body.meta.filterableFields.length > 0);
  } else assert.partialDeepStrictEqual(answer.schema.parse(body.data), body.data);
};
