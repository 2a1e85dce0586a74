import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import type { Handling } from '../../adapters/http/handling.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { consoleHandler } from '../../console/index.ts';
import { guidesRoute } from '../../server/guides.ts';
import { ManagementController } from '../../src/index.ts';
import { requestOf } from '../unit/http/fake-api.ts';

const DESCRIPTIONS = 'https://overlay.example.com/console/descriptions.json';

test('many first requests for the descriptions of the console have the controller describe itself once', async () => {
  const controller = await ManagementController.open({ storage: memoryStorage(), settings: { address: 'https://overlay.example.com' } });
  let asked = 0;
  const counted: Handling = {
    handle: (request) => {
      asked++;
      return controller.handle(request);
    },
  };
  const handle = fetchHandler(consoleHandler(counted));
  const answers = await Promise.all(Array.from({ length: 100 }, () => handle(new Request(DESCRIPTIONS))));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(asked, 1);
  await controller.close();
});

test('a controller that does not answer yet is asked again later, and its first answer is kept', async () => {
  const controller = await ManagementController.open({ storage: memoryStorage(), settings: { address: 'https://overlay.example.com' } });
  let isReady = false;
  const handle = fetchHandler(
    consoleHandler({ handle: async (request) => (isReady ? controller.handle(request) : { status: 503, headers: {}, body: '' }) }),
  );
  assert.equal((await handle(new Request(DESCRIPTIONS))).status, 503);
  isReady = true;
  assert.equal((await handle(new Request(DESCRIPTIONS))).status, 200);
  isReady = false;
  assert.equal((await handle(new Request(DESCRIPTIONS))).status, 200);
  await controller.close();
});

test('a guide is computed once, however many ask, and no name leads to another file', async () => {
  const ask = (name: string) => guidesRoute(requestOf('GET', `/guides/${name}.html`, { token: null }));
  const [first, second] = await Promise.all([ask('console'), ask('console')]);
  assert.equal(first?.status, 200);
  assert.equal(first, second);
  assert.equal(first, await ask('console'));
  for (const name of ['../console', '..%2f..%2fpackage', 'guides/console', 'constructor', '__proto__', 'Console', 'console\0'])
    assert.equal(ask(name), undefined, name);
});
