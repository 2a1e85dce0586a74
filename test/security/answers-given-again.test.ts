/** The answer that an idempotency key repeats must be worth no more than the call itself would be now. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsIdempotencyKey } from '../../src/call/batchable.ts';
import { namedOperations } from '../../src/contract/api/named-operations.ts';
import type { HostRule } from '../../src/index.ts';
import { EXTENSIONS, giveToken, inDays, rotate, statusAs, tokenPath } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { network } from '../support/network.ts';

const key = { headers: { 'idempotency-key': 'again' } };
const person = (name: string, ...roleAttributes: string[]) => ({ name, type: 'User', isAdmin: false, roleAttributes }) as const;

const runner =
  (app: App) =>
  (as: string, ...operations: readonly { readonly operation: string; readonly input: unknown }[]) =>
    app.request('POST', `${EXTENSIONS}/batch`, { as, body: { operations }, ...key });

onEveryStore('an answer that is given again', (open) => {
  test('takes the rights of its parts: of another API token of the identity, and after they are lost', async () => {
    await using app = await open();
    const run = runner(app);
    const operation = { operation: 'identities.create', input: { body: person('ann') } };
    const chief = await app.user({ isAdmin: true });
    const [wide, narrow] = [
      (await giveToken(app, chief.id, { permissions: ['identity'] })).secret,
      (await giveToken(app, chief.id, { permissions: ['service'] })).secret,
    ];
    const first = await run(wide, operation);
    assert.equal(first.status, 200, first.text);
    assert.equal((await run(wide, operation)).text, first.text);
    const refused = await run(narrow, operation);
    assert.deepEqual([refused.status, refused.headers['idempotency-replayed']], [401, undefined]);
    const delegate = await app.user({ permissions: ['identity.create'] });
    const as = await delegate.login();
    const other = { operation: 'identities.create', input: { body: person('ben') } };
    assert.equal((await run(as, other)).status, 200);
    await app.request('PATCH', `/identities/${delegate.id}`, { body: { permissions: ['service'] } });
    assert.equal((await run(as, other)).status, 401);
  });

  test('takes the rights of the parts of its parts, for what they are about now', async () => {
    await using app = await open();
    const run = runner(app);
    const ann = await network(app).identity('ann', 'team');
    const scopedPermissions = { identity: { roleAttributes: ['team'] } };
    const as = await (await app.user({ scopedPermissions })).login();
    const operation = { operation: 'identities.upsert', input: { body: { name: 'ann', externalId: 'e-1' } } };
    const first = await run(as, operation);
    assert.equal(first.status, 200, first.text);
    assert.equal((await run(as, operation)).headers['idempotency-replayed'], 'true');
    await app.request('PATCH', `/identities/${ann}`, { body: { roleAttributes: ['elsewhere'] } });
    assert.equal((await run(as, operation)).status, 404);
  });

  test('names nothing to another API token that it could not have created', async () => {
    await using app = await open();
    const chief = await app.user({ isAdmin: true });
    const scopedTo = async (team: string) =>
      (await giveToken(app, chief.id, { scopedPermissions: { identity: { roleAttributes: [team] } } })).secret;
    const [near, far] = [await scopedTo('near'), await scopedTo('far')];
    const make = (as: string) => app.request('POST', '/identities', { as, body: person('ann', 'near'), ...key });
    const batch = (as: string) => runner(app)(as, { operation: 'identities.create', input: { body: person('ben', 'near') } });
    for (const ask of [make, batch]) {
      const first = await ask(near);
      assert.ok(first.status < 300, first.text);
      assert.equal((await ask(near)).text, first.text);
      assert.ok([401, 404].includes((await ask(far)).status));
    }
  });

  test("asks the host's rule about each part, with its input", async () => {
    const asked: string[] = [];
    let isAllowed = true;
    const authorize: HostRule = ({ operation, about, input }) => {
      if (about !== 'call' || operation !== 'identities.create') return undefined;
      asked.push(JSON.stringify(Object(input).body.name));
      return isAllowed;
    };
    await using app = await open({ authorize });
    const run = runner(app);
    const operation = { operation: 'identities.create', input: { body: person('ann') } };
    assert.equal((await run(app.admin, operation)).status, 200);
    const before = asked.splice(0);
    assert.equal((await run(app.admin, operation)).status, 200);
    assert.deepEqual([asked.splice(0).at(-1), before.at(-1)], ['"ann"', '"ann"']);
    isAllowed = false;
    assert.equal((await run(app.admin, operation)).status, 401);
  });

  test('is without the secret of an API token, also in a batch', async () => {
    await using app = await open();
    const { api } = app.controller;
    const chief = await app.user({ isAdmin: true });
    const body = { identityId: chief.id, name: 'ci', permissions: ['identity'], expiresAt: inDays(app, 30) };
    const post = (path: string, given: object) => app.request('POST', path, { body: given, ...key });
    const made = (await post(`${EXTENSIONS}/api-tokens`, body)).body.data;
    const { secret, ...rest } = made;
    assert.equal(await statusAs(app, secret, '/identities'), 200);
    assert.deepEqual((await post(`${EXTENSIONS}/api-tokens`, body)).body.data, rest);
    // The id is enough for a new secret.
    assert.equal(await statusAs(app, await rotate(app, made.id), '/identities'), 200);
    const rotated = (await post(`${tokenPath(made.id)}/rotate`, {})).body.data;
    const { secret: _, ...others } = rotated;
    assert.deepEqual((await post(`${tokenPath(made.id)}/rotate`, {})).body.data, others);
    const operations = [
      { operation: 'apiTokens.create', input: { body: { ...body, name: 'cd' } } },
      { operation: 'apiTokens.rotate', input: { id: made.id } },
      { operation: 'services.create', input: { body: { name: 'wiki', encryptionRequired: true, tags: { token: '$1.secret' } } } },
    ];
    const run = () => api.batch.run({ body: { operations } }, { idempotencyKey: 'again' });
    const [first, again] = [await run(), await run()];
    const outputs = first.results.map(({ output }) => output as Record<string, unknown>);
    const kept = again.results.map(({ output }) => output as Record<string, unknown>);
    assert.deepEqual([typeof outputs[0]?.secret, typeof outputs[1]?.secret], ['string', 'string']);
    assert.deepEqual(
      [kept[0], kept[1]],
      outputs.slice(0, 2).map(({ secret: _, ...output }) => output),
    );
  });
});

test('every operation that takes a key and shows something only once says what that is', () => {
  for (const { name, operation } of namedOperations) {
    const { answer, givenOnce } = operation;
    const shape = 'schema' in answer && 'shape' in answer.schema ? (answer.schema.shape as Record<string, { description?: string }>) : {};
    const once = Object.keys(shape).filter((field) => /only once/.test(shape[field]?.description ?? ''));
    if (acceptsIdempotencyKey(operation)) assert.deepEqual(once, givenOnce === undefined ? [] : [givenOnce], name);
  }
});
