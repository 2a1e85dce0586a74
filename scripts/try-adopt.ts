/**
 * Adopts a running network of unmodified programs: `ROUTER_BIN=/path/to/ziti npm run try:adopt`, with the program `ziti` v1.6.0 to v2.0.3.
 * With more binaries after `:`, routers, hosts, clients and tools take them in turn, and the controller is the first: routers of v2.0.3
 * need a controller of v2. `FORMER` names what else the network has, e.g. `FORMER=cluster,signer`: see `try-adopt/variants.ts`. In a
 * temporary folder, it starts a controller of that program, two routers, a host and a client, and fills the network with users, second
 * factors, open enrollments, certificate authorities, posture checks and overrides. Then it puts our server in the controller's place,
 * checks that all go on, replaces the authority, and goes back. Prints a line for each check; exits with 1 if one fails.
 *
 * With `LONG=1`, it waits until the new authority signs, which takes twenty minutes, before it goes back. With `POSTGRES_URL`
 * (`npm run postgres -- npm run try:adopt`), the network is adopted into this empty database, otherwise into SQLite. Needs `openssl` and
 * `curl`. Uses ports between 15262 and 15399 of the loopback interface.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Adopted, after, askSecond, seconds } from './try-adopt/after.ts';
import { asking, login } from './try-adopt/ask.ts';
import { accessIn, before } from './try-adopt/before.ts';
import { makeFormer, startFormer, stop } from './try-adopt/former-controller.ts';
import { fillFormer } from './try-adopt/former-network.ts';
import { adopting, SERVER, startOurs, startSecond, withConfigOf } from './try-adopt/our-server.ts';
import { afterRotation, rotate } from './try-adopt/rotation.ts';
import { openStream } from './try-adopt/stream.ts';
import { ADMIN, canDial, dial, PORTS, type Trial } from './try-adopt/trial.ts';
import { variantsIn } from './try-adopt/variants.ts';
import { binariesIn, installBinaries } from './try-routers/binaries.ts';
import { createProcesses } from './try-routers/processes.ts';
import { until } from './try-routers/until.ts';

const binaries = binariesIn(process.env.ROUTER_BIN ?? '');
if (binaries.length === 0)
  throw new TypeError('ROUTER_BIN must name the program `ziti`, and may name other releases after it, separated by `:`');
const variants = variantsIn(process.env.FORMER ?? '');

/** The parts of the trial, each with the pattern of the arguments that start it: they take the binaries in turn. */
const PARTS = {
  controller: '"controller "*|"edge quickstart"*',
  paris: '*paris.yml*',
  lyon: '*lyon.yml*',
  client: '"tunnel proxy"*',
  host: '"tunnel host"*',
  'command line': '*',
} as const;

const folder = mkdtempSync(join(tmpdir(), 'try-adopt-'));
// The program that makes the former network listens on all interfaces without these.
for (const name of ['ZITI_CTRL_BIND_ADDRESS', 'ZITI_CTRL_EDGE_BIND_ADDRESS']) process.env[name] = '127.0.0.1';
installBinaries(folder, binaries, PARTS);
const processes = createProcesses(folder);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    processes.end();
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Runs a step. Those after it run even if it fails. */
const check = async (name: string, step: () => Promise<string | undefined>): Promise<void> => {
  try {
    const measured = await step();
    console.log(`✔ ${name}${measured ? `: ${measured}` : ''}`);
  } catch (error) {
    console.log(`✘ ${name}:`, error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
};

const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(PORTS.echo, '127.0.0.1');
await once(echo, 'listening');
try {
  const former = await makeFormer(folder, processes, variants);
  const controller = await startFormer(processes, former);
  const ask = asking(PORTS.api, former.root);
  const database = join(folder, former.database);
  const trial: Trial = {
    folder,
    processes,
    ask,
    manage: async (path, question) => ask(path, { ...question, session: await administrator() }),
    former,
    variants,
  };
  let session: string | undefined;
  /** The administrator's session, which ends with a controller. */
  const administrator = async () => {
    session ??= await login(ask, ADMIN.username, ADMIN.password);
    return session ?? '';
  };
  const remembered = await fillFormer(trial);
  console.log('the former network is complete');
  for (const [name, step] of Object.entries(before)) await check(name, () => step(trial));
  const access = await accessIn(trial);
  const stream = await openStream(PORTS.proxy);
  await stop(controller);
  const files = hashOf(database);

  const storage = process.env.POSTGRES_URL ?? 'sqlite:network.db';
  writeFileSync(join(folder, 'secret.key'), randomBytes(32).toString('base64'), { mode: 0o600 });
  const options = ['--storage', storage, '--secret-key-file', 'secret.key'];
  const printed = await adopting(processes)(...withConfigOf(former), ...options, '--allow', 'expired');
  console.log(`✔ the network is adopted:\n${printed}`);
  const ours = await startOurs(processes, printed);
  session = undefined;
  const adopted: Adopted = { ...trial, remembered, access, stream, since: Date.now() };
  for (const [name, step] of Object.entries(after)) await check(name, () => step(adopted));
  await check('a second server on the database has the same authority', async () => {
    const second = await startSecond(processes, printed);
    await askSecond(adopted);
    await stop(second);
    return storage.split(':')[0];
  });
  await check('a snapshot of the adopted network is restored, and a server on it has the same authority', async () => {
    await processes.run(...SERVER, 'snapshot', '--storage', storage, '--snapshots', 'snapshots');
    const [snapshot = ''] = readdirSync(join(folder, 'snapshots'));
    const restored = 'sqlite:restored.db';
    await processes.run(...SERVER, 'restore', '--snapshot', join('snapshots', snapshot), '--storage', restored);
    const second = await startSecond(processes, printed, restored);
    await askSecond(adopted);
    await stop(second);
    return undefined;
  });

  let signsFrom: Date | undefined;
  await check('the authority is replaced: a new device enrolls and dials, and clients go on', async () => {
    signsFrom = await rotate(adopted, options);
    return `the new one signs from ${signsFrom.toISOString()} on`;
  });
  if (process.env.LONG)
    await check('a device and a router below the new root work beside those below the old one', async () => {
      assert.ok(signsFrom);
      return afterRotation(adopted, signsFrom);
    });

  stream.end();
  await stop(ours);
  await check('the files of the former controller are what they were', async () => {
    assert.equal(hashOf(database), files);
    return undefined;
  });
  await check('the former controller takes over again, and dials work', async () => {
    await startFormer(processes, former);
    const since = Date.now();
    await until('a line comes back', () => canDial());
    return `${seconds(since)}, then ${await dial(20)}`;
  });
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  processes.end();
  echo.close();
  if (process.exitCode) console.error(`the logs are in ${folder}`);
  else rmSync(folder, { recursive: true });
}
