import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import { newSecretKey } from '../../../src/index.ts';
import { openApp } from '../../support/app.ts';
import { jwtOf, keysIn, nameOfKey, OWN_AUTHORITY, sealMuch } from '../../support/sealed.ts';
import { folder } from './support.ts';

test('a process that is killed while it seals a network anew leaves one that opens with both keys, and can be begun again', async () => {
  const [OLD, NEW] = [newSecretKey(), newSecretKey()];
  const [old, now] = [await nameOfKey(OLD), await nameOfKey(NEW)];
  await using place = await folder();
  const opened = (...secretKey: readonly string[]) =>
    openApp('sqlite', { ...OWN_AUTHORITY, storage: sqliteStorage({ file: place.file, synchronous: 'NORMAL' }), secretKey });
  const first = await opened(OLD);
  const { enrollmentId, jwt } = await sealMuch(first, 220);
  await first.close();

  const keysAfter: (readonly string[])[] = [];
  for (const transaction of [0, 2, 100]) {
    const worker = new URL('./reseal-worker.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [worker, place.file, NEW, OLD, String(transaction)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    assert.equal(String(said), transaction === 100 ? 'done\n' : 'standing still\n');
    await using app = await opened(NEW, OLD);
    assert.equal(await jwtOf(app, enrollmentId), jwt);
    keysAfter.push((await keysIn(app)).toSorted());
    if (transaction === 2) await assert.rejects(opened(NEW), /open it with both/);
  }

  const both = [old, now].toSorted();
  assert.deepEqual(keysAfter, [[old], both, [now]], 'nothing of what was killed within its transaction, and all of those before');
  await using last = await opened(NEW);
  assert.equal(await jwtOf(last, enrollmentId), jwt);
});
