import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hooks } from '../../src/call/pipeline/hooks.ts';
import { ApiError } from '../../src/contract/errors/index.ts';
import { entries } from '../../src/controller/entries.ts';
import { openApp } from '../support/app.ts';
import { callSample } from '../support/calls.ts';
import { nameOf, sampleOf } from '../support/samples/index.ts';

const changes = entries.filter(({ operation }) => operation.method !== 'GET');
/** A call that succeeds without further headers. */
const samplesFor = async (app: Awaited<ReturnType<typeof openApp>>, entry: (typeof entries)[number]) => {
  const sample = await sampleOf(app, entry);
  return (headers: Readonly<Record<string, string>>) => callSample(app, entry.operation, { ...sample, headers });
};

/** A version that no entity has. */
const NEVER = 999_999_999;

describe('a condition of a change', () => {
  test('is checked by every operation that takes it, and refused by every other one', async (t) => {
    for (const entry of changes)
      await t.test(nameOf(entry), async () => {
        await using app = await openApp('memory');
        const call = await samplesFor(app, entry);
        const expected = entry.operation.isConditional ? [412] : [400];
        const left = await app.trail(async () => {
          const { status, text } = await call({ 'if-match': `"${NEVER}"` });
          assert.deepEqual([status], expected, text);
          const refused = await call({ 'if-none-match': '*' });
          assert.equal(refused.status, 400, refused.text);
          if (expected[0] === 400) assert.equal((await call({ 'if-match': '*' })).status, 400);
        });
        assert.deepEqual(left, []);
      });
  });

  test('is checked or refused for every operation of a batch', async (t) => {
    for (const entry of changes) {
      const { operation } = entry;
      if (operation.standalone !== undefined || operation.isBatch || !operation.permission.includes('.')) continue;
      await t.test(nameOf(entry), async () => {
        await using app = await openApp('memory');
        const { id, other, body } = await sampleOf(app, entry);
        const [first = '', second = ''] = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        const input = { ...(first && { [first]: id }), ...(second && { [second]: other }), ...(body === undefined ? {} : { body }) };
        const part = { operation: nameOf(entry), input, ifVersion: NEVER };
        const expected = operation.isConditional ? 'PRECONDITION_FAILED' : 'COULD_NOT_VALIDATE';
        const left = await app.trail(() =>
          assert.rejects(app.controller.api.batch.run({ body: { operations: [part] } }), (error) => {
            assert.ok(error instanceof ApiError, String(error));
            assert.equal(error.code, expected, error.message);
            if (!operation.isConditional) assert.match(error.message, /does not accept ifVersion/);
            return true;
          }),
        );
        assert.deepEqual(left, []);
      });
    }
  });

  test('is about the entity that is written, also if a hook has replaced the id', async () => {
    let other = '';
    const hooks: Hooks = {
      before: (operation, input, _call) => (operation === 'identities.patch' ? { ...input, id: other } : undefined),
    };
    await using app = await openApp('memory', { hooks });
    const [ann, bob] = [await app.user(), await app.user()];
    other = bob.id;
    const { headers } = await app.request('GET', `/identities/${ann.id}`);
    const body = { externalId: 'new' };
    const { status } = await app.request('PATCH', `/identities/${ann.id}`, { body, headers: { 'if-match': headers['etag'] ?? '' } });
    assert.equal(status, 412);
    const operations = [
      { operation: 'identities.patch', input: { id: ann.id, body }, ifVersion: Number(/\d+/.exec(headers['etag'] ?? '')?.[0]) },
    ];
    await assert.rejects(app.controller.api.batch.run({ body: { operations } }), { code: 'PRECONDITION_FAILED' });
    for (const { id } of [ann, bob]) assert.equal((await app.controller.api.identities.get({ id })).externalId, null);
  });
});
