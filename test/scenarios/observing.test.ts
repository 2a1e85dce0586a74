import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthenticationEvent, AuthorizationEvent, ObservedEvent, OperationEvent } from '../../src/index.ts';
import { type OpenOptions, onEveryStore, PASSWORD } from '../support/app.ts';
import { until } from '../support/until.ts';

type Of<T extends ObservedEvent['type']> = Extract<ObservedEvent, { readonly type: T }>;

onEveryStore('observing', (open) => {
  const opened = async (options: OpenOptions = {}) => {
    const events: ObservedEvent[] = [];
    const app = await open({ ...options, observe: (event) => void events.push(event) });
    /** The events that some work leaves. */
    const during = async (work: () => Promise<unknown>): Promise<readonly ObservedEvent[]> => {
      events.length = 0;
      await work();
      return [...events];
    };
    const one = async <T extends ObservedEvent['type']>(type: T, work: () => Promise<unknown>): Promise<Of<T>> => {
      const found = (await during(work)).filter((event): event is Of<T> => event.type === type);
      assert.equal(found.length, 1, `one event of type ${type}`);
      return found[0] as Of<T>; // there is one
    };
    return { app, during, one };
  };

  test('a call over HTTP is one event, with its template in place of its path, and what it asked of the store', async () => {
    const { app, one } = await opened();
    const id = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    // Nothing is in memory.
    await app.tamper(async () => undefined);
    const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'vendor=1' };
    let answered = '';
    const event = await one('operation', async () => {
      const answer = await app.request('GET', `/identities/${id}`, { headers });
      answered = answer.text;
    });
    const { statements, rows, requestId, ...rest } = event;
    assert.deepEqual(rest, {
      type: 'operation',
      transport: 'http',
      method: 'GET',
      operationId: 'detailIdentity',
      operation: 'identities.get',
      surface: 'management',
      route: '/edge/management/v1/identities/{id}',
      status: 200,
      code: undefined,
      actor: 'administrator',
      startedAt: app.clock.now(),
      durationMs: 0,
      queuedMs: 0,
      ...headers,
    });
    assert.ok(statements >= 3 && rows >= 3, 'the session, its identity and the identity that was asked for');
    assert.match(requestId, /^\w{10}$/);
    assert.ok(answered.includes('ann'));
  });

  test('a call in process is one event of the host, or of the identity whose session it is', async () => {
    const { app, one } = await opened();
    const created = await one('operation', () =>
      app.controller.api.identities.create({ body: { name: 'bob', type: 'User', isAdmin: false } }),
    );
    assert.deepEqual(
      [created.transport, created.operationId, created.status, created.actor, created.method],
      ['process', 'createIdentity', 201, 'system', 'POST'],
    );
    const ann = await app.user();
    const token = await ann.login();
    const own = await one('operation', () => app.controller.as(token).currentIdentity.get());
    assert.deepEqual([own.actor, own.status], ['identity', 200]);
    const refused = await one('operation', () => assert.rejects(app.controller.api.identities.get({ id: 'nobody' })));
    assert.deepEqual([refused.status, refused.code], [404, 'NOT_FOUND']);
  });

  test('requests that lead to no operation are reported without their paths', async () => {
    const { app, one } = await opened();
    for (const [method, path, status, code] of [
      ['GET', '/secret-path-of-ann', 404, 'NOT_FOUND'],
      ['DELETE', '/version', 405, 'METHOD_NOT_ALLOWED'],
      ['GET', '/identities/%zz', 400, undefined],
    ] as const) {
      const event = await one('operation', () => app.request(method, path));
      assert.deepEqual(
        [event.status, event.code, event.operationId, event.route, event.operation],
        [status, code, undefined, undefined, undefined],
      );
      assert.ok(!JSON.stringify(event).includes('ann'));
    }
  });

  test('logins are reported with the reason that clients do not get, and never with a name or a password', async () => {
    const { app, during } = await opened();
    const ann = await app.user();
    const disabled = await app.user();
    await app.controller.api.identities.disable({ id: disabled.id, body: { durationMinutes: 0 } });
    const told = async (work: () => Promise<unknown>) => {
      const events = await during(work);
      assert.ok(!/user |Passw0rd|wrong-password|nobody-at-all/.test(JSON.stringify(events)), 'no name, no password');
      return events
        .filter((event): event is AuthenticationEvent => event.type === 'authentication')
        .map(({ method, outcome, reason, identityId, remoteAddress }) => ({ method, outcome, reason, identityId, remoteAddress }));
    };
    const from = { method: 'password', remoteAddress: '127.0.0.1' };
    assert.deepEqual(await told(() => app.login(ann.username, PASSWORD)), [
      { ...from, outcome: 'succeeded', reason: undefined, identityId: ann.id },
    ]);
    assert.deepEqual(await told(() => app.login(ann.username, 'wrong-password')), [
      { ...from, outcome: 'failed', reason: 'credentials', identityId: ann.id },
    ]);
    assert.deepEqual(await told(() => app.login('nobody-at-all', 'wrong-password')), [
      { ...from, outcome: 'failed', reason: 'unknown', identityId: undefined },
    ]);
    assert.deepEqual(await told(() => app.login(disabled.username, PASSWORD)), [
      { ...from, outcome: 'failed', reason: 'not-allowed', identityId: disabled.id },
    ]);
    const certless = await told(() => app.request('POST', '/authenticate?method=cert', { body: {}, as: null }));
    assert.deepEqual(certless, [
      { method: 'cert', remoteAddress: '127.0.0.1', outcome: 'failed', reason: 'credentials', identityId: undefined },
    ]);
  });

  test('the wrong password that locks an identity out is reported as both', async () => {
    const { app, during } = await opened();
    const { data } = await app.controller.api.authPolicies.get({ id: 'default' }).then((policy) => ({ data: policy }));
    await app.controller.api.authPolicies.patch({
      id: 'default',
      body: { primary: { ...data.primary, updb: { ...data.primary.updb, maxAttempts: 2, lockoutDurationMinutes: 5 } } },
    });
    const ann = await app.user();
    const outcomes = async () =>
      (await during(() => app.login(ann.username, 'wrong-password'))).flatMap((event) =>
        event.type === 'authentication' ? [[event.outcome, event.identityId === ann.id]] : [],
      );
    assert.deepEqual(await outcomes(), [['failed', true]]);
    assert.deepEqual((await outcomes()).toSorted(), [
      ['failed', true],
      ['locked', true],
    ]);
  });

  test('a session that asks for more than its rights is denied, and a token that is none fails', async () => {
    const { app, one, during } = await opened();
    const ann = await app.user();
    const token = await ann.login();
    const denied: AuthorizationEvent = await one('authorization', () => app.request('GET', '/identities', { as: token }));
    assert.deepEqual(
      [denied.outcome, denied.operationId, denied.identityId, denied.actor],
      ['denied', 'listIdentities', ann.id, 'identity'],
    );
    const failed: AuthenticationEvent = await one('authentication', () =>
      app.request('GET', '/identities', { as: '7b7b9f1e-8c50-4a51-9d46-4b0f7a2a7a11' }),
    );
    assert.deepEqual([failed.method, failed.outcome, failed.reason], ['token', 'failed', 'invalid-token']);
    const without = await during(() => app.request('GET', '/identities', { as: null }));
    assert.deepEqual(
      without.map(({ type }) => type),
      ['operation'],
      'who presents nothing has tried nothing',
    );
  });

  test('an observer that throws changes no answer', async () => {
    const app = await open({
      observe: () => {
        throw new Error('the observer is broken');
      },
      platform: { logger: { error: () => undefined, warn: () => undefined, info: () => undefined } },
    });
    assert.equal((await app.request('GET', '/version')).status, 200);
    assert.ok(await app.controller.api.identities.list({}));
  });

  test('the wait for a turn to write is reported', async () => {
    const { app, during } = await opened();
    const writes = async () => (await app.controller.statistics()).queues.writes;
    const waiting = async () => (await writes()).waiting;
    // What opening leaves to do is written. What is counted in the store is remembered for the rest of this test.
    await until(async () => (await writes()).running === 0);
    const release = Promise.withResolvers<void>();
    // A write that holds the store; the others wait for it, or for their turn.
    const holding = app.tamper(async () => release.promise);
    const creating = during(async () => {
      const calls = Array.from({ length: 12 }, (_, i) =>
        app.controller.api.identities.create({ body: { name: `waits ${i}`, type: 'User', isAdmin: false } }),
      );
      await until(async () => (await waiting()) === 4);
      app.clock.advance('3s');
      release.resolve();
      await holding;
      await Promise.all(calls);
    });
    const waited = (await creating).filter((event): event is OperationEvent => event.type === 'operation').map(({ queuedMs }) => queuedMs);
    assert.equal(waited.filter((ms) => ms === 3000).length, 4, 'eight write at once, and four wait for their turn');
    assert.equal(waited.filter((ms) => ms === 0).length, 8);
  });

  test('a value that is not a function cannot observe', async () => {
    const wrong = [{}] as never; // as plain JavaScript may hand it in
    await assert.rejects(open({ observe: wrong }), /the option 'observe' .* must be a function/);
  });
});
