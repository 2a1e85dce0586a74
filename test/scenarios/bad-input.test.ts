import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Entry } from '../../src/call/entry.ts';
import { entries } from '../../src/controller/entries.ts';
import { proves } from '../specification.ts';
import { type Answer, onEveryStore } from '../support/app.ts';
import { assertSound, assertSoundOfProvider, badRequests } from '../support/bad-input.ts';
import { list } from '../support/lists.ts';
import { nameOf, sampleOf } from '../support/samples/index.ts';

const PREFIXES: Readonly<Record<string, string>> = {
  management: '/edge/management/v1',
  client: '/edge/client/v1',
  extensions: '/edge/management/extensions/v1',
  fabric: '/fabric/v1',
  oidc: '/oidc',
  oidcLogin: '/oidc/login',
};

/** Ten wrong codes end a login, and its session with it. */
const countsWrongCodes = (entry: Entry): boolean => ['oidcLogin.totp', 'oidcLogin.verifyTotp'].includes(nameOf(entry));

/** What is logged of operations that succeed. */
const LOGGED = /^\["an administrator has turned traces of routers (on|off)",/;

onEveryStore('bad input', (open) => {
  test('whatever comes in, the answer is not a fault of ours, has its form, and a refusal writes nothing', proves(445), async (t) => {
    for (const entry of entries) {
      const { operation } = entry;
      await t.test(nameOf(entry), async () => {
        await using app = await open();
        const sample = await sampleOf(app, entry);
        const prefix = PREFIXES[operation.surfaces[0]?.name ?? 'management'];
        const property = fc.asyncProperty(
          badRequests(operation, sample),
          fc.constantFrom(sample.as, sample.as, null),
          async ({ id, query, raw, headers }, as) => {
            const path = `${prefix}${operation.path.replace('{id}', id)}?${query}`;
            const options = { headers, ...(raw === undefined ? {} : { raw }), ...(as === undefined ? {} : { as }) };
            const answers: Answer[] = [];
            const trail = await app.trail(async () => answers.push(await app.request(operation.method, path, options)));
            const [answer = assert.fail('no answer')] = answers;
            (prefix?.startsWith('/oidc') ? assertSoundOfProvider : assertSound)(answer);
            const written = trail.filter((change) => !(countsWrongCodes(entry) && change === 'delete apiSession'));
            if (answer.status >= 400 || operation.method === 'GET')
              assert.deepEqual(written, [], `${operation.method} ${path}: ${answer.text}`);
          },
        );
        await fc.assert(property, { numRuns: 40 });
        assert.deepEqual(
          app.log.filter((line) => !LOGGED.test(line)),
          [],
        );
      });
    }
  });

  test('whatever is in filter, sort, limit and offset, a list answers or refuses it', proves(317), async (t) => {
    const words = fc.constantFrom(
      'id',
      'name',
      'tags.a',
      'isAdmin',
      'roleAttributes',
      'createdAt',
      'and',
      'or',
      'not',
      '=',
      '!=',
      '<',
      'contains',
      'icontains',
      'in',
      'between',
      '(',
      ')',
      '[',
      ']',
      ',',
      '"a"',
      '5',
      '-1.5e3',
      'true',
      'null',
      'datetime(2026-01-01T00:00:00Z)',
      'anyOf(roleAttributes)',
      'isEmpty(roleAttributes)',
      'count(roleAttributes)',
      'from',
      'where',
      'sort by',
      'skip',
      'limit',
      'none',
      'desc',
    );
    const phrase = fc.oneof(
      fc.array(words, { maxLength: 10 }).map((each) => each.join(' ')),
      fc.string(),
      fc.string({ unit: 'grapheme' }),
    );
    const query = fc.record(
      {
        filter: phrase,
        sort: phrase,
        limit: fc.oneof(fc.integer().map(String), fc.string()),
        offset: fc.oneof(fc.integer().map(String), fc.string()),
      },
      { requiredKeys: [] },
    );
    const paths = [
      '/identities',
      '/authenticators',
      '/api-sessions',
      '/auth-policies',
      '/config-types',
      '/identity-role-attributes',
      '/specs',
    ];
    for (const path of paths) {
      await t.test(path, async () => {
        await using app = await open();
        await app.user({ roleAttributes: ['a', 'b'], tags: { a: 'b' } });
        await fc.assert(
          fc.asyncProperty(query, async (each) => assertSound(await list(app, path, each))),
          { numRuns: 150 },
        );
        assert.deepEqual(app.log, []);
      });
    }
  });
});
