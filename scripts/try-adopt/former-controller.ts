import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Processes } from '../try-routers/processes.ts';
import { until } from '../try-routers/until.ts';
import { ADMIN, PORTS } from './trial.ts';

/** The folder and the configuration of the former controller. */
export const FORMER = { home: 'former', config: join('former', 'ctrl.yaml') } as const;

/** Ends a process as its supervisor does, and waits for it. */
export const stop = async (child: ChildProcess): Promise<void> => {
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await Promise.race([ended, pause(20_000, undefined, { ref: false })]);
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
};

/**
 * Lets `ziti` make a network with keys, certificates and a configuration in a folder, and moves the control plane to a port of its own, as many networks have
 * it. @returns PEM of its root
 */
export const makeFormer = async (folder: string, processes: Processes): Promise<string> => {
  const making = processes.start(
    'quickstart',
    'ziti',
    'edge',
    'quickstart',
    '--no-router',
    '--home',
    join(folder, FORMER.home),
    ...quickstart(),
  );
  const config = join(folder, FORMER.config);
  await until('the former controller is made', async () => existsSync(config) && (await answers(processes)));
  await stop(making);
  const text = readFileSync(config, 'utf8').replaceAll('0.0.0.0', '127.0.0.1');
  const moved = text.replace(/(^ctrl:[\s\S]*?)(?=^\S*healthChecks|^edge:)/m, (part) =>
    part.replaceAll(String(PORTS.api), String(PORTS.control)),
  );
  writeFileSync(config, moved);
  const root = readFileSync(join(folder, FORMER.home, 'pki/root-ca/certs/root-ca.cert'), 'utf8');
  writeFileSync(join(folder, 'root.pem'), root);
  return root;
};

const quickstart = () => [
  ...['--ctrl-address', '127.0.0.1', '--ctrl-port', String(PORTS.api)],
  ...['--username', ADMIN.username, '--password', ADMIN.password],
];

export const startFormer = async (processes: Processes): Promise<ChildProcess> => {
  const child = processes.start('former', 'ziti', 'controller', 'run', FORMER.config);
  await until('the former controller answers', () => answers(processes));
  return child;
};

export const answers = async (processes: Processes, port: number = PORTS.api): Promise<boolean> => {
  await processes.run('curl', '--silent', '--fail', '--insecure', `https://127.0.0.1:${port}/edge/client/v1/version`);
  return true;
};
