/** A name that is misspelt would go unnoticed: a list without its filter is the whole list. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { createClient } from '../../client/index.ts';
import { ManagementController } from '../../src/controller/controller.ts';
import { filter, inspectStore, networkAuthority, restoreSnapshot, takeSnapshot } from '../../src/index.ts';
import { ADMIN, openApp } from '../support/app.ts';

const ways = async () => {
  const app = await openApp('memory');
  const handle = fetchHandler(app.controller);
  const client = createClient({
    baseUrl: 'https://controller.test',
    credentials: ADMIN,
    fetch: (url, init) => handle(new Request(url, init)),
  });
  return { app, apis: [app.controller.api, app.controller.as(app.admin), client] };
};

const refused = (message: RegExp) => ({ name: 'TypeError', message });

test('unknown input of an operation is refused with the nearest name, in process and by the typed client', async () => {
  const { app, apis } = await ways();
  await using _ = app;
  for (const { identities, informational, changes } of apis) {
    // Names that are spread in from elsewhere are no excess properties to the compiler.
    const input = (names: object) => names as never;
    await assert.rejects(identities.list(input({ filtr: 'isAdmin = true' })), refused(/'filtr': did you mean 'filter'\?/));
    await assert.rejects(identities.list(input({ Limit: 1 })), refused(/'Limit': did you mean 'limit'\?/));
    await assert.rejects(identities.get(input({ id: 'x', filter: '' })), refused(/has no input 'filter'/));
    await assert.rejects(identities.create(input({ bdy: {} })), refused(/'bdy': did you mean 'body'\?/));
    await assert.rejects(informational.version(input({ zzzzzzzzz: undefined })), refused(/has no input 'zzzzzzzzz'/));
    const followed = changes.follow(input({ aftr: 1 }))[Symbol.asyncIterator]();
    await assert.rejects(followed.next(), refused(/has no input 'aftr'/));
  }
});

test('an entity stands for its id, where an operation takes one', async () => {
  const { app, apis } = await ways();
  await using _ = app;
  for (const [index, { identities }] of apis.entries()) {
    const created = await identities.create({ body: { name: `bob ${index}`, type: 'User', isAdmin: false } });
    const bob = await identities.get(created);
    assert.deepEqual((await identities.listEnrollments(bob)).data, []);
    await assert.rejects(identities.list(bob as never), refused(/identities\.list has no input|listIdentities has no input/)); // it takes no id
    await identities.delete(bob);
  }
});

test('fields of a body that are unknown are ignored, as over HTTP', async () => {
  const { app, apis } = await ways();
  await using _ = app;
  for (const [index, { identities }] of apis.entries()) {
    const { id } = await identities.create({ body: { name: `ann ${index}`, type: 'User', isAdmin: false } });
    const shown = await identities.get({ id });
    await identities.patch({ id, body: { ...shown, type: 'User' } });
  }
});

test('a text with quotes is one value of a filter', async () => {
  const { app, apis } = await ways();
  await using _ = app;
  const names = ['a" or name != "', 'back\\slash', "it's", 'line\nbreak', ''];
  for (const { identities } of apis) {
    for (const name of names.filter((name) => name !== '')) {
      const { id } = await identities.create({ body: { name, type: 'User', isAdmin: false } });
      const { data } = await identities.list({ filter: filter`name = ${name}` });
      assert.deepEqual(
        data.map(({ id }) => id),
        [id],
      );
      await identities.delete({ id });
    }
    assert.equal((await identities.list({ filter: filter`name in ${names}` })).pagination.totalCount, 0);
  }
});

test('a function that needs a storage says so where there is none', async () => {
  const functions: Readonly<Record<string, (options: never) => Promise<unknown>>> = {
    'ManagementController.open': ManagementController.open,
    inspectStore,
    takeSnapshot,
    restoreSnapshot,
    networkAuthority,
  };
  for (const [name, work] of Object.entries(functions))
    for (const options of [{}, { storage: undefined }, { storage: null }, { storage: 'sqlite:x' }])
      await assert.rejects(work(options as never), refused(new RegExp(`^${name} requires the option 'storage': a storage adapter`))); // callers without types
});

test('a body that is missing is said to be missing, in process and over HTTP', async () => {
  const { app, apis } = await ways();
  await using _ = app;
  const reason = 'the body is missing: it must contain the identity';
  for (const { identities } of apis.slice(0, 2))
    await assert.rejects(identities.create({} as never), {
      code: 'COULD_NOT_VALIDATE',
      cause: { field: 'identity', reason, value: '<nil>' },
    }); // the same
  assert.equal((await app.request('POST', '/identities')).body.error.cause.reason, reason);
});
