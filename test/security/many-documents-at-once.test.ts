import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApp } from '../support/app.ts';

const PLAN = '/edge/management/extensions/v1/state/lines/plan';

test('of one identity, few documents in lines are read at a time, whatever its sessions', async () => {
  await using app = await openApp('memory');
  const auditor = await app.user({ permissions: ['admin_readonly'] });
  let asked = 0;
  const free = Promise.withResolvers<void>();
  const send = async (token: string) =>
    app.controller.handle({
      method: 'POST',
      target: PLAN,
      header: (name) => ({ 'content-type': 'application/x-ndjson', 'zt-session': token })[name],
      body: async () => {
        asked++;
        await free.promise;
        return new TextEncoder().encode('\n');
      },
    });
  const tokens = await Promise.all(Array.from({ length: 18 }, () => auditor.login()));
  const answers = tokens.map(send);
  for (let turn = 0; turn < 500; turn++) await new Promise(setImmediate);
  const most = asked;
  free.resolve();
  await Promise.all(answers);
  assert.ok(most < 5, `${most} bodies of 64 MiB each are read at once`);
});
