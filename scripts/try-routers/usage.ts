import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectTo } from './connections.ts';
import type { RunningController } from './controller.ts';
import type { Processes } from './processes.ts';
import { until } from './until.ts';

/** The two routers of the clients: with the ports of its listeners, and that of its client. */
const ROUTERS = { nice: { link: 6003, edge: 3024, client: 9001 }, metz: { link: 6004, edge: 3025, client: 9002 } } as const;
const CIRCUITS_PER_ROUTER = 50;
/** Bytes that a circuit carries at a time, and those that show that it is made. */
const BYTES_PER_CIRCUIT = 65_536;
const FIRST_BYTES = 4;
/** Routers of these versions count what clients receive only if the flow control is theirs (docs/guides/usage.md). */
const ROUTERS_CONTROL_FLOW = ['--sdk-flow-control=false', '--default-connections=1', '--control-connections=0'];
/** Time after which routers have reported what they have carried, and the controller has written it. ms */
const REPORTED = 30_000;

/** What clients have sent, and received again. */
interface Carried {
  bytes: number;
}

/**
 * Sends bytes over 100 circuits to a host that sends them back, while circuits move, one of the routers is killed, and the controller is.
 * Then compares the usage of the service with the bytes that the clients have sent and received.
 */
export const measureUsage = async (folder: string, processes: Processes, controller: RunningController): Promise<string> => {
  const { run, start } = processes;
  const ziti = (...args: string[]) => run('ziti', ...args);
  // Without the overhead of encryption, which counts, too.
  await ziti('edge', 'create', 'service', 'counted', '--encryption', 'OFF');
  await ziti('edge', 'create', 'service-policy', 'counted-bind', 'Bind', '--identity-roles', '@host', '--service-roles', '@counted');
  await ziti('edge', 'create', 'service-policy', 'counted-dial', 'Dial', '--identity-roles', '#counted', '--service-roles', '@counted');
  start('counted-host', 'ziti', 'demo', 'echo-server', '--identity', 'network/host.json', '--service', 'counted');
  const startRouter = (name: string) => start(name, 'ziti', 'router', 'run', `${name}.yml`);
  const lyon = readFileSync(join(folder, 'lyon.yml'), 'utf8');
  const running = new Map<string, ReturnType<typeof startRouter>>();
  for (const [name, { link, edge, client }] of Object.entries(ROUTERS)) {
    const yml = lyon.replaceAll('lyon', name).replaceAll('6002', String(link)).replaceAll('3023', String(edge));
    writeFileSync(join(folder, `${name}.yml`), `${yml}\nmetrics: { reportInterval: 5s, intervalAgeThreshold: 6s }\n`);
    await ziti('edge', 'create', 'edge-router', name, '--jwt-output-file', `${name}.jwt`);
    await ziti('router', 'enroll', `${name}.yml`, '--jwt', `${name}.jwt`);
    running.set(name, startRouter(name));
    const identity = `of-${name}`;
    await ziti('edge', 'create', 'identity', identity, '--role-attributes', 'counted', '--jwt-output-file', `${identity}.jwt`);
    await ziti('edge', 'enroll', `${identity}.jwt`);
    await ziti('edge', 'create', 'edge-router-policy', identity, '--identity-roles', `@${identity}`, '--edge-router-roles', `@${name}`);
    await until(`${name} is online`, async () => new RegExp(`${name}\\s+│\\s+true`).test(await ziti('edge', 'list', 'edge-routers')));
    start(identity, 'ziti', 'tunnel', ...ROUTERS_CONTROL_FLOW, 'proxy', '--identity', `${identity}.json`, `counted:${client}`);
    await until(`a client of ${name} reaches the host`, () => canConnectAt(client));
  }
  // What the attempts have carried is told before it begins.
  await pause(REPORTED);
  const before = await usageOf(processes, 'counted');
  const carried: Carried = { bytes: 0 };
  const ofNice = await openAll(ROUTERS.nice.client, carried);
  let ofMetz = await openAll(ROUTERS.metz.client, carried);
  const carry = async (): Promise<void> => {
    await Promise.all([...ofNice, ...ofMetz].map((socket) => carryOver(socket, carried, BYTES_PER_CIRCUIT)));
  };
  await carry();

  const [, link] = /│ (\S+) +│ (?:nice +│ paris|paris +│ nice) /.exec(await ziti('fabric', 'list', 'links')) ?? [];
  assert.ok(link, 'nice and paris have no link');
  await ziti('fabric', 'update', 'link', link, '--static-cost', '1000');
  await until('circuits have moved', async () => !(await ziti('fabric', 'list', 'circuits', 'true limit none')).includes(`l/${link}`));
  await carry();

  await pause(REPORTED);
  const metz = running.get('metz') ?? assert.fail();
  const ended = Promise.all(ofMetz.map((socket) => new Promise((done) => socket.once('close', done))));
  metz.kill('SIGKILL');
  await ended;
  startRouter('metz');
  await until('a client reaches the host again', () => canConnectAt(ROUTERS.metz.client));
  ofMetz = await openAll(ROUTERS.metz.client, carried);
  await carry();

  // What routers have reported in the last seconds is lost with the process; in an hour of traffic, that is less than one per cent.
  await pause(REPORTED);
  await Promise.all([controller.killAndRestart(), carry()]);
  await carry();
  for (const socket of [...ofNice, ...ofMetz]) socket.destroy();
  await pause(2 * REPORTED);
  const after = await usageOf(processes, 'counted');
  const told = { sent: after.bytesSent - before.bytesSent, received: after.bytesReceived - before.bytesReceived };
  const shares = Object.entries(told).map(([way, bytes]) => {
    const share = (100 * bytes) / carried.bytes;
    assert.ok(Math.abs(share - 100) <= 1, `usage tells ${bytes} of ${carried.bytes} bytes ${way}`);
    return `${share.toFixed(3)} % of the bytes ${way}`;
  });
  return `it tells ${shares.join(' and ')}, which are ${carried.bytes}`;
};

