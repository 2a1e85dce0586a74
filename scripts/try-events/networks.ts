import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ask, asking, login } from '../try-adopt/ask.ts';
import { answers, loginByProgram, makeFormer, startFormer } from '../try-adopt/former-controller.ts';
import { SERVER } from '../try-adopt/our-server.ts';
import { ADMIN, PORTS } from '../try-adopt/trial.ts';
import { installBinaries } from '../try-routers/binaries.ts';
import { createProcesses, type Processes } from '../try-routers/processes.ts';
import { until } from '../try-routers/until.ts';
import type { Event } from './shapes.ts';

/** A new network with one controller, in a folder of its own. Both networks use the same ports, one after the other. */
export interface Network {
  readonly folder: string;
  readonly processes: Processes;
  readonly ask: Ask;
  /** An administrator's request. */
  readonly manage: Ask;
  /** Where routers reach the controller. */
  readonly former: { readonly control: string };
  /** All events so far: those that the command line has printed, and those that it does not offer, from a file. */
  events(): readonly Event[];
}

/** Receives the programs of a network before any of them is started. */
type OnBegin = (processes: Processes) => void;

/** Files with an event a line. */
const STREAMS = { all: 'all.log', usage: 'usage.log', file: 'events.jsonl' } as const;

const inFolder = (folder: string, binary: string, onBegin: OnBegin): { readonly folder: string; readonly processes: Processes } => {
  mkdirSync(folder);
  installBinaries(folder, [binary]);
  const processes = createProcesses(folder);
  onBegin(processes);
  return { folder, processes };
};

/** Starts the reference. It reports what it counts every ten seconds instead of every minute. */
export const startReference = async (parent: string, binary: string, onBegin: OnBegin): Promise<Network> => {
  const at = inFolder(join(parent, 'reference'), binary, onBegin);
  const former = await makeFormer(at.folder, at.processes, new Set());
  const file = join(at.folder, former.config);
  const config = JSON.parse(readFileSync(file, 'utf8'));
  config.network = { ...config.network, metricsReportInterval: '10s' };
  const handler = { type: 'file', format: 'json', path: join(at.folder, STREAMS.file) };
  config.events = { file: { subscriptions: [{ type: 'authentication' }], handler } };
  writeFileSync(file, JSON.stringify(config));
  await startFormer(at.processes, former);
  return started(at, former.control, former.root);
};

/** Starts our server, with its defaults. */
export const startTested = async (parent: string, binary: string, onBegin: OnBegin): Promise<Network> => {
  const at = inFolder(join(parent, 'ours'), binary, onBegin);
  writeFileSync(join(at.folder, 'secret.key'), randomBytes(32).toString('base64'), { mode: 0o600 });
  const options = ['--storage', 'sqlite:network.db', '--secret-key-file', 'secret.key', '--port', String(PORTS.api)];
  const admin = ['--admin-username', ADMIN.username, '--admin-password', ADMIN.password];
  const [node, main] = SERVER;
  at.processes.start('server', node, main, ...options, ...admin, '--events-file', STREAMS.file);
  await until('our server answers', () => answers(at.processes));
  const root = await at.processes.run(
    'sh',
    '-c',
    `curl --silent --insecure https://127.0.0.1:${PORTS.api}/.well-known/est/cacerts | base64 -d | openssl pkcs7 -inform DER -print_certs`,
  );
  return started(at, `tls:127.0.0.1:${PORTS.api}`, root);
};

/** Begins to stream, with the unmodified command line. */
const started = async (at: ReturnType<typeof inFolder>, control: string, root: string): Promise<Network> => {
  const { folder, processes } = at;
  const ask = asking(PORTS.api, root);
  await processes.run(...loginByProgram);
  const stream = ['ziti', 'fabric', 'stream', 'events'] as const;
  processes.start('all', ...stream, '--all');
  processes.start('usage', ...stream, '--usage', '--usage-version', '2');
  const read = (file: string): string => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : '');
  const events = (): readonly Event[] => [
    ...eventsIn(read(STREAMS.all)),
    ...eventsIn(read(STREAMS.usage)),
    ...eventsIn(read(STREAMS.file)).filter(({ namespace }) => namespace === 'authentication'),
  ];
  await until('events are streamed', async () => eventsIn(read(STREAMS.all)).length > 0);
  const session = await login(ask, ADMIN.username, ADMIN.password);
  return { folder, processes, ask, manage: (path, question) => ask(path, { ...question, session }), former: { control }, events };
};

/** The events of whole lines; others are messages of the program. */
export const eventsIn = (text: string): readonly Event[] =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
