import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { surfaces } from '../../src/api/surfaces/index.ts';
import type { Entry } from '../../src/call/call.ts';
import { entries } from '../../src/domain/entries.ts';
import { type App, openApp } from '../support/app.ts';
import { type Meter, openMeter } from '../support/cost.ts';
import { documents, type HeavyBody, heavyBodies, MEBIBYTE } from '../support/heavy-bodies.ts';
import { heavyQueries } from '../support/heavy-queries.ts';
import { nameOf, sampleOf } from '../support/samples/index.ts';
import { withUniqueNames } from '../support/unique-names.ts';

const MOST_STEPS = 200_000;
const MOST_BYTES = 50 * MEBIBYTE;

/** Cost and memory of a request, once they are within the limits, or the least of a few: what else the process has to do is not the request's. */
const costOf = async (meter: Meter, work: () => Promise<unknown>): Promise<{ readonly cost: number; readonly bytes: number }> => {
  let [cost, bytes] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < 8 && ((cost > meter.most && i < meter.tries) || bytes > MOST_BYTES); i++) {
    const measured = await meter.of(async () => {
      const memory = process.memoryUsage();
      await work();
      const after = process.memoryUsage();
      bytes = Math.min(bytes, Math.max(0, after.heapUsed + after.external - memory.heapUsed - memory.external));
    });
    cost = Math.min(cost, measured);
  }
  return { cost, bytes };
};

/** Documents that cost most of those that are within the limits, and of those that are not. */
const DEAREST = ['as many keys as may be', 'as many values as may be', 'many keys'];

/** Something heavy in a request: it takes the place of the sample's body, or of its query. */
type Heavy = { readonly shape: string } & ({ readonly body: () => string } | { readonly query: () => string });

const heavyBody = ({ shape, text }: HeavyBody): Heavy => ({ shape, body: text });

const assertCheap = async (app: App, entry: Entry, requests: readonly Heavy[]) => {
  const { operation } = entry;
  if (requests.length === 0) return;
  await using meter = await openMeter(MOST_STEPS);
  const sample = await sampleOf(withUniqueNames(app), entry);
  const { id = 'x', other = 'x', as = app.admin, certificates } = sample;
  const path = `${(operation.surfaces[0] ?? surfaces.management).prefix}${operation.path.replace(/\{\w+\}/, id).replace(/\{\w+\}/, other)}`;
  const headers: Readonly<Record<string, string>> = {
    'content-type': operation.body?.media?.at(-1) === 'text/plain' ? 'text/plain' : 'application/json',
    ...(operation.permission === 'open' ? {} : { 'zt-session': as }),
  };
  for (const heavy of requests) {
    const query = 'query' in heavy ? heavy.query() : sample.query;
    const body = 'body' in heavy ? heavy.body() : sample.body;
    const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
    const { cost, bytes: memory } = await costOf(meter, async () => {
      const { status } = await app.controller.handle({
        method: operation.method,
        target: query === undefined ? path : `${path}?${query}`,
        header: (name) => headers[name],
        body: async () => bytes,
        ...(certificates ? { peerCertificates: certificates } : {}),
      });
      assert.ok(status < 500, `${nameOf(entry)} with ${heavy.shape}: ${status}`);
    });
    const told = `${nameOf(entry)} with ${heavy.shape}: ${cost} ${meter.unit}, ${(memory / MEBIBYTE).toFixed(1)} MiB`;
    assert.ok(cost <= meter.most && memory <= MOST_BYTES, told);
  }
};

describe('a request of a mebibyte', () => {
  test('costs little before it is refused, for who has no login', async () => {
    await using app = await openApp('memory');
    const login = entries.find(({ operation }) => operation.operationId === 'authenticate');
    assert.ok(login);
    const configTypes = { shape: '520,000 config types', text: () => `{"configTypes":[${'1,'.repeat(520_000)}1]}` };
    await assertCheap(app, login, [...documents, configTypes].map(heavyBody));
  });

  test('costs little before it is refused, whatever a session puts where', async () => {
    await using app = await openApp('memory');
    const heavy = documents.filter(({ shape }) => DEAREST.includes(shape));
    for (const entry of entries) {
      const { body } = entry.operation;
      if (!body) continue;
      const fields = heavyBodies(body.schema, {}).filter(({ shape }) =>
        /names for \[\[|{"a":1} as often|different texts with #/.test(shape),
      );
      await assertCheap(app, entry, [...heavy, ...fields.slice(0, 3)].map(heavyBody));
    }
  });

  test('has no text that costs much, wherever it stands', async () => {
    await using app = await openApp('memory');
    for (const entry of entries) {
      const { body } = entry.operation;
      if (!body) continue;
      const texts = heavyBodies(body.schema, {}).filter(({ shape }) => /: long text of "(😀|\|\|)"$/.test(shape));
      await assertCheap(app, entry, texts.slice(0, 8).map(heavyBody));
    }
  });
});

describe('a query as long as a request line may be', () => {
  for (const isOpen of [true, false])
    test(`costs little, whatever ${isOpen ? 'a client without login' : 'a session'} puts where`, async () => {
      await using app = await openApp('memory');
      for (const entry of entries) {
        const { query, permission } = entry.operation;
        if (!query || (permission === 'open') !== isOpen) continue;
        await assertCheap(
          app,
          entry,
          heavyQueries(query).map(({ shape, text }) => ({ shape, query: text })),
        );
      }
    });
});

describe('every operation', () => {
  test('says in its description how many elements its lists and maps may have', async () => {
    await using app = await openApp('memory');
    const { body } = await app.request('GET', '/edge/management/extensions/v1/openapi.json', { as: null });
    const loose: string[] = [];
    const look = (value: unknown, way: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const schema = value as Readonly<Record<string, unknown>>;
      if (schema['type'] === 'array' && typeof schema['maxItems'] !== 'number') loose.push(way);
      if (typeof schema['$ref'] === 'string') {
        const name = schema['$ref'].split('/').at(-1) ?? '';
        if (seen.has(name)) return;
        seen.add(name);
        look(body.components.schemas[name], name);
      }
      for (const [name, inner] of Object.entries(schema)) look(inner, `${way}.${name}`);
    };
    const seen = new Set<string>();
    for (const [path, methods] of Object.entries<Readonly<Record<string, { readonly requestBody?: unknown }>>>(body.paths))
      for (const [method, { requestBody }] of Object.entries(methods)) look(requestBody, `${method} ${path}`);
    assert.ok(seen.size > 50);
    assert.deepEqual(loose, []);
  });
});
