import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../../src/call/entry.ts';
import { entries } from '../../src/controller/entries.ts';
import { onEveryStore } from '../support/app.ts';
import { callSample } from '../support/calls.ts';
import { nameOf, sampleOf } from '../support/samples/index.ts';

/** The same document with a key `__proto__` in each object that it holds, one at a time, as JSON. */
const poisoned = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value);
  const written = (inner: readonly (readonly [string, string])[]) =>
    Array.isArray(value) ? `[${inner.map(([, text]) => text)}]` : `{${inner.map(([name, text]) => `${JSON.stringify(name)}:${text}`)}}`;
  const plain = members.map(([name, item]) => [name, JSON.stringify(item)] as const);
  const here = Array.isArray(value) ? [] : [written([...plain, ['__proto__', '{"isAdmin":true}']])];
  const below = members.flatMap(([name, item], i) => poisoned(item).map((text) => written(plain.with(i, [name, text]))));
  return [...here, ...below];
};

const takesJson = ({ operation: { body } }: Entry) =>
  body !== undefined && (body.media ?? ['application/json']).includes('application/json');

onEveryStore('a key __proto__ in a body', (open) => {
  test('is refused at every depth of every body, and nothing is written', async (t) => {
    for (const entry of entries.filter(takesJson))
      await t.test(nameOf(entry), async () => {
        await using app = await open();
        const { operation } = entry;
        const sample = await sampleOf(app, entry);
        const { body = {} } = sample;
        const filled =
          typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body, tags: { a: 'b' }, appData: { a: [{}] } } : body;
        const left = await app.trail(async () => {
          for (const text of poisoned(JSON.parse(JSON.stringify(filled)))) {
            const answer = await callSample(app, operation, { ...sample, raw: text });
            assert.equal(answer.status, 400, `${text}: ${answer.text}`);
            assert.match(answer.text, /has a key __proto__/, text);
          }
        });
        assert.deepEqual(left, []);
      });
  });

  test('is refused in a form, which the login pages and the OpenID provider take', async () => {
    await using app = await open();
    for (const path of ['/oidc/oauth/token', '/oidc/oauth/introspect', '/oidc/login/username'])
      for (const raw of ['__proto__=x', 'a=b&%5f_proto__=x&__proto__=y']) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const answer = await app.request('POST', path, { as: null, raw, headers });
        assert.equal(answer.status, 400, `${path}: ${answer.text}`);
        assert.match(answer.text, /__proto__/, path);
      }
  });

  test('is refused in process, and in what a hook of the host returns', async () => {
    const own: object = JSON.parse('{"__proto__":{"isAdmin":true}}');
    await using app = await open({
      hooks: { before: (name, input, _) => (name === 'configTypes.create' ? { ...input, body: { name: 'x', tags: own } } : undefined) },
    });
    const ann = { name: 'ann', type: 'User', isAdmin: false } as const;
    const left = await app.trail(async () => {
      for (const more of [{ tags: own }, { appData: { deep: [own] } }, own])
        await assert.rejects(app.controller.api.identities.create({ body: { ...ann, ...more } }), {
          code: 'COULD_NOT_PARSE_BODY',
          status: 400,
        });
      await assert.rejects(app.controller.api.configTypes.create({ body: { name: 'x' } }), { code: 'COULD_NOT_VALIDATE', status: 400 });
    });
    assert.deepEqual(left, []);
  });
});
