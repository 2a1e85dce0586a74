import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import type { Processes } from '../try-routers/processes.ts';
import { until } from '../try-routers/until.ts';
import { ADMIN, PORTS } from './trial.ts';
import type { Variants } from './variants.ts';

/** The former controller. Its files are named relative to the folder of the trial. */
export interface Former {
  readonly config: string;
  readonly database: string;
  /** Where it writes snapshots that the API asks for. */
  readonly databases: string;
  /** Where its cluster writes snapshots; undefined without one. */
  readonly clusterSnapshots: string | undefined;
  /** Where routers reach it, e.g. `tls:127.0.0.1:6262`. */
  readonly control: string;
  /** PEM of the root of its API. */
  readonly root: string;
}

const HOME = 'former';
const MEMBER = 'quickstart';

/** Ends a process as its supervisor does, and waits for it. */
export const stop = async (child: ChildProcess): Promise<void> => {
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await Promise.race([ended, pause(20_000, undefined, { ref: false })]);
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
};

/**
 * Lets `ziti` make a network with keys, certificates and a configuration in a folder, and changes the configuration to that of a variant.
 * Without a cluster, the control plane gets a port of its own, as many networks have it.
 */
export const makeFormer = async (folder: string, processes: Processes, variants: Variants): Promise<Former> => {
  const isRelease2 = (await processes.run('ziti', 'edge', 'quickstart', '--help')).includes('--instance-id');
  const isCluster = isRelease2 || variants.has('cluster');
  const home = isCluster ? join(HOME, MEMBER) : HOME;
  const cluster = isCluster ? [...(isRelease2 ? [] : ['ha']), '--instance-id', MEMBER, '--trust-domain', MEMBER] : [];
  const making = processes.start('quickstart', 'ziti', 'edge', 'quickstart', ...cluster, ...quickstart(join(folder, HOME)));
  const config = join(home, 'ctrl.yaml');
  const log = () => readFileSync(join(folder, 'quickstart.log'), 'utf8');
  await until('the former controller is made', async () => existsSync(join(folder, config)) && (await answers(processes)));
  await until('it has an administrator', () => processes.run(...loginByProgram).then(() => true));
  if (isCluster) await until('its cluster is complete', async () => /add another member/.test(log()));
  await stop(making);

  const made = parse(readFileSync(join(folder, config), 'utf8').replaceAll('0.0.0.0', '127.0.0.1'));
  const pki = join(HOME, 'pki');
  const root = join(pki, 'root-ca/certs/root-ca.cert');
  const authority = { folder, processes, pki };
  const roots = [root];
  let signingRoot = root;
  let control = `tls:127.0.0.1:${PORTS.api}`;
  if (isCluster) Object.assign(made.cluster, { snapshotInterval: '5s', snapshotThreshold: 1 });
  else control = `tls:127.0.0.1:${PORTS.control}`;
  if (variants.has('signer')) {
    const { cert, key } = await makeIntermediate(authority, 'signing');
    made.edge.enrollment.signingCert = { cert: join(folder, cert), key: join(folder, key) };
    roots.push((signingRoot = rootOf(pki, 'signing')));
  }
  if (variants.has('hosts')) {
    // Neither certificate has the name of the other.
    const { name } = await makeIntermediate(authority, 'control');
    made.identity = await makeServer(authority, name, '--dns', 'localhost');
    const ofApi = await makeServer(authority, `intermediate-ca-${MEMBER}`, '--ip', '127.0.0.1');
    for (const web of made.web) web.identity = { ...ofApi, ca: join(folder, root) };
    roots.unshift(rootOf(pki, 'control'));
    control = `tls:localhost:${PORTS.control}`;
  }
  made.ctrl = { ...made.ctrl, options: { advertiseAddress: control }, listener: control.replace('localhost', '127.0.0.1') };
  writeFileSync(join(folder, 'cas.pem'), roots.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n'));
  made.identity.ca = join(folder, 'cas.pem');
  writeFileSync(join(folder, config), JSON.stringify(made)); // JSON is YAML
  writeFileSync(join(folder, 'signing-root.pem'), readFileSync(join(folder, signingRoot)));
  const text = readFileSync(join(folder, root), 'utf8');
  writeFileSync(join(folder, 'root.pem'), text);
  const data = join(home, 'raft');
  const files = isCluster
    ? { database: join(data, 'ctrl-ha.db'), databases: data, clusterSnapshots: join(data, 'snapshots') }
    : { database: join(home, 'db/ctrl.db'), databases: join(home, 'db'), clusterSnapshots: undefined };
  return { config, ...files, control, root: text };
};

const quickstart = (home: string) => [
  ...['--no-router', '--home', home],
  ...['--ctrl-address', '127.0.0.1', '--ctrl-port', String(PORTS.api)],
  ...['--username', ADMIN.username, '--password', ADMIN.password],
];

/** Logs the program `ziti` in. */
export const loginByProgram = [
  'ziti',
  'edge',
  'login',
  `127.0.0.1:${PORTS.api}`,
  '-u',
  ADMIN.username,
  '-p',
  ADMIN.password,
  '-y',
] as const;

const PKI = ['ziti', 'pki', 'create'] as const;
const inPki = (pki: string) => ['--pki-root', pki];

const rootOf = (pki: string, name: string): string => join(pki, `${name}-root`, 'certs', `${name}-root.cert`);

type Pki = { readonly folder: string; readonly processes: Processes; readonly pki: string };

/** Makes a root and an authority below it. */
const makeIntermediate = async ({ processes, pki }: Pki, name: string) => {
  const root = `${name}-root`;
  const intermediate = `${name}-authority`;
  await processes.run(...PKI, 'ca', ...inPki(pki), '--ca-file', root, '--ca-name', root, '--trust-domain', MEMBER);
  const files = ['--intermediate-file', intermediate, '--intermediate-name', intermediate];
  await processes.run(...PKI, 'intermediate', ...inPki(pki), '--ca-name', root, ...files, '--max-path-len', '1');
  const of = join(pki, intermediate);
  return { name: intermediate, cert: join(of, 'certs', `${intermediate}.cert`), key: join(of, 'keys', `${intermediate}.key`) };
};

/** Makes a server certificate. @returns an identity of a configuration */
const makeServer = async ({ folder, processes, pki }: Pki, authority: string, ...names: readonly string[]) => {
  const files = ['--server-file', 'of-one-name', '--server-name', MEMBER, '--spiffe-id', `controller/${MEMBER}`];
  await processes.run(...PKI, 'server', ...inPki(pki), '--ca-name', authority, ...files, ...names);
  const cert = join(folder, pki, authority, 'certs/of-one-name.chain.pem');
  return { cert, server_cert: cert, key: join(folder, pki, authority, 'keys/of-one-name.key') };
};

export const startFormer = async (processes: Processes, { config, clusterSnapshots }: Former): Promise<ChildProcess> => {
  const child = processes.start('former', 'ziti', 'controller', 'run', config);
  await until('the former controller answers', () => answers(processes));
  await until('the former controller takes logins', () => processes.run(...loginByProgram).then(() => true));
  const entity = ['config-type', 'written by a leader'] as const;
  if (clusterSnapshots) {
    await until('the cluster has a leader', () => processes.run('ziti', 'edge', 'create', ...entity).then(() => true));
    await processes.run('ziti', 'edge', 'delete', ...entity);
  }
  return child;
};

export const answers = async (processes: Processes, port: number = PORTS.api): Promise<boolean> => {
  await processes.run('curl', '--silent', '--fail', '--insecure', `https://127.0.0.1:${port}/edge/client/v1/version`);
  return true;
};
