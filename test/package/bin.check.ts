import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { install, run } from './pack.ts';

/** The package as npm leaves it: what it is made of, and its command. */
const installed = (t: Parameters<typeof install>[0]): string => {
  const app = install(t);
  writeFileSync(join(app, 'package.json'), '{}');
  run(app, 'npm', 'rebuild', 'overlay-controller', '--ignore-scripts', '--offline');
  return app;
};

test('npx overlay-controller lists its options and commands, and says what is wrong with one', (t) => {
  const app = installed(t);
  assert.match(run(app, 'npx', '--offline', 'overlay-controller', 'inspect', '--help'), /^Usage: overlay-controller inspect \[options\]/m);
  assert.match(run(app, 'npx', '--offline', 'overlay-controller', '--help'), /^Usage: overlay-controller \[options\]/m);
  assert.throws(
    () => run(app, 'npx', '--offline', 'overlay-controller', '--prot', '1'),
    /error: unknown option --prot: did you mean --port\?/,
  );
  assert.throws(
    () => run(app, 'npx', '--offline', 'overlay-controller', '--storage', 'postgres://localhost/overlay'),
    /needs the package pg beside overlay-controller/,
  );
});

test('npx overlay-controller serves in an empty folder, until SIGTERM', async (t) => {
  const app = installed(t);
  const args = [
    '--offline',
    'overlay-controller',
    '--port',
    '0',
    '--tls',
    'off',
    '--admin-password',
    'a password of the test',
    '--storage',
    'memory',
  ];
  const child = spawn('npx', args, { cwd: app, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  t.after(() => process.kill(-(child.pid ?? 0), 'SIGKILL'));
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        said += part;
        const found = /^listening on +(\S+)$/m.exec(said)?.[1];
        if (found) resolve(found);
      });
    child.once('exit', () => reject(new Error(`it ended: ${said}`)));
  });
  const answer = await fetch(`${url}/edge/management/v1/version`);
  assert.equal(answer.status, 200);
  const closed = once(child, 'close'); // all that holds its output is gone, the server itself, too
  child.kill('SIGTERM');
  await closed;
  await assert.rejects(fetch(`${url}/edge/management/v1/version`));
});
