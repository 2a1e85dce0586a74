import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const needsNpm = {
  skip:
    (process.platform === 'win32' && 'signals end processes there') ||
    (spawnSync('npm', ['--version']).status !== 0 && 'npm is not installed'),
};

/** Waits until a process has said something. */
const says = async (child: ChildProcess, words: RegExp): Promise<RegExpExecArray> => {
  let said = '';
  for await (const part of child.stdout ?? []) {
    said += part;
    const found = words.exec(said);
    if (found) return found;
  }
  throw new Error(`it ended, and said: ${said}`);
};

/** Throws where the port cannot be had. */
const take = async (port: number): Promise<void> => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
};

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`${signal} to npm alone ends the server that it runs, and the port is free`, needsNpm, async (t) => {
    const child = spawn('npm', ['start', '--', '--storage', 'memory', '--tls', 'off', '--port', '0', '--drain', '1'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true, // a group of its own, which goes when something is left of it
    });
    t.after(() => attempt(() => process.kill(-(child.pid ?? 0), 'SIGKILL')));
    const [, port = ''] = await says(child, /\nlistening on http:\/\/127\.0\.0\.1:(\d+)\n/);
    await assert.rejects(take(Number(port)), { code: 'EADDRINUSE' });
    child.kill(signal);
    await once(child, 'exit');
    await take(Number(port));
  });

test('where the shell has no `exec`, there is a command of that name', () => {
  assert.match(scripts.start, /^exec node /);
  assert.match(readFileSync(join(root, 'exec.cmd'), 'utf8'), /^@%\*\r?$/m);
});

const attempt = (act: () => void): void => {
  try {
    act();
  } catch {
    // It is over.
  }
};

/** A process that ends as the server does. */
const running = (code: string) =>
  spawn(
    process.execPath,
    [
      '--input-type=module-typescript',
      '--eval',
      `import { exitOnSignal } from ${JSON.stringify(join(root, 'server/shutdown.ts'))};
       ${code}
       setInterval(() => undefined, 1000);
       console.log('ready');`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );

/** One with something to close that takes as long as `close` says. */
const closing = (close: string, limitMs: number) => running(`exitOnSignal()(async () => { ${close} }, ${limitMs});`);

const cases = [
  ['all that was closed', 'return;', 60_000, 0, ''],
  ['what could not be closed', "throw new Error('the disk is gone');", 60_000, 1, 'error: shutdown failed: the disk is gone\n'],
  [
    'a database that stands still',
    'await new Promise(() => undefined);',
    100,
    3,
    'error: shutdown did not finish within 0.1 seconds: the remaining requests were aborted\n',
  ],
] as const;
for (const [what, close, limitMs, code, err] of cases)
  test(`the exit status reports ${what}`, async (t) => {
    const child = closing(close, limitMs);
    t.after(() => child.kill('SIGKILL'));
    await says(child, /ready/);
    let said = '';
    child.stderr.on('data', (part) => (said += part));
    child.kill('SIGTERM');
    const [status] = await once(child, 'close');
    assert.deepEqual([status, said], [code, err]);
  });

test('the same signal counts once within half a second, as npm passes it on, and later ends the process at once', async (t) => {
  const child = running(`let now = 0;
       performance.now = () => now;
       process.on('SIGUSR2', () => { now += 501; console.log('later'); });
       exitOnSignal()(() => new Promise(() => undefined), 60_000);`);
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (part) => (said += part));
  const until = async (words: string) => {
    while (!said.includes(words)) await once(child.stdout, 'data');
  };
  await until('ready');
  child.kill('SIGINT');
  await until('shutting down');
  // Signals that wait are handled in the order of their numbers: SIGINT before SIGUSR2.
  child.kill('SIGINT');
  child.kill('SIGUSR2');
  await until('later');
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [130, null]);
});

test('a signal before there is anything to close ends the process at once', async (t) => {
  const child = running('exitOnSignal();');
  t.after(() => child.kill('SIGKILL'));
  await says(child, /ready/);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [143, null]);
});
