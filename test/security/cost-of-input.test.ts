import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Entry } from '../../src/call/entry.ts';
import { surfaces } from '../../src/contract/api/surfaces/index.ts';
import { entries } from '../../src/controller/entries.ts';
import { type App, openApp } from '../support/app.ts';
import { type Meter, openMeter } from '../support/cost.ts';
import { documents, type HeavyBody, heavyBodies, MEBIBYTE } from '../support/heavy-bodies.ts';
import { heavyQueries } from '../support/heavy-queries.ts';
import { nameOf, sampleOf } from '../support/samples/index.ts';
import { withUniqueNames } from '../support/unique-names.ts';

/** Of a request, on average of those of an operation: to take the counts costs more than most of them. */
const MOST_STEPS = 50_000;
const MOST_BYTES = 50 * MEBIBYTE;

const bytesOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.memoryUsage();
  await work();
  const after = process.memoryUsage();
  return Math.max(0, after.heapUsed + after.external - before.heapUsed - before.external);
};

/** Documents that cost most of those that are within the limits, and of those that are not. */
const DEAREST = ['as many keys as may be', 'as many values as may be', 'many keys'];

/** Something heavy in a request: it takes the place of the sample's body, or of its query. */
type Heavy = { readonly shape: string } & ({ readonly body: () => string } | { readonly query: () => string });

const heavyBody = ({ shape, text }: HeavyBody): Heavy => ({ shape, body: text });

const assertCheap = async (app: App, meter: Meter, entry: Entry, requests: readonly Heavy[]) => {
  const { operation } = entry;
  if (requests.length === 0) return;
  const sample = await sampleOf(withUniqueNames(app), entry);
  const { id = 'x', other = 'x', as = app.admin, certificates } = sample;
  const path = `${(operation.surfaces[0] ?? surfaces.management).prefix}${operation.path.replace(/\{\w+\}/, id).replace(/\{\w+\}/, other)}`;
  const headers: Readonly<Record<string, string>> = {
    'content-type': operation.body?.media?.at(-1) === 'text/plain' ? 'text/plain' : 'application/json',
    ...(operation.permission === 'open' ? {} : { 'zt-session': as }),
  };
  const sending = requests.map((heavy) => {
    const query = 'query' in heavy ? heavy.query() : sample.query;
    const body = 'body' in heavy ? heavy.body() : sample.body;
    const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
    return async () => {
      const { status } = await app.controller.handle({
        method: operation.method,
        target: query === undefined ? path : `${path}?${query}`,
        header: (name) => headers[name],
        body: async () => bytes,
        ...(certificates ? { peerCertificates: certificates } : {}),
      });
      assert.ok(status < 500, `${nameOf(entry)} with ${heavy.shape}: ${status}`);
    };
  });
  const most = meter.unit === 'steps' ? meter.most * sending.length : meter.most;
  const memory: number[] = [];
  let cost = Number.POSITIVE_INFINITY;
  for (let i = 0; i < meter.tries && cost > most; i++)
    cost = Math.min(
      cost,
      await meter.of(async () => {
        for (const [each, send] of sending.entries()) memory[each] = await bytesOf(send);
      }),
    );
  const shapes = requests.map(({ shape }) => shape).join(', ');
  assert.ok(cost <= most, `${nameOf(entry)} with ${shapes}: ${cost} ${meter.unit}`);
  for (const [i, send] of sending.entries()) {
    // The least of a few: what else the process has to do is not the request's.
    let least = memory[i] ?? Number.POSITIVE_INFINITY;
    for (let tries = 1; tries < 8 && least > MOST_BYTES; tries++) least = Math.min(least, await bytesOf(send));
    assert.ok(least <= MOST_BYTES, `${nameOf(entry)} with ${requests[i]?.shape}: ${(least / MEBIBYTE).toFixed(1)} MiB`);
  }
};

describe('a request of a mebibyte', () => {
  test('costs little before it is refused, for who has no login', async () => {
    await using app = await openApp('memory');
    await using meter = await openMeter(MOST_STEPS);
    const login = entries.find(({ operation }) => operation.operationId === 'authenticate');
    assert.ok(login);
    const configTypes = { shape: '520,000 config types', text: () => `{"configTypes":[${'1,'.repeat(520_000)}1]}` };
    await assertCheap(app, meter, login, [...documents, configTypes].map(heavyBody));
  });

  test('costs little before it is refused, whatever a session puts where', async () => {
    await using app = await openApp('memory');
    await using meter = await openMeter(MOST_STEPS);
    const heavy = documents.filter(({ shape }) => DEAREST.includes(shape));
    for (const entry of entries) {
      const { body } = entry.operation;
      if (!body) continue;
      const fields = heavyBodies(body.schema, {}).filter(({ shape }) =>
        /names for \[\[|{"a":1} as often|different texts with #/.test(shape),
      );
      await assertCheap(app, meter, entry, [...heavy, ...fields.slice(0, 3)].map(heavyBody));
    }
  });

  test('has no text that costs much, wherever it stands', async () => {
    await using app = await openApp('memory');
    await using meter = await openMeter(MOST_STEPS);
    for (const entry of entries) {
      const { body } = entry.operation;
      if (!body) continue;
      const texts = heavyBodies(body.schema, {}).filter(({ shape }) => /: long text of "(😀|\|\|)"$/.test(shape));
      await assertCheap(app, meter, entry, texts.slice(0, 8).map(heavyBody));
    }
  });
});

describe('a query as long as a request line may be', () => {
  for (const isOpen of [true, false])
    test(`costs little, whatever ${isOpen ? 'a client without login' : 'a session'} puts where`, async () => {
      await using app = await openApp('memory');
      await using meter = await openMeter(MOST_STEPS);
      for (const entry of entries) {
        const { query, permission } = entry.operation;
        if (!query || (permission === 'open') !== isOpen) continue;
        await assertCheap(
          app,
          meter,
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
