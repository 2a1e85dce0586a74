import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkEvent, NetworkEventKind } from '../../src/index.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { ann } from '../support/events.ts';
import { policyBody } from '../support/policies.ts';
import { aRouter, aService } from '../support/samples/entities.ts';
import { until } from '../support/until.ts';

/** Hears events of some kinds. */
const hearing = <K extends NetworkEventKind>({ controller }: App, ...kinds: readonly K[]): NetworkEvent<K>[] => {
  const heard: NetworkEvent<K>[] = [];
  for (const kind of kinds) controller.networkEvents.on(kind, (event) => void heard.push(event));
  return heard;
};

onEveryStore('network events of entities', (open) => {
  test('a change has an event with the states before and after, and one that it is committed', async () => {
    await using app = await open();
    const heard = hearing(app, 'entity.change');
    const id = await app.create('/services', { name: 'web', encryptionRequired: true, roleAttributes: ['a'] });
    await app.request('PATCH', `/services/${id}`, { body: { name: 'shop', maxIdleTimeMillis: 5 } });
    await app.request('DELETE', `/services/${id}`);
    const own = heard.filter(({ isParentEvent }) => !isParentEvent);
    assert.deepEqual(
      own.map(({ eventType, entityType }) => [eventType, entityType]),
      [
        ['created', 'services'],
        ['committed', undefined],
        ['updated', 'services'],
        ['committed', undefined],
        ['deleted', 'services'],
        ['committed', undefined],
      ],
    );
    const [created, committed, updated, , deleted] = own;
    assert.equal(created?.eventId, committed?.eventId);
    assert.notEqual(created?.eventId, updated?.eventId);
    assert.deepEqual(Object.keys(committed ?? {}), ['namespace', 'event_src_id', 'timestamp', 'eventId', 'eventType']);
    assert.equal(created?.initialState, null);
    assert.equal(deleted?.finalState, null);
    assert.deepEqual(Object.keys(created?.finalState ?? {}), [
      ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem'],
      ...['name', 'maxIdleTime', 'terminatorStrategy', 'roleAttributes', 'configs', 'encryptionRequired'],
    ]);
    assert.deepEqual(
      [updated?.initialState?.name, updated?.finalState?.name, updated?.finalState?.maxIdleTime],
      ['web', 'shop', 5_000_000],
    );
    assert.equal(created?.metadata?.author.type, 'identity');
  });

  test('an API session and a session have events when they begin and end, without their tokens', async () => {
    await using app = await open();
    const heard = hearing(app, 'apiSession', 'session');
    const user = await app.user();
    const login = await user.login();
    await app.request('DELETE', `/identities/${user.id}`);
    const types = heard.map(({ namespace, event_type }) => `${namespace} ${event_type}`);
    assert.deepEqual(types, ['apiSession created', 'apiSession deleted']);
    const [created] = heard;
    assert.partialDeepStrictEqual(created, { type: 'legacy', token: '', identity_id: user.id });
    assert.ok(!JSON.stringify(heard).includes(JSON.stringify(login)));
  });

  test('a login that succeeds and one that fails have events, without the password', async () => {
    await using app = await open();
    const heard = hearing(app, 'authentication');
    const user = await app.user();
    await user.login();
    assert.equal((await app.login(user.username, 'not-the-password')).status, 401);
    assert.equal((await app.login('nobody-at-all', 'not-the-password')).status, 401);
    assert.deepEqual(
      heard.map(({ event_type, type, identity_id, success, auth_policy_id }) => [event_type, type, identity_id, success, auth_policy_id]),
      [
        ['success', 'password', user.id, true, 'default'],
        ['fail', 'password', user.id, false, 'default'],
        ['fail', 'password', '', false, ''],
      ],
    );
    assert.ok(heard[0]?.authenticator_id);
    assert.deepEqual([heard[1]?.authenticator_id, heard[2]?.authenticator_id], [heard[0].authenticator_id, '']);
    assert.ok(!JSON.stringify(heard).includes('not-the-password'));
  });

  test('a terminator has events with the number of terminators of its service', async () => {
    await using app = await open();
    const heard = hearing(app, 'terminator');
    const [service, router] = [await aService(app), await aRouter(app)];
    const id = await app.create('/terminators', { service, router, binding: 'transport', address: 'tcp:10.0.0.1:80', cost: 5 });
    await until(() => heard.length === 1);
    const [created] = heard;
    assert.deepEqual(
      { ...created, event_src_id: '', timestamp: '' },
      {
        namespace: 'terminator',
        event_src_id: '',
        timestamp: '',
        event_type: 'created',
        service_id: service,
        terminator_id: id,
        router_id: router,
        host_id: '',
        instance_id: '',
        router_online: false,
        precedence: 'default',
        static_cost: 5,
        dynamic_cost: 0,
        total_terminators: 1,
        usable_default_terminators: 0,
        usable_required_terminators: 0,
      },
    );
  });

  test('no event has a password, its hash, a token or a secret', async () => {
    await using app = await open();
    const heard = hearing(app, 'entity.change', 'apiSession', 'session');
    const identityId = await app.create('/identities', ann);
    await app.create('/authenticators', { identityId, method: 'updb', username: 'ann-smith', password: PASSWORD });
    await app.create('/enrollments', { identityId, method: 'ott', expiresAt: '2030-01-01T00:00:00Z' });
    const [service, router] = [await aService(app), await aRouter(app)];
    const secret = 'c2VjcmV0LW9mLWEtdGVybWluYXRvcg==';
    await app.create('/terminators', {
      ...{ service, router, binding: 'transport', address: 'tcp:10.0.0.1:80', identity: 'one', identitySecret: secret },
    });
    const text = JSON.stringify(heard);
    for (const hidden of [PASSWORD, '$argon2', secret, 'token":"e']) assert.ok(!text.includes(hidden), hidden);
    const names = new Set(heard.flatMap((event) => ('finalState' in event ? Object.keys(event.finalState ?? {}) : [])));
    for (const name of ['password', 'salt', 'token', 'secret', 'recoveryCodes', 'instanceSecret', 'verificationToken'])
      assert.ok(!names.has(name), name);
    assert.ok(names.has('subType') && names.has('instanceId'), 'these kinds were among the events');
  });

  test('the states of entities have the fields of the reference', async () => {
    await using app = await open();
    const heard = hearing(app, 'entity.change');
    const identityId = await app.create('/identities', { ...ann, defaultHostingPrecedence: 'failed' });
    await app.create('/authenticators', { identityId, method: 'updb', username: 'ann-smith', password: PASSWORD });
    await app.request('POST', `/identities/${identityId}/disable`, { body: { durationMinutes: 5 } });
    const statesOf = (type: string) => heard.filter(({ entityType }) => entityType === type).map(({ finalState }) => finalState);
    const states = statesOf('identities').filter((state) => state?.id === identityId);
    assert.partialDeepStrictEqual(states[0], { defaultHostingPrecedence: 2, disabled: false, disabledUntil: null });
    assert.partialDeepStrictEqual(states.at(-1), { disabled: true });
    assert.partialDeepStrictEqual(statesOf('authenticators').at(-1), { type: 'updb', identityId, subType: { username: 'ann-smith' } });
    await app.create('/auth-policies', policyBody('strict'));
    assert.partialDeepStrictEqual(statesOf('authPolicies').at(-1), {
      primary: { extJwt: { allowedExtJwtSigners: [] } },
      secondary: { requireTotp: false, requiredExtJwtSigner: null },
    });
  });
});
