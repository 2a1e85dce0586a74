import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { startServer, temporaryFolder } from './child.ts';

const UNIT = 'deploy/systemd/overlay-controller.service';

test('systemd hears that the server is ready, that it is alive, and that it stops', async (t) => {
  const folder = temporaryFolder(t);
  const notifications = join(folder, 'notifications');
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$@" >> ${notifications}\n`, { mode: 0o755 });
  const server = await startServer(t, folder, ['--storage', 'memory'], {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    NOTIFY_SOCKET: join(folder, 'socket'),
    WATCHDOG_USEC: '200000',
  });
  const told = () => (existsSync(notifications) ? readFileSync(notifications, 'utf8').trim().split('\n') : []);
  await until(() => told().filter((state) => state === 'WATCHDOG=1').length >= 2);
  assert.equal(told()[0], 'READY=1');
  await server.stop();
  assert.ok(told().includes('STOPPING=1'));
});

test('the unit is valid, and hardened', {
  skip: existsSync('/usr/bin/systemd-analyze') ? false : 'systemd-analyze is not installed',
}, () => {
  const level = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', UNIT], { encoding: 'utf8' });
  assert.match(level, /Overall exposure level for overlay-controller\.service: 1\.\d OK/);
});
