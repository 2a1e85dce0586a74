import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../try-routers/until.ts';
import { type Adopted, areLinked, isOnline } from './after.ts';
import { expected } from './ask.ts';
import { verify } from './certificates.ts';
import { stop } from './former-controller.ts';
import { writeJwt } from './former-network.ts';
import { SERVER } from './our-server.ts';
import { canDial, dial, PORTS, writeRouter } from './trial.ts';

/** A server reads every five minutes that the new authority signs. */
const MARGIN_MS = 6 * 60_000;

/** Replaces the authority of the adopted network, while all programs run on. @returns when the new one signs */
export const rotate = async (trial: Adopted, options: readonly string[]): Promise<Date> => {
  const told = await trial.processes.run(...SERVER, 'authority', 'rotate', ...options);
  const [, from] = /signs from (\S+),/.exec(told) ?? [];
  if (from === undefined) throw new Error(`it does not say when the new authority signs: ${told}`);
  await newcomerDials(trial, 'newcomer', PORTS.newcomer);
  await dial(10);
  return new Date(from);
};

/** Waits until the new authority signs. What it signs is accepted by routers and devices that know only the former one from before. */
export const afterRotation = async (trial: Adopted, signsFrom: Date): Promise<string> => {
  const { folder, manage, processes } = trial;
  await pause(Math.max(0, signsFrom.getTime() + MARGIN_MS - Date.now()));
  await dial(10);
  await newcomerDials(trial, 'latecomer', PORTS.latecomer);
  await keepNewRoot(trial);
  await expected(manage('management/v1/edge-routers', { body: { name: 'bern', roleAttributes: ['public'] } }));
  await writeJwt(trial, 'edge-routers', 'bern');
  await processes.run('ziti', 'router', 'enroll', writeRouter(trial, 'bern', 5), '--jwt', 'bern.jwt');
  await verify(trial, readFileSync(join(folder, 'bern.cert'), 'utf8'), 'new-root.pem');
  processes.start('bern', 'ziti', 'router', 'run', 'bern.yml');
  await until('bern is online', () => isOnline(trial, 'bern'));
  for (const name of ['paris', 'lyon']) await until(`bern and ${name} are linked`, () => areLinked(trial, 'bern', name));
  return dial(10);
};

/** A new device enrolls, and dials. */
const newcomerDials = async (trial: Adopted, name: string, port: number): Promise<void> => {
  const { processes, manage } = trial;
  const body = { name, type: 'Default', isAdmin: false, roleAttributes: ['clients'], enrollment: { ott: true } };
  await expected(manage('management/v1/identities', { body }));
  await writeJwt(trial, 'identities', name);
  await processes.run('ziti', 'edge', 'enroll', `${name}.jwt`, '--keyAlg', 'EC', '--out', `${name}.json`);
  const client = processes.start(name, 'ziti', 'tunnel', 'proxy', '--identity', `${name}.json`, `echo:${port}`);
  await until('a line comes back', () => canDial(port));
  await stop(client);
};

/** Keeps the root of the latecomer's certificate in new-root.pem. @throws Error if it is the former root */
const keepNewRoot = async (trial: Adopted): Promise<void> => {
  const { id } = JSON.parse(readFileSync(join(trial.folder, 'latecomer.json'), 'utf8'));
  const certificates: readonly string[] = id.ca.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const former = readFileSync(join(trial.folder, 'cas.pem'), 'utf8');
  writeFileSync(join(trial.folder, 'new-root.pem'), certificates.filter((pem) => !former.includes(pem)).join('\n'));
  const chain = id.cert.replace('pem:', '');
  const isFormer = await verify(trial, chain).then(
    () => true,
    () => false,
  );
  if (isFormer) throw new Error('the latecomer has a certificate below the former root');
  await verify(trial, chain, 'new-root.pem');
};
