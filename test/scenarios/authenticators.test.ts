import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { aPerson } from '../support/identities.ts';
import { list } from '../support/lists.ts';
import { party } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ==\n-----END CERTIFICATE-----\n';
const post = (app: App, body: object) => app.request('POST', '/authenticators', { body });

const read = async (app: App, id: string) => (await app.request('GET', `/authenticators/${id}`)).body.data;

onEveryStore('authenticators', (open) => {
  test(
    'a password authenticator shows whose it is and the username, and no password, hash or salt',
    proves(5, 62, 65, 66, 72, 319),
    async () => {
      await using app = await open();
      const identityId = await aPerson(app);
      const id = await app.create('/authenticators', {
        identityId,
        method: 'updb',
        username: 'annie',
        password: PASSWORD,
        tags: { floor: '7' },
      });
      const { identity, createdAt, updatedAt, ...fields } = await read(app, id);
      assert.match(createdAt, /^2026-11-21T10:00:00\.\d{3}Z$/);
      assert.equal(updatedAt, createdAt);
      assert.deepEqual(fields, {
        _links: { self: { href: `./authenticators/${id}` }, identities: { href: `./identities/${identityId}` } },
        id,
        identityId,
        method: 'updb',
        username: 'annie',
        tags: { floor: '7' },
      });
      assert.deepEqual(
        [identity.entity, identity.id, identity.name, identity._links.self.href],
        ['identities', identityId, 'ann', `./identities/${identityId}`],
      );
    },
  );

  test('the identity shows its authenticator, and lists it', proves(108, 397), async () => {
    await using app = await open();
    const user = await app.user();
    const { data } = (await app.request('GET', `/identities/${user.id}`)).body;
    assert.deepEqual(data.authenticators, { updb: { id: user.authenticatorId, username: user.username } });
    const below = (await app.request('GET', `/identities/${user.id}/authenticators`)).body;
    assert.deepEqual(below.data, [await read(app, user.authenticatorId)]);
    assert.equal(below.meta.pagination.totalCount, 1);
    assert.ok(below.meta.filterableFields.includes('updbUsername'));
  });

  test('creation needs an identity that exists and a method of the two', proves(67, 68), async () => {
    await using app = await open();
    const identityId = await aPerson(app);
    const good = { identityId, method: 'updb', username: 'annie', password: PASSWORD };
    assertInvalid(await post(app, { ...good, identityId: undefined }), 'identityId');
    const unknown = await post(app, { ...good, identityId: 'no-such-id' });
    assertRefused(unknown, 404, 'NOT_FOUND');
    assert.equal(unknown.body.error.cause.field, 'identityId');
    for (const method of [undefined, null, 'magic', 'UPDB']) assertInvalid(await post(app, { ...good, method }), 'method');
    assertInvalid(await app.request('POST', '/authenticators'), 'authenticator');
    assert.equal((await app.rows('authenticator')).length, 1);
  });

  test('usernames have 4 to 100 and passwords 5 to 100 characters when an authenticator is created', proves(71, 459, 461), async () => {
    await using app = await open();
    const good = { identityId: await aPerson(app), method: 'updb', username: 'annie', password: PASSWORD };
    for (const username of ['abc', 'a'.repeat(101), '😀'.repeat(3)]) assertInvalid(await post(app, { ...good, username }), 'username');
    for (const password of ['abcd', 'a'.repeat(101), '😀'.repeat(4)]) assertInvalid(await post(app, { ...good, password }), 'password');
    const edges = [
      ['abcd', 'abcde'],
      ['a'.repeat(100), 'a'.repeat(100)],
      ['😀'.repeat(100), '😀'.repeat(100)],
      ['a  b', ' four '],
    ] as const;
    for (const [i, [username, password]] of edges.entries()) {
      const identityId = await aPerson(app, `person ${i}`);
      await app.create('/authenticators', { identityId, method: 'updb', username, password });
      assert.equal((await app.login(username, password)).status, 200);
    }
  });

  test('an identity has at most one authenticator of a method', async () => {
    await using app = await open();
    const user = await app.user();
    const second = { identityId: user.id, method: 'updb', username: 'another', password: PASSWORD };
    assertRefused(await post(app, second), 409, 'MAX_AUTHENTICATOR_METHODS_REACHED');
    const identityId = await aPerson(app);
    const atOnce = await Promise.all(['first', 'second', 'third'].map((username) => post(app, { ...second, identityId, username })));
    assert.deepEqual(atOnce.map(({ status }) => status).toSorted(), [201, 409, 409]);
  });

  test('a certificate needs to be one, and of an authority that the network trusts', proves(69), async () => {
    await using app = await open();
    const good = { identityId: await aPerson(app), method: 'cert' };
    assertInvalid(await post(app, good), 'certPem');
    const stranger = (await party('stranger')).cert;
    for (const certPem of ['nonsense', '', PEM, PEM + PEM, stranger + stranger])
      assertRefused(await post(app, { ...good, certPem }), 400, 'COULD_NOT_PARSE_PEM_BLOCK');
    assertInvalid(await post(app, { ...good, certPem: stranger }), 'certPem');
    assert.equal((await app.rows('authenticator')).length, 1);
  });

  test('a certificate that is given with a password is not kept, and needs not be one', proves(69), async () => {
    await using app = await open();
    const good = { identityId: await aPerson(app), method: 'updb', username: 'annie', password: PASSWORD };
    const id = await app.create('/authenticators', { ...good, certPem: PEM });
    assert.equal('certPem' in (await read(app, id)), false);
    assert.equal((await app.rows('authenticator')).find((row) => row.id === id)?.certPem, null);
  });

  test('authenticators are found by identity, method and username', proves(319), async () => {
    await using app = await open();
    const user = await app.user();
    const found = async (filter: string) => (await list(app, '/authenticators', { filter })).body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(await found(`identity = "${user.id}" and method = "updb"`), [user.authenticatorId]);
    assert.deepEqual(await found(`updbUsername = "${user.username}"`), [user.authenticatorId]);
  });
});
