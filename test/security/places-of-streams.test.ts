/**
 * Answers without an end must not be taken from everybody by one identity, in however many sessions, nor by those who do not read long
 * lists.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostRule } from '../../src/call/pipeline/host-rule.ts';
import { service } from '../../src/contract/api/services.ts';
import type { CoreAnswer, CoreRequest } from '../../src/http/message.ts';
import { type App, openApp } from '../support/app.ts';

const FOLLOW = '/edge/management/extensions/v1/changes/follow';
const LIST = '/edge/management/v1/services?limit=500';

/** Everybody may read everything. */
const authorize: HostRule = ({ right }) => (right?.endsWith('.read') ? true : undefined);

const open = (settings: NonNullable<Parameters<typeof openApp>[1]>['settings'] = {}) => openApp('memory', { authorize, settings });

const ask = (app: App, target: string, token: string): Promise<CoreAnswer> => {
  const request: CoreRequest = {
    method: 'GET',
    target,
    header: (name) => (name === 'zt-session' ? token : undefined),
    body: async () => new Uint8Array(),
    remoteAddress: '127.0.0.1',
  };
  return app.controller.handle(request);
};

/** Parts of an answer, as its adapter asks for them. */
const partsOf = ({ body }: CoreAnswer): AsyncIterator<Uint8Array> => {
  assert.ok(typeof body === 'object' && !(body instanceof Uint8Array));
  return body[Symbol.asyncIterator]();
};

/** Follows the changes, as far as it may. @returns the status, and what ends the stream */
const follow = async (app: App, token: string) => {
  const answer = await ask(app, FOLLOW, token);
  const parts = answer.status === 200 ? partsOf(answer) : undefined;
  await parts?.next();
  return { status: answer.status, headers: answer.headers, end: () => parts?.return?.() };
};

/** A page of more than 512 KiB. */
const fill = (app: App) =>
  app.inStore('write', async (entities) => {
    for (let i = 0; i < 20; i++)
      await entities.insert(service, {
        name: `service ${i}`,
        encryptionRequired: true,
        maxIdleTimeMillis: 0,
        terminatorStrategy: 'smartrouting',
        roleAttributes: Array.from({ length: 500 }, (_, n) => `${'attribute '.repeat(7)}${n}`),
        configs: [],
      });
  });

test('an identity has its share of the streams, in all of its sessions together, and others have theirs', async () => {
  await using app = await open({ maxOpenStreamsPerIdentity: 3 });
  const [ann, bob] = [await app.user(), await app.user()];
  const streams = [];
  for (let i = 0; i < 3; i++) streams.push(await follow(app, await ann.login()));
  assert.deepEqual(
    streams.map(({ status }) => status),
    [200, 200, 200],
  );
  const refused = await follow(app, await ann.login());
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  assert.equal((await follow(app, await bob.login())).status, 200);
  await streams[0]?.end();
  await streams[0]?.end();
  assert.equal((await follow(app, await ann.login())).status, 200, 'one has ended');
  assert.equal((await follow(app, await ann.login())).status, 429, 'and only one');
});

test('by default an identity has few streams, far less than there are', async () => {
  await using app = await open();
  const as = await (await app.user()).login();
  let opened = 0;
  while ((await follow(app, as)).status === 200) opened++;
  assert.ok(opened >= 10 && opened < 60, `${opened} streams`);
});

test('however many identities take their share, there is room for administrators', async () => {
  await using app = await open({ maxOpenStreams: 8, maxOpenStreamsPerIdentity: 2 });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) {
    const as = await (await app.user()).login();
    for (let j = 0; j < 2; j++) statuses.push((await follow(app, as)).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 503, 503]);
  assert.equal((await follow(app, app.admin)).status, 200);
});

test('lists that are not read take no place from streams, and streams none from lists', async () => {
  await using app = await open({ maxOpenStreams: 4, maxOpenStreamsPerIdentity: 1 });
  await fill(app);
  const as = await (await app.user()).login();
  for (let i = 0; i < 6; i++) {
    const list = await ask(app, LIST, as);
    assert.equal(list.status, 200);
    await partsOf(list).next();
  }
  assert.equal((await follow(app, as)).status, 200);
  assert.equal((await follow(app, as)).status, 429);
  assert.equal((await ask(app, LIST, as)).status, 200);
});