const canConnectAt = async (port: number): Promise<boolean> => {
  const connection = await connectTo(port);
  const isBack = (await connection.echo('new')) !== undefined;
  connection.end();
  return isBack;
};

/** Connections whose circuits are made, some at a time: those that fail are tried again. */
const openAll = async (port: number, carried: Carried): Promise<readonly Socket[]> => {
  const sockets: Socket[] = [];
  const open = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    socket.on('error', () => undefined);
    const own = { bytes: 0 };
    await carryOver(socket, own, FIRST_BYTES);
    carried.bytes += own.bytes;
    sockets.push(socket);
  };
  for (let tries = 0; sockets.length < CIRCUITS_PER_ROUTER; tries++) {
    assert.ok(tries < 3 * CIRCUITS_PER_ROUTER, `too few circuits of ${CIRCUITS_PER_ROUTER} are made`);
    await Promise.allSettled(Array.from({ length: Math.min(10, CIRCUITS_PER_ROUTER - sockets.length) }, open));
  }
  return sockets;
};

/** Sends bytes, and waits until as many have come back. */
const carryOver = (socket: Socket, carried: Carried, bytes: number): Promise<void> =>
  new Promise((resolve, reject) => {
    let left = bytes;
    const onData = (part: Uint8Array): void => {
      left -= part.length;
      if (left > 0) return;
      socket.off('data', onData).off('close', onClose);
      resolve();
    };
    const onClose = (): void => reject(new Error('a connection has ended before all bytes were back'));
    socket.on('data', onData).once('close', onClose);
    carried.bytes += bytes;
    socket.write(new Uint8Array(bytes));
  });

interface ToldUsage {
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

const usageOf = async ({ run }: Processes, service: string): Promise<ToldUsage> => {
  const call = async (path: string, ...args: readonly string[]): Promise<{ readonly data: unknown }> =>
    JSON.parse(await run('curl', '--silent', '--insecure', ...args, `https://127.0.0.1:1280${path}`));
  const login = ['--header', 'content-type: application/json', '--data', '{"username":"admin","password":"administrator"}'];
  // The answers of the API.
  const { token } = (await call('/edge/management/v1/authenticate?method=password', ...login)).data as { readonly token: string };
  const filter = encodeURIComponent(`serviceName = "${service}"`);
  const path = `/edge/management/extensions/v1/usage?by=service&filter=${filter}`;
  const [sum] = (await call(path, '--header', `zt-session: ${token}`)).data as readonly ToldUsage[];
  return sum ?? { bytesSent: 0, bytesReceived: 0 };
};
