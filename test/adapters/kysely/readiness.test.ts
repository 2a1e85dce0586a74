import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import { openApp } from '../../support/app.ts';

test('a controller is not ready while the statement with which calls begin fails', async () => {
  const storage = sqliteStorage({ file: ':memory:' });
  await using app = await openApp('sqlite', { storage });
  assert.equal((await app.controller.health()).store, 'ready');
  storage.connection.exec('alter table overlay_controller_state rename to elsewhere');
  const { isHealthy, store } = await app.controller.health();
  assert.deepEqual([isHealthy, store], [false, 'away']);
  storage.connection.exec('alter table elsewhere rename to overlay_controller_state');
  assert.equal((await app.controller.health()).store, 'ready');
});
