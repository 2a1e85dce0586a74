/**
 * Compares the events of our server with those of the controller of the field: `ROUTER_BIN=/path/to/ziti npm run try:events`, with the
 * program `ziti` v1.7.2. In a temporary folder, it starts that controller and then ours, with two unmodified routers, a host and a client,
 * and plays the same script on both: logins, entities of each kind, sessions, circuits, dials that fail, an alert, a router that restarts.
 * `ziti fabric stream events` of the program streams all kinds; those that it does not offer come from the file of each controller. Prints
 * a table with a row for each kind and type: how many events each has, and the fields whose presence or type differs. Values are compared
 * only where they mean the same in every network. Exits with 1 for a difference that has no reason in `try-events/differences.ts`.
 *
 * Takes three minutes. With `STREAMS=FILE`, it also writes all events as JSON. Needs `openssl` and `curl`. Uses ports between 15262 and
 * 15399 of the loopback interface.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PORTS } from './try-adopt/trial.ts';
import { reasonOf } from './try-events/differences.ts';
import { type Network, startReference, startTested } from './try-events/networks.ts';
import { play } from './try-events/play.ts';
import { differencesOf, type Event, shapesOf } from './try-events/shapes.ts';
import { tableOf } from './try-events/table.ts';
import { binariesIn } from './try-routers/binaries.ts';

const [binary] = binariesIn(process.env.ROUTER_BIN ?? '');
if (binary === undefined) throw new TypeError('ROUTER_BIN must name the program `ziti`, v1.7.2');

const folder = mkdtempSync(join(tmpdir(), 'try-events-'));
// The program that makes the network of the reference listens on all interfaces without these.
for (const name of ['ZITI_CTRL_BIND_ADDRESS', 'ZITI_CTRL_EDGE_BIND_ADDRESS']) process.env[name] = '127.0.0.1';
let playing: Network['processes'] | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    playing?.end();
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });

/** Starts a network, plays the script on it, and ends it. */
const eventsOf = async (start: (parent: string, program: string, onBegin: typeof begin) => Promise<Network>): Promise<readonly Event[]> => {
  try {
    const network = await start(folder, binary, begin);
    await play(network);
    return network.events();
  } finally {
    playing?.end();
  }
};

const begin = (processes: Network['processes']): void => {
  playing = processes;
};

const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(PORTS.echo, '127.0.0.1');
await once(echo, 'listening');
try {
  const streams = { reference: await eventsOf(startReference), ours: await eventsOf(startTested) };
  if (process.env.STREAMS) writeFileSync(process.env.STREAMS, JSON.stringify(streams));
  const [reference, ours] = [shapesOf(streams.reference), shapesOf(streams.ours)];
  const differences = differencesOf(reference, ours);
  console.log(tableOf(reference, ours, differences));
  const byReason = Map.groupBy(differences, (difference) => reasonOf(difference) ?? '');
  for (const [reason, own] of byReason) if (reason) console.log(`✔ ${own.length} differences: ${reason}`);
  for (const { of, field, ...types } of byReason.get('') ?? []) {
    console.log(`✘ ${of}${field && `, ${field}`}: ${types.reference || 'absent'} at the reference, ${types.ours || 'absent'} here`);
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  echo.close();
  if (process.exitCode) console.error(`the logs are in ${folder}`);
  else rmSync(folder, { recursive: true });
}
