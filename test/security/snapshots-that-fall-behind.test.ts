/**
 * A client that went on within an old snapshot had the whole log read into memory at once, for each of its streams, while everybody else
 * waited.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { config } from '../../src/contract/api/configs.ts';
import { service } from '../../src/contract/api/services.ts';
import type { CoreRequest } from '../../src/http/message.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { overheard } from '../support/overheard.ts';
import { countTurns } from '../support/turns.ts';

const FOLLOW = '/edge/management/extensions/v1/changes/follow?snapshot=true';

const ask = (app: App, kind: string, lastEventId?: string) => {
  const headers = new Map<string, string | undefined>([
    ['zt-session', app.admin],
    ['last-event-id', lastEventId],
  ]);
  const request: CoreRequest = {
    method: 'GET',
    target: `${FOLLOW}&kinds=${kind}`,
    header: (name) => headers.get(name),
    body: async () => new Uint8Array(),
    remoteAddress: '127.0.0.1',
  };
  return app.controller.handle(request);
};

/** The events of a snapshot, up to its end. */
const snapshotOf = async ({ body }: Awaited<ReturnType<typeof ask>>): Promise<number> => {
  assert.ok(typeof body === 'object' && !(body instanceof Uint8Array));
  let entities = 0;
  for await (const part of body) {
    const text = new TextDecoder().decode(part);
    if (text.includes('"complete"')) break;
    if (text.includes('"exists"')) entities++;
  }
  return entities;
};

const large = async (app: App, from: number, count: number) => {
  const [{ id: configTypeId } = { id: '' }] = (await app.controller.api.configTypes.list()).data;
  await app.inStore('write', async (entities) => {
    for (let i = from; i < from + count; i++)
      await entities.insert(config, { name: `large ${i}`, configTypeId, data: { text: 'x'.repeat(200_000) } });
  });
};

const small = (app: App, count: number) =>
  app.inStore('write', async (entities) => {
    const fields = { encryptionRequired: true, maxIdleTimeMillis: 0, terminatorStrategy: 'smartrouting', roleAttributes: [], configs: [] };
    for (let i = 0; i < count; i++) await entities.insert(service, { name: `service ${i}`, ...fields });
  });

onEveryStore('snapshots that fall behind', (open, store) => {
  test('a reader that continues within a snapshot from which the network has moved on too far begins another one', async () => {
    await using app = await open();
    const revision = await app.inStore('read', (entities) => entities.revision());
    await large(app, 0, 30);
    assert.equal(await snapshotOf(await ask(app, 'config', `${revision}/`)), 0, 'near enough');
    await large(app, 30, 150);
    const { status, body } = await ask(app, 'config', `${revision}/`);
    assert.equal(status, 410);
    assert.match(String(body), /CURSOR_EXPIRED/);
    assert.ok((await snapshotOf(await ask(app, 'service'))) >= 0, 'another one begins');
  });

  test('others have turns while the changes since a snapshot are read', async () => {
    await using app = await open();
    const revision = await app.inStore('read', (entities) => entities.revision());
    await small(app, 3000);
    using others = countTurns();
    assert.equal(await snapshotOf(await ask(app, 'service', `${revision}/`)), 0);
    assert.ok(others.turns >= 20, `${others.turns} turns of others`);
  });

  test('large entities are read a few at a time', async () => {
    const { storage, asked } = overheard(store, 'config');
    await using app = await open({ storage });
    await large(app, 0, 40);
    asked.length = 0;
    assert.equal(await snapshotOf(await ask(app, 'config')), 40);
    assert.ok(Math.max(...asked.map(({ limit = Infinity }) => limit)) <= 10);
  });
});
