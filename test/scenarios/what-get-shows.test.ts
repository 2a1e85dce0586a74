/** Tools read an entity, change one thing, and send all of it back: whatever GET shows, PUT and PATCH take, and it changes nothing. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { kinds } from '../../src/contract/api/kinds.ts';
import { fieldsOf } from '../../src/contract/api/kit/variants.ts';
import { surfaces } from '../../src/contract/api/surfaces/index.ts';
import { entries } from '../../src/controller/entries.ts';
import { type App, openApp, PASSWORD } from '../support/app.ts';
import { callSample } from '../support/calls.ts';
import { makeOneOfEverything, withNamesApart } from '../support/one-of-everything.ts';
import { sampleOf } from '../support/samples/index.ts';

type Entity = Readonly<Record<string, unknown>>;

const written = ['PATCH', 'PUT'] as const;
const replacing = entries.filter(({ operation: { method, path } }) => method === 'PUT' && /^\/[a-z-]+\/\{id\}$/.test(path));
const paths = replacing.map(({ operation }) => operation.path.replace('/{id}', ''));

/** The path of a collection below the management API, or with the prefix of its own API. */
const addressOf = (path: string): string => {
  const surface = replacing.find(({ operation }) => operation.path === `${path}/{id}`)?.operation.surfaces[0];
  return surface === surfaces.management ? path : `${surface?.prefix}${path}`;
};

/** Kinds of which a body needs one of several fields that may be left out. */
const NEEDS_MORE: readonly string[] = ['externalJwtSigner', 'authenticator', 'policyTest'];

/** As an entity is made of the least that a body may hold: sets that must be given are null, as answers show them. */
const makeTheLeastOfEverything = async (app: App): Promise<void> => {
  const apart = withNamesApart(app);
  for (const entry of entries.filter(({ operation: { method, path } }) => method === 'POST' && paths.includes(path))) {
    const kind = Object.values(kinds).find(({ collection }) => `/${collection}` === entry.operation.path);
    if (!kind) continue; // another path to a kind
    const sample = await sampleOf(apart, entry);
    const fields = fieldsOf(kind, sample.body as Entity); // a body of JSON
    const needed = Object.entries(sample.body as Entity) // the same
      .filter(([name]) => !fields[name]?.write.startsWith('optional') && fields[name]?.write !== 'requiredOnReplace')
      .map(([name, value]) => [name, fields[name]?.set ? null : value]);
    const answer = await callSample(apart, entry.operation, { ...sample, body: Object.fromEntries(needed) });
    if (!NEEDS_MORE.includes(kind.kind)) assert.equal(answer.status, 201, `${entry.operation.path}: ${answer.text}`);
  }
};

const unlessUpdated = ({ updatedAt: _, _links, ...rest }: Entity): Entity => rest;

describe('what GET shows', () => {
  let app: App;
  let edgeRouters: readonly unknown[];
  before(async () => {
    app = await openApp('memory', { settings: { showJwksEndpoints: true } });
    await makeOneOfEverything(app);
    await makeTheLeastOfEverything(app);
    await app.create('/posture-checks', { name: 'any version', typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: null }] });
    edgeRouters = (await app.request('GET', '/edge-routers?limit=500')).body.data.map(({ id }: Entity) => id);
  });

  /** What belongs to another entity is changed there; a password is never shown, and must be given with a replacement. */
  const refusal = (path: string, method: string, { id, isSystem }: Entity): string | undefined => {
    if (path === '/authenticators' && method === 'PUT') return 'COULD_NOT_VALIDATE';
    if (/^\/(transit-)?routers$/.test(path) && edgeRouters.includes(id)) return 'CAN_NOT_UPDATE_ROUTER';
    return isSystem ? 'ENTITY_CAN_NOT_BE_UPDATED' : undefined;
  };

  for (const path of paths) {
    for (const method of written)
      test(`${method} takes it for all of ${path}, and changes nothing`, async () => {
        const address = addressOf(path);
        const all: readonly Entity[] = (await app.request('GET', `${address}?limit=500`)).body.data;
        assert.ok(all.length > 0);
        for (const { id } of all) {
          const look = async (): Promise<Entity> => (await app.request('GET', `${address}/${id}`)).body.data;
          const shown = await look();
          const answer = await app.request(method, `${address}/${id}`, { body: shown });
          assert.equal(answer.body.error?.code, refusal(path, method, shown), `${JSON.stringify(shown)}\n${answer.text}`);
          assert.deepEqual(unlessUpdated(await look()), unlessUpdated(shown));
        }
      });
  }

  test('PUT takes it for a password authenticator, with the password', async () => {
    const { authenticatorId } = await app.user();
    const shown = (await app.request('GET', `/authenticators/${authenticatorId}`)).body.data;
    const answer = await app.request('PUT', `/authenticators/${authenticatorId}`, { body: { ...shown, password: PASSWORD } });
    assert.equal(answer.status, 200, answer.text);
  });
});

describe('a CA without identity roles', () => {
  test('is written with null or an empty list, and refused where the field is missing', async () => {
    await using app = await openApp('memory');
    const id = await app.create('/cas', {
      ...((await sampleOf(app, { group: 'cas', verb: 'create' })).body as Entity),
      identityRoles: null,
    });
    const { identityRoles, ...others } = (await app.request('GET', `/cas/${id}`)).body.data;
    assert.equal(identityRoles, null);
    for (const roles of [null, []]) {
      const answer = await app.request('PUT', `/cas/${id}`, { body: { ...others, identityRoles: roles } });
      assert.equal(answer.status, 200, answer.text);
    }
    const missing = await app.request('PUT', `/cas/${id}`, { body: others });
    assert.deepEqual([missing.status, missing.body.error.cause.field], [400, 'identityRoles']);
  });

  test('keeps its roles when a patch has null', async () => {
    await using app = await openApp('memory');
    const id = await app.create('/cas', {
      ...((await sampleOf(app, { group: 'cas', verb: 'create' })).body as Entity),
      identityRoles: ['a'],
    });
    await app.request('PATCH', `/cas/${id}`, { body: { identityRoles: null } });
    assert.deepEqual((await app.request('GET', `/cas/${id}`)).body.data.identityRoles, ['a']);
  });
});
