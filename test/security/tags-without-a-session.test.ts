/**
 * Who has no session learns nothing of what operators note: tags are not public, neither shown nor to be asked for, and no other private
 * field is.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { caBody } from '../support/certificates.ts';
import { network } from '../support/network.ts';
import { authority } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { operations, PREFIXES } from './rights-table.ts';

const SIGNERS = '/edge/client/v1/external-jwt-signers';
/** Notes in tags, and whatever else of entities could be told apart. */
const tags = { note: 'private-tag', 'private-key': true, flag: true };

const signerOf = (app: App, more: object = {}) =>
  app.create('/external-jwt-signers', {
    name: 'public-name',
    audience: 'public-audience',
    externalAuthUrl: 'https://public.example/auth',
    clientId: 'public-client',
    scopes: ['public-scope'],
    issuer: 'private-issuer',
    kid: 'private-kid',
    claimsProperty: 'private-claim',
    enabled: true,
    jwksEndpoint: 'https://private.example/keys',
    tags,
    ...more,
  });

onEveryStore('tags without a session', (open) => {
  test('tags of signers are not shown, and no filter and no order reveals them', async () => {
    await using app = await open();
    await signerOf(app);
    const ask = async (query: Readonly<Record<string, string>> = {}) => {
      const { status, body, text } = await app.request('GET', `${SIGNERS}?${new URLSearchParams(query)}`, { as: null });
      return { status, found: body.meta?.pagination?.totalCount, data: body.data, text };
    };
    const { data, text } = await ask();
    assert.deepEqual([data.length, data[0].tags], [1, {}]);
    assert.ok(!text.includes('private'), text);
    const pairs: readonly (readonly [right: string, wrong: string])[] = [
      ['tags.note = "private-tag"', 'tags.note = "x"'],
      ['tags.note != "private-tag"', 'tags.note != "x"'],
      ['tags.note contains "private"', 'tags.note contains "x"'],
      ['tags.note in ["private-tag"]', 'tags.note in ["x"]'],
      ['not tags.note = "private-tag"', 'not tags.note = "x"'],
      ['tags.note > "a"', 'tags.note > "z"'],
      ['tags.note = null', 'tags.none = null'],
      ['tags.flag', 'tags.none'],
      ['tags.flag = true', 'tags.none = true'],
      ['not tags.flag', 'not tags.none'],
    ];
    for (const [right, wrong] of pairs) {
      const [hit, miss] = [await ask({ filter: right }), await ask({ filter: wrong })];
      assert.deepEqual([hit.status, hit.found], [200, miss.found], right);
    }
    assert.deepEqual([(await ask({ sort: 'tags.note' })).status, (await ask({ filter: 'true sort by tags.note' })).status], [400, 400]);
    // What is shown can be asked for.
    assert.equal((await ask({ filter: 'name = "public-name" and audience contains "public"' })).found, 1);
    // Operators see their tags, and find by them.
    const own = await app.request('GET', `/external-jwt-signers?filter=${encodeURIComponent('tags.note = "private-tag"')}`);
    assert.deepEqual(own.body.data[0].tags, tags);
  });

  test('no operation that is open to all shows a private field', async () => {
    await using app = await open();
    await signerOf(app);
    await signerOf(app, {
      name: 'private-name',
      issuer: 'private-other',
      kid: 'private-other',
      enabled: false,
      clientId: 'private-client',
    });
    const net = network(app);
    const user = await app.user({ name: 'private-user', tags, externalId: 'private-external' });
    await app.create('/auth-policies', policyBody('private-policy', { tags }));
    await app.create('/cas', { ...caBody('private-ca', (await authority('private-ca')).cert), tags });
    await app.create('/services', { name: 'private-service', encryptionRequired: true, tags });
    await app.create('/edge-routers', { name: 'private-router', tags });
    await net.dial({ identities: ['#private-role'], services: ['#all'] });
    await app.create('/enrollments', { identityId: user.id, method: 'ott', expiresAt: '2030-01-01T00:00:00Z' });
    const paths = [
      ...operations.filter(({ who, method }) => who === 'anyone' && method === 'GET').map(({ api, path }) => `${PREFIXES[api]}${path}`),
    ];
    assert.ok(paths.length > 25);
    let answered = 0;
    for (const path of paths) {
      const { status, text } = await app.request('GET', path.replace('{id}', 'edge-management'), { as: null });
      assert.ok(!/private-|private\.example/.test(text), `${path}: ${text.slice(0, 500)}`);
      if (status === 200) answered += 1;
    }
    assert.ok(answered > 15, `${answered}`);
  });
});
