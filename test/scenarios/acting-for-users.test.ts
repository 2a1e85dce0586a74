import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/contract/errors/index.ts';
import { type App, onEveryStore } from '../support/app.ts';

const person = (name: string, isAdmin = false) => ({ name, type: 'User', isAdmin }) as const;
const refusedWith = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

onEveryStore('a host that acts for its users', (open) => {
  const latest = async (app: App) => (await app.rows('change')).at(-1);
  const identity = async (app: App, name: string, isAdmin = false) =>
    (await app.controller.api.identities.create({ body: person(name, isAdmin) })).id;

  test('what the host says of a call is in its change record and its event', async () => {
    await using app = await open();
    const events: unknown[] = [];
    app.controller.events.on(
      'identity',
      ({ actor, onBehalfOf, reason, requestId }) => void events.push({ actor, onBehalfOf, reason, requestId }),
    );
    const said = { actor: 'sso:123', onBehalfOf: 'ann@example.com', reason: 'ticket 42', requestId: 'r-1' };
    const { id } = await app.controller.api.identities.create({ body: person('ann') }, said);
    const record = await latest(app);
    for (const [field, value] of Object.entries(said)) assert.equal(record?.[field], value);
    await app.controller.api.identities.patch({ id, body: { externalId: 'e' } });
    assert.deepEqual(events[0], said);
    assert.deepEqual({ ...(events[1] as object), requestId: '' }, { actor: 'system', onBehalfOf: null, reason: null, requestId: '' });
  });

  test('an actor that could be an identity, and texts out of form, are refused before anything is done', async () => {
    await using app = await open();
    const create = (options: object) => app.controller.api.identities.create({ body: person('ann') }, options);
    const bad: readonly object[] = [
      { actor: 'system' },
      { actor: 'AbCdEf123' },
      { actor: ':x' },
      { actor: 'sso:' },
      { actor: `sso:${'x'.repeat(253)}` },
      { actor: 'sso:a\nb' },
      { actor: 7 },
      { onBehalfOf: '' },
      { onBehalfOf: 'x'.repeat(257) },
      { reason: 'x'.repeat(1001) },
      { reason: 'a\u0000b' },
      { requestId: 'a b' },
      { requestId: 'x'.repeat(129) },
      { onBehalf: 'x' },
    ];
    for (const options of bad) await assert.rejects(create(options), TypeError, JSON.stringify(options));
    assert.deepEqual((await app.controller.api.identities.list({ filter: 'name = "ann"' })).data, []);
  });

  test('a call for an identity has its rights, and is put down to it', async () => {
    await using app = await open();
    const [ann, boss] = [await identity(app, 'ann'), await identity(app, 'boss', true)];
    await assert.rejects(app.controller.asIdentity(ann).identities.list({}), refusedWith('UNAUTHORIZED'));
    await assert.rejects(app.controller.asIdentity(ann).identities.create({ body: person('eve') }), refusedWith('UNAUTHORIZED'));
    await app.controller.asIdentity(boss).identities.create({ body: person('eve') });
    assert.equal((await latest(app))?.actor, boss);
    await app.controller.asIdentity(boss).identities.create({ body: person('kim') }, { actor: 'sso:boss' });
    assert.equal((await latest(app))?.actor, 'sso:boss');
  });

  test('an identity sees itself and its services without a session', async () => {
    await using app = await open();
    const { controller } = app;
    const ann = await identity(app, 'ann');
    const service = (name: string) => controller.api.services.create({ body: { name, encryptionRequired: true } });
    const [granted] = [await service('granted'), await service('other')];
    const [identityRoles, serviceRoles] = [[`@${ann}`], [`@${granted.id}`]];
    await controller.api.servicePolicies.create({ body: { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles, serviceRoles } });
    const as = controller.asIdentity(ann);
    assert.equal((await as.currentIdentity.get()).name, 'ann');
    assert.deepEqual(
      (await as.accessibleServices.list({})).data.map(({ name }) => name),
      ['granted'],
    );
    await assert.rejects(as.currentApiSession.get(), refusedWith('UNAUTHORIZED'));
    await assert.rejects(as.sessions.create({ body: { serviceId: granted.id, type: 'Dial' } }), refusedWith('UNAUTHORIZED'));
  });

  test('the rights of an identity are those of the moment: unknown, disabled, no longer an administrator', async () => {
    await using app = await open();
    const boss = await identity(app, 'boss', true);
    const as = app.controller.asIdentity(boss);
    await as.identities.list({});
    await app.controller.api.identities.patch({ id: boss, body: { isAdmin: false } });
    await assert.rejects(as.identities.list({}), refusedWith('UNAUTHORIZED'));
    await app.controller.api.identities.disable({ id: boss, body: { durationMinutes: 0 } });
    await assert.rejects(as.currentIdentity.get(), refusedWith('UNAUTHORIZED'));
    await assert.rejects(app.controller.asIdentity('nobody').currentIdentity.get(), refusedWith('NOT_FOUND'));
  });

  test('a right that is lost between the start of a call and its write is lost', async () => {
    await using app = await open();
    const boss = await identity(app, 'boss', true);
    const hasher = app.controller.asIdentity(boss).identities.create({ body: person('eve') });
    // The patch is queued behind nothing: whichever write comes second sees the first.
    const demotion = app.controller.api.identities.patch({ id: boss, body: { isAdmin: false } });
    const [created] = await Promise.allSettled([hasher, demotion]);
    const records = await app.rows('change');
    const demoted = records.findIndex(({ entityId, action }) => entityId === boss && action === 'update');
    const eve = records.findIndex(({ after }) => (after as { name?: string } | null)?.name === 'eve');
    assert.ok(created.status === 'rejected' ? eve === -1 : eve < demoted);
  });

  test('a request id that a client gives is kept where it is well-formed', async () => {
    await using app = await open();
    const ask = async (id: string) => {
      const { body } = await app.request('GET', '/identities/none', { headers: { 'x-request-id': id } });
      return body.error.requestId;
    };
    assert.equal(await ask('trace-0af7651916cd43dd'), 'trace-0af7651916cd43dd');
    for (const bad of ['', 'a b', 'x'.repeat(129), 'é']) assert.notEqual(await ask(bad), bad);
    const { body } = await app.request('POST', '/identities', { body: person('ann'), headers: { 'x-request-id': 'r-7' } });
    assert.ok(body.data.id);
    assert.equal((await latest(app))?.requestId, 'r-7');
  });
});
