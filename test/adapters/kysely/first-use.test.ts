import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { folder } from './support.ts';

test('Kysely is loaded when the host first uses it: no start waits for it', async () => {
  await using place = await folder();
  const { stdout } = await promisify(execFile)(process.execPath, [new URL('./first-use.ts', import.meta.url).pathname, place.file]);
  const loaded: readonly string[] = JSON.parse(stdout);
  assert.ok(loaded.includes('zod'), 'what is loaded is seen');
  assert.ok(!loaded.includes('kysely'), loaded.join());
});
