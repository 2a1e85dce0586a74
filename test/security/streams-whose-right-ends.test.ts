/** A stream ends with the right of its own caller: not later, and not with that of another caller, with which it shares its reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveToken, rotate } from '../support/api-tokens.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { until } from '../support/until.ts';

/** A follower of the changes of services: the text that it has received so far. */
const follow = async (app: App, as: string, remoteAddress = '192.0.2.1') => {
  const { body } = await app.controller.handle({
    method: 'GET',
    target: '/edge/management/extensions/v1/changes/follow?kinds=service',
    header: (name) => (name === 'zt-session' ? as : undefined),
    body: async () => new Uint8Array(),
    remoteAddress,
  });
  assert.ok(typeof body === 'object' && !(body instanceof Uint8Array));
  const received = { text: '', hasEnded: false };
  const read = async () => {
    for await (const part of body) received.text += new TextDecoder().decode(part);
  };
  void read()
    .catch(() => undefined)
    .finally(() => (received.hasEnded = true));
  return received;
};

const createService = ({ controller: { api } }: App, name: string) => api.services.create({ body: { name, encryptionRequired: true } });

onEveryStore('a stream', (open) => {
  test('ends with its own session, secret or address, and others of the same identity and token do not', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id: identityId, username } = await app.user({ isAdmin: true });
    const [one, other] = [await app.login(username, PASSWORD), await app.login(username, PASSWORD)].map(({ body }) => body.data);
    const [rotated, moved] = [await giveToken(app, identityId, { isAdmin: true }), await giveToken(app, identityId, { isAdmin: true })];
    const secret = await rotate(app, rotated.id, 10);
    // Those that stay come first: what is found out about them must not count for the others.
    const living = [await follow(app, one.token), await follow(app, secret), await follow(app, moved.secret)];
    const ending = [await follow(app, other.token), await follow(app, rotated.secret), await follow(app, moved.secret, '198.51.100.1')];
    await createService(app, 'the-first');
    await until(() => [...living, ...ending].every(({ text }) => text.includes('the-first')));
    await api.apiSessions.delete({ id: other.id });
    await api.apiTokens.patch({ id: moved.id, body: { addressRanges: ['192.0.2.0/24'] } });
    app.clock.advance('10m');
    await createService(app, 'the-last');
    await until(() => living.every(({ text }) => text.includes('the-last')) && ending.every(({ hasEnded }) => hasEnded));
    assert.deepEqual(
      ending.map(({ text }) => text.includes('the-last')),
      [false, false, false],
    );
    assert.ok(living.every(({ hasEnded }) => !hasEnded));
  });

  test('ends within five seconds, also while nothing of its kinds changes', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    const stream = await follow(app, await user.login());
    await until(() => stream.text.includes('id:'));
    await app.controller.api.identities.patch({ id: user.id, body: { isAdmin: false } });
    await app.settled();
    app.clock.advance('5s');
    await until(() => stream.hasEnded);
  });

  test('ends when its session owes a factor that it did not owe when it began', async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('one factor'));
    const callers = [{ isAdmin: true }, { permissions: ['admin_readonly'] }].map((rights) => app.user({ authPolicyId, ...rights }));
    const streams = await Promise.all(callers.map(async (caller) => follow(app, await (await caller).login())));
    await until(() => streams.every(({ text }) => text.includes('id:')));
    await app.request('PATCH', `/auth-policies/${authPolicyId}`, { body: { secondary: { requireTotp: true } } });
    await createService(app, 'the-last');
    await until(() => streams.every(({ hasEnded }) => hasEnded));
    assert.ok(!streams.some(({ text }) => text.includes('the-last')));
  });

  test('ends while its reader is behind, and there are always events to read', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    const token = await user.login();
    const { body } = await app.controller.handle({
      method: 'GET',
      target: '/edge/management/extensions/v1/network-events?types=entityChange',
      header: (name) => (name === 'zt-session' ? token : undefined),
      body: async () => new Uint8Array(),
      remoteAddress: '192.0.2.1',
    });
    assert.ok(typeof body === 'object' && !(body instanceof Uint8Array));
    const parts = body[Symbol.asyncIterator]();
    await parts.next(); // it is open
    for (let i = 0; i < 5; i++) await createService(app, `service ${i}`);
    assert.match(new TextDecoder().decode((await parts.next()).value), /service 0/);
    await app.controller.api.identities.patch({ id: user.id, body: { isAdmin: false } });
    await app.settled();
    app.clock.advance('5s');
    assert.deepEqual(await parts.next(), { done: true, value: undefined });
  });
});
