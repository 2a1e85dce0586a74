import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { createClient } from '../../client/index.ts';
import { surfaces } from '../../src/contract/api/surfaces/index.ts';
import { entries as all } from '../../src/controller/entries.ts';
import { type App, openApp } from '../support/app.ts';
import type { Operation } from '../support/calls.ts';
import { nameOf, type Sample, sampleOf } from '../support/samples/index.ts';

/** Those of the OpenID provider answer browsers and relying parties, in forms of their own. */
const entries = all.filter(({ group }) => !['oidc', 'oidcLogin'].includes(group));

type Invoke = (input: Readonly<Record<string, unknown>>) => Promise<unknown> | AsyncIterable<unknown>;

/** Every way to call an operation with types: in process, and from elsewhere. */
const ways = {
  'the facade': (app: App, _: Operation, { as = app.admin, externalToken }: Sample) =>
    app.controller.as(as, externalToken === undefined ? {} : { externalToken }),
  'the client': (app: App, { surfaces: offered, permission }: Operation, { as = app.admin, certificates, externalToken }: Sample) => {
    const handle = fetchHandler(app.controller);
    return createClient({
      baseUrl: 'https://controller.test',
      api: offered.includes(surfaces.management) || offered.includes(surfaces.extensions) ? 'management' : 'client',
      ...(permission === 'open' ? {} : { credentials: { session: as } }),
      fetch: (url, init) => {
        const request = new Request(url, init);
        if (externalToken !== undefined) request.headers.set('authorization', `Bearer ${externalToken}`);
        return handle(request, certificates ? { peerCertificates: certificates } : {});
      },
    });
  },
};

/** A sample as the input of a function: the parameters of its path by name, its query, its body. */
const inputOf = ({ path, query: declared }: Operation, { id, other, query, body }: Sample): Readonly<Record<string, unknown>> => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const given = new URLSearchParams(query);
  const givenAs = (key: string): unknown => {
    const [first, ...more] = given.getAll(key);
    return ['limit', 'offset'].includes(key) ? Number(first) : more.length > 0 || isSet(declared, key) ? given.getAll(key) : first;
  };
  return {
    ...Object.fromEntries(names.map((name, index) => [name, [id, other][index]])),
    ...Object.fromEntries([...new Set(given.keys())].map((key) => [key, givenAs(key)])),
    ...(body === undefined ? {} : { body }),
  };
};

/** Query keys that may be given several times. */
const isSet = (declared: Operation['query'], key: string): boolean => declared !== undefined && ['roleFilter', 'configTypes'].includes(key);

const invoke = async (facade: object, { group, verb }: (typeof entries)[number], input: Readonly<Record<string, unknown>>) => {
  // The table has this operation, so both ways have a function for it.
  const call = Reflect.get(Reflect.get(facade, group), verb) as Invoke;
  const output = call(input);
  return Symbol.asyncIterator in output ? firstOf(output) : output;
};

const firstOf = async (items: AsyncIterable<unknown>): Promise<unknown> => {
  for await (const item of items) return item;
  return undefined;
};

/** A text that is sent in parts, as a whole; any other answer as it is. */
const whole = async (answer: unknown): Promise<unknown> => {
  const { body, ...others } = Object(answer);
  if (!Object(body)[Symbol.asyncIterator]) return answer;
  let text = '';
  for await (const part of body) text += part;
  return { ...others, body: text };
};

/** A document without the signature of a JWT, which is another each time; any other answer as it is. */
const unsigned = (answer: unknown): unknown => {
  const { contentType, body } = Object(answer);
  return contentType === 'application/jwt' ? { contentType, body: body.slice(0, body.lastIndexOf('.')) } : answer;
};

describe('every operation, in process and from elsewhere', () => {
  test('reads the same', async (t) => {
    for (const entry of entries.filter(({ operation }) => operation.method === 'GET'))
      await t.test(nameOf(entry), async () => {
        await using app = await openApp('memory');
        const sample = await sampleOf(app, entry);
        const read = (way: keyof typeof ways) =>
          invoke(ways[way](app, entry.operation, sample), entry, inputOf(entry.operation, sample)).catch(({ code }) => ({ code }));
        const [here, elsewhere] = [await whole(await read('the facade')), await whole(await read('the client'))];
        assert.deepEqual(unsigned(elsewhere), unsigned(here));
        if (sample.refused !== undefined) assert.deepEqual(here, { code: sample.refused });
        else assert.ok(!('code' in Object(here)), JSON.stringify(here));
      });
  });

  for (const [name, way] of Object.entries(ways)) {
    test(`writes what it does over HTTP, by ${name}`, async (t) => {
      for (const entry of entries.filter(({ operation }) => operation.method !== 'GET'))
        await t.test(nameOf(entry), async (t) => {
          await using app = await openApp('memory');
          const sample = await sampleOf(app, entry);
          // There is no TLS in process, and so no certificate.
          if (sample.certificates && name === 'the facade') return t.skip('asks for a certificate of TLS');
          const call = () => invoke(way(app, entry.operation, sample), entry, inputOf(entry.operation, sample));
          const left = await app.trail(() => (sample.refused === undefined ? call() : assert.rejects(call(), { code: sample.refused })));
          assert.deepEqual(left, sample.leaves ?? []);
        });
    });
  }
});
