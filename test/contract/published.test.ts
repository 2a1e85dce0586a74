import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { deviations, isImplemented, publishedOperations } from './published.ts';

const PREFIXES = { management: '/edge/management/v1', client: '/edge/client/v1', fabric: '/fabric/v1' } as const;

test('every published operation is implemented under its id, or stands among the deviations with a reason', () => {
  const missing = publishedOperations.filter((each) => !isImplemented(each)).map(({ api, operationId }) => `${api} ${operationId}`);
  const listed = Object.entries(deviations).flatMap(([api, ids]) => Object.keys(ids).map((id) => `${api} ${id}`));
  assert.deepEqual(missing.toSorted(), listed.toSorted());
});

onEveryStore('published operations', (open) => {
  test('what is left out is not found, or no method of its path, for administrators too', async () => {
    await using app = await open();
    for (const { api, operationId, method, path } of publishedOperations.filter((each) => !isImplemented(each))) {
      const { status } = await app.request(method, `${PREFIXES[api]}${path.replaceAll(/\{[^}]*\}/g, 'an-id')}`, { body: {} });
      assert.ok([404, 405].includes(status), `${operationId}: ${status}`);
    }
  });
});
