/** A page has at most 500 entities, and each of them may be large: turned into text in one go, such a page held up everybody else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '../../src/contract/api/services.ts';
import type { CoreRequest } from '../../src/http/message.ts';
import { type App, onEveryStore } from '../support/app.ts';

const SERVICES = 120;
const LIST = '/edge/management/v1/services?limit=500&sort=name';

/** Services of 40 KB each. */
const ground = (app: App) =>
  app.inStore('write', async (entities) => {
    for (let i = 0; i < SERVICES; i++)
      await entities.insert(service, {
        name: `service ${i} 𝒮`,
        encryptionRequired: true,
        maxIdleTimeMillis: 0,
        terminatorStrategy: 'smartrouting',
        roleAttributes: Array.from({ length: 500 }, (_, n) => `${'attribute '.repeat(7)}${n}`),
        configs: [],
      });
  });

const request = (app: App, target: string): CoreRequest => ({
  method: 'GET',
  target,
  header: (name) => (name === 'zt-session' ? app.admin : undefined),
  body: async () => new Uint8Array(),
  remoteAddress: '127.0.0.1',
});

onEveryStore('long pages', (open) => {
  test('a long page comes part by part, and others have a turn in between', async () => {
    await using app = await open();
    await ground(app);
    const { status, headers, body } = await app.controller.handle(request(app, LIST));
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/json');
    assert.ok(typeof body === 'object' && !(body instanceof Uint8Array), 'it is no text of one piece');
    const decoder = new TextDecoder();
    let [text, bytes, turns] = ['', 0, 0];
    const others = setInterval(() => turns++, 0);
    for await (const part of body) {
      text += decoder.decode(part, { stream: true });
      bytes += part.length;
      assert.ok(part.length <= 65_536, `${part.length} bytes in a part`);
    }
    clearInterval(others);
    // What is made before it begins shows that the page is long.
    const rest = bytes - 2_000_000;
    assert.ok(rest > 1_200_000 && turns >= rest / 600_000, `${turns} turns of others while ${rest} bytes were made`);
    const { data, pagination } = await app.controller.api.services.list({ limit: 500, sort: 'name' });
    const page = JSON.parse(text);
    assert.deepEqual(page.data, JSON.parse(JSON.stringify(data)));
    assert.deepEqual(page.meta.pagination, pagination);
  });

  test('a client that goes away in the middle leaves nothing open', async () => {
    await using app = await open({ settings: { maxOpenStreams: 1 } });
    await ground(app);
    for (let i = 0; i < 3; i++) {
      const { body } = await app.controller.handle(request(app, LIST));
      assert.ok(typeof body === 'object' && !(body instanceof Uint8Array));
      for await (const part of body) if (part.length > 0) break;
    }
  });

  test('a short page is one text', async () => {
    await using app = await open();
    const { body } = await app.controller.handle(request(app, LIST));
    assert.equal(typeof body, 'string');
  });
});
