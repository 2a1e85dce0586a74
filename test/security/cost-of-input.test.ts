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

/** Maximum steps of a request, averaged over the requests of an operation, because reading the counter costs more than most of them. */
const MOST_STEPS = 50_000;
const MOST_BYTES = 50 * MEBIBYTE;

const bytesOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.memoryUsage();
  await work();
  const after = process.memoryUsage();
  return Math.max(0, after.heapUsed + after.external - before.heapUsed - before.external);
};

/** The most expensive documents: two within the limits, and one that exceeds them. */
const DEAREST_DOCUMENTS = [/^as many keys as may be$/, /^as many values as may be$/, /^many keys$/];
/** The most expensive values of fields. */
const DEAREST_VALUES = [/names for \[\[/, /{"a":1} as often/, /different texts with #/];
const DEAREST_TEXTS = [/: long text of "😀"$/, /: long text of "\|\|"$/];

/** Selects the bodies of some shapes. Any shape that none of them had is in `missing`. */
const selectionOf = (shapes: readonly RegExp[]) => {
  const missing = new Set(shapes);
  const select = (bodies: readonly HeavyBody[]): readonly HeavyBody[] =>
    bodies.filter(({ shape }) => {
      const found = shapes.filter((each) => each.test(shape));
      for (const each of found) missing.delete(each);
      return found.length > 0;
    });
  return { select, missing };
};

/** A heavy body or query, which replaces that of the operation's sample. */
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
    // The least of several measurements: the process may allocate for other work during some of them.
    let least = memory[i] ?? Number.POSITIVE_INFINITY;
    for (let tries = 1; tries < 8 && least > MOST_BYTES; tries++) least = Math.min(least, await bytesOf(send));
    assert.ok(least <= MOST_BYTES, `${nameOf(entry)} with ${requests[i]?.shape}: ${(least / MEBIBYTE).toFixed(1)} MiB`);
  }
};

describe('a request of a mebibyte', () => {
  test('costs little before it is refused, if the client has no session', async () => {
    await using app = await openApp('memory');
    await using meter = await openMeter(MOST_STEPS);
    const login = entries.find(({ operation }) => operation.operationId === 'authenticate');
    assert.ok(login);
    const configTypes = { shape: '520,000 config types', text: () => `{"configTypes":[${'1,'.repeat(520_000)}1]}` };
    await assertCheap(app, meter, login, [...documents, configTypes].map(heavyBody));
  });

  test('costs little before it is refused, in whichever field a session sends heavy values', async () => {
    await using app = await openApp('memory');
    await using meter = await openMeter(MOST_STEPS);
    const [ofDocuments, ofValues] = [selectionOf(DEAREST_DOCUMENTS), selectionOf(DEAREST_VALUES)];
    const heavy = ofDocuments.select(documents);
    for (const entry of entries) {
      const { body } = entry.operation;
      if (!body) continue;
      const values = ofValues.select(heavyBodies(body.schema, {}));
      await assertCheap(app, meter, entry, [...heavy, ...values.slice(0, 3)].map(heavyBody));
    }
    assert.deepEqual([...ofDocuments.missing, ...ofValues.missing], []);
  });

  test('costs little, in whichever field it has a long text', async () => {
    await using app = await openApp('memory');
    await using meter = await openMeter(MOST_STEPS);
    const ofTexts = selectionOf(DEAREST_TEXTS);
    for (const entry of entries) {
      const { body } = entry.operation;
      if (body) await assertCheap(app, meter, entry, ofTexts.select(heavyBodies(body.schema, {})).slice(0, 8).map(heavyBody));
    }
    assert.deepEqual([...ofTexts.missing], []);
  });
});

describe('a query as long as a request line may be', () => {
  for (const isOpen of [true, false])
    test(`costs little, in whichever parameter ${isOpen ? 'a client without a session' : 'a session'} sends it`, async () => {
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
    const unbounded: string[] = [];
    const seen = new Set<string>();
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const schema = value as Readonly<Record<string, unknown>>;
      if (schema['type'] === 'array' && typeof schema['maxItems'] !== 'number') unbounded.push(path);
      const isMap = typeof schema['additionalProperties'] === 'object' || schema['additionalProperties'] === true;
      if (isMap && typeof schema['maxProperties'] !== 'number') unbounded.push(path);
      if (typeof schema['$ref'] === 'string') {
        const name = schema['$ref'].split('/').at(-1) ?? '';
        if (seen.has(name)) return;
        seen.add(name);
        look(body.components.schemas[name], name);
      }
      for (const [name, inner] of Object.entries(schema)) look(inner, `${path}.${name}`);
    };
    for (const [path, methods] of Object.entries<Readonly<Record<string, { readonly requestBody?: unknown }>>>(body.paths))
      for (const [method, { requestBody }] of Object.entries(methods)) look(requestBody, `${method} ${path}`);
    assert.ok(seen.size > 50);
    assert.deepEqual(unbounded, []);
  });
});
