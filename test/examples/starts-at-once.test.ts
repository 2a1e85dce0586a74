import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { writeOnce } from '../../server/files.ts';
import { startServer, temporaryFolder } from './child.ts';

const files = resolve(import.meta.dirname, '../../server/files.ts');
const ROUNDS = 20;
const PROCESSES = 6;

/** Processes that all write a file once, each with a text of its own, when they are told to; and what each of them read then. */
const racers = async (program: string, count: number) => {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, 'data'))); // they are ready
  const race = async (round: string): Promise<readonly string[]> => {
    const said = children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]));
    for (const { stdin } of children) stdin.write(`${round}\n`);
    return Promise.all(said);
  };
  return { race, end: () => children.map((child) => child.kill()) };
};

test('of many processes that write a file once at the same instant, one makes it, and all read the same', async (t) => {
  const folder = temporaryFolder(t);
  const { race, end } = await racers(
    `
    import { readFileSync } from 'node:fs';
    import { createInterface } from 'node:readline';
    import { writeOnce } from ${JSON.stringify(files)};
    console.log('ready');
    for await (const file of createInterface({ input: process.stdin })) {
      const text = String(process.pid).repeat(1000);
      // What others see from now on is whole.
      const read = await writeOnce(file, text, 0o600);
      console.log(read === readFileSync(file, 'utf8') && read.length % 1000 === 0 ? read.slice(0, read.length / 1000) : 'torn');
    }`,
    PROCESSES,
  );
  t.after(end);
  for (let round = 0; round < ROUNDS; round++) {
    const read = await race(join(folder, String(round)));
    assert.equal(new Set(read).size, 1, read.join());
    assert.match(read[0] ?? '', /^\d+\n$/);
  }
  assert.equal(readdirSync(folder).length, ROUNDS, 'nothing else is left');
});

test('a process that is killed while it writes leaves the whole file, or none of that name', async (t) => {
  const folder = temporaryFolder(t);
  const text = 'x'.repeat(1_000_000); // nearly as much as is read
  const program = `
    import { writeOnce, writeAtomically } from ${JSON.stringify(files)};
    const text = 'x'.repeat(${text.length});
    console.log('ready');
    for (let i = 0; ; i++) {
      await writeOnce(${JSON.stringify(join(folder, 'once'))} + i, text, 0o600);
      await writeAtomically(${JSON.stringify(join(folder, 'whole'))}, text, 0o600);
    }`;
  for (let round = 0; round < 3; round++) {
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    while (!readdirSync(folder).some((file) => file.endsWith('.tmp'))) await new Promise((done) => setImmediate(done));
    child.kill('SIGKILL');
    await once(child, 'exit');
    for (const file of readdirSync(folder))
      if (!file.endsWith('.tmp')) assert.equal(readFileSync(join(folder, file), 'utf8').length, text.length, file);
  }
});

test('a file that is there already is read, and stays', async (t) => {
  const file = join(temporaryFolder(t), 'secret.key');
  assert.equal(await writeOnce(file, 'first', 0o600), 'first');
  assert.equal(await writeOnce(file, 'second', 0o600), 'first');
  assert.equal(readFileSync(file, 'utf8'), 'first');
});

test('servers that begin in one new folder at the same instant have one key, one root and one administrator', async (t) => {
  const folder = temporaryFolder(t);
  const starts = await Promise.all(Array.from({ length: 3 }, () => startServer(t, folder)));
  const rootsAndKeys = starts.map((server) =>
    [server.told('secret key'), readFileSync(server.told('root certificate') ?? '', 'utf8')].join(),
  );
  const passwords = starts.flatMap((server) => server.told('password') ?? []);
  assert.equal(new Set(rootsAndKeys).size, 1);
  const [password = ''] = passwords;
  assert.equal(passwords.length, 1, 'one of them made the network');
  for (const server of starts) assert.ok(await server.login(password));
  await Promise.all(starts.map((server) => server.stop()));
  const again = await startServer(t, folder);
  assert.ok(await again.login(password), 'the key that was kept opens the network');
  assert.ok(!readdirSync(join(folder, 'data'), { recursive: true }).some((file) => String(file).endsWith('.tmp')));
});

test('so do servers of networks in memory, which keep their authority in the folder', async (t) => {
  const folder = temporaryFolder(t);
  const starts = await Promise.all(Array.from({ length: 3 }, () => startServer(t, folder, ['--storage', 'memory'])));
  for (const server of starts) assert.equal((await server.request('GET', '/version')).status, 200);
  const file = join(folder, 'data', 'pki-memory', 'root-ca.private.pem');
  const root = readFileSync(file, 'utf8');
  await Promise.all(starts.map((server) => server.stop()));
  const again = await startServer(t, folder, ['--storage', 'memory']);
  assert.equal(readFileSync(file, 'utf8'), root);
  assert.ok(root.includes(readFileSync(again.told('root certificate') ?? '', 'utf8')));
});
