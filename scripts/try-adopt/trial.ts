import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectTo } from '../try-routers/connections.ts';
import type { Processes } from '../try-routers/processes.ts';
import type { Ask } from './ask.ts';
import type { Former } from './former-controller.ts';
import type { Variants } from './variants.ts';

/** The ports of this machine that the trial uses. */
export const PORTS = {
  api: 15280,
  control: 15262,
  second: 15281,
  secondControl: 15263,
  edge: 15300,
  link: 15310,
  proxy: 15320,
  restarted: 15321,
  newcomer: 15322,
  latecomer: 15323,
  echo: 15330,
  /** Nothing listens here. */
  closed: 15399,
} as const;

export const ADMIN = { username: 'admin', password: 'the-administrator' } as const;

export interface Trial {
  readonly folder: string;
  readonly processes: Processes;
  /** Asks whichever controller has the address of the network. */
  readonly ask: Ask;
  /** An administrator's request to it. */
  readonly manage: Ask;
  readonly former: Former;
  readonly variants: Variants;
}

/** Writes the configuration of a router. @param at which one, and so its ports; a transit router has no listener for clients */
export const writeRouter = (
  { folder, former }: Pick<Trial, 'folder'> & { readonly former: Pick<Former, 'control'> },
  name: string,
  at: number,
  isEdge = true,
): string => {
  const [edge, link] = [PORTS.edge + at, PORTS.link + at];
  const address = `tls:127.0.0.1:${link}`;
  const csr = { csr: { sans: { dns: ['localhost'], ip: ['127.0.0.1'] } } };
  const config = {
    v: 3,
    identity: { cert: `${name}.cert`, server_cert: `${name}.server.cert`, key: `${name}.key`, ca: `${name}.cas` },
    ctrl: { endpoint: former.control },
    link: { dialers: [{ binding: 'transport' }], listeners: [{ binding: 'transport', bind: address, advertise: address }] },
    listeners: isEdge ? [{ binding: 'edge', address: `tls:127.0.0.1:${edge}`, options: { advertise: `127.0.0.1:${edge}` } }] : [],
    ...(isEdge ? { edge: csr } : csr),
  };
  const file = join(folder, `${name}.yml`);
  writeFileSync(file, JSON.stringify(config)); // JSON is YAML
  return file;
};

/** Certificate with chain, and key, in an identity file that `ziti edge enroll` has written. */
export const identityIn = (folder: string, name: string): { readonly cert: string; readonly key: string } => {
  const { id } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  return { cert: id.cert.replace('pem:', ''), key: id.key.replace('pem:', '') };
};

/** True if a line comes back through a proxy, the routers and the host. */
export const canDial = async (port: number = PORTS.proxy): Promise<boolean> => {
  const connection = await connectTo(port);
  const isBack = (await connection.echo('line')) !== undefined;
  connection.end();
  return isBack;
};

/** @throws Error if not all dials succeed */
export const dial = async (count: number): Promise<string> => {
  let successes = 0;
  for (let i = 0; i < count; i++) if (await canDial().catch(() => false)) successes++;
  if (successes < count) throw new Error(`${successes} of ${count}`);
  return `${successes} of ${count}`;
};

/** The first word in the names of entities that only make lists longer. */
export const FILLER = 'filler';

/** Everything else that is listed at a path of the management API. */
export const listed = async (ask: Ask, path: string): Promise<readonly Record<string, never>[]> =>
  (await ask(`management/v1/${path}?limit=500&filter=${encodeURIComponent(`not (name contains "${FILLER}")`)}`)).data ?? [];
