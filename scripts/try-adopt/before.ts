import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../try-routers/until.ts';
import { expected } from './ask.ts';
import { adopting, SERVER, withConfigOf } from './our-server.ts';
import { ADMIN, dial, listed, PORTS, type Trial } from './trial.ts';

/** What both controllers are asked, before and after. */
export interface Access {
  readonly services: Readonly<Record<string, readonly string[]>>;
  readonly advice: Readonly<Record<string, unknown>>;
}

/** The services of every identity, and advice for every identity and service. */
export const accessIn = async ({ manage }: Trial): Promise<Access> => {
  const services: Record<string, readonly string[]> = {};
  const advice: Record<string, unknown> = {};
  const all = await listed(manage, 'services');
  for (const { id, name } of await listed(manage, 'identities')) {
    services[name ?? ''] = (await listed(manage, `identities/${id}/services`)).map((service) => String(service.name)).sort();
    for (const service of all) {
      const { data } = await expected(manage(`management/v1/identities/${id}/policy-advice/${service.id}`));
      const { isBindAllowed, isDialAllowed, identityRouterCount, serviceRouterCount } = data;
      const commonRouters = (data.commonRouters ?? [])
        .map((router: { id: string; isOnline: boolean }) => `${router.id} ${router.isOnline}`)
        .sort();
      advice[`${name} ${service.name}`] = { isBindAllowed, isDialAllowed, identityRouterCount, serviceRouterCount, commonRouters };
    }
  }
  return { services, advice };
};

/** Steps while the former controller runs. */
export const before: Readonly<Record<string, (trial: Trial) => Promise<string | undefined>>> = {
  'dials work': () => dial(10),

  'a plan is printed while the controller runs': async ({ processes, former }) =>
    `\n${await adopting(processes)(...withConfigOf(former), '--storage', 'sqlite:plan.db', '--plan', '--allow', 'expired')}`,

  'an adoption is refused while it runs': async ({ processes, former }) => {
    const adopted = adopting(processes)(...withConfigOf(former), '--storage', 'sqlite:early.db', '--allow', 'expired');
    await assert.rejects(adopted, /stop it first/);
    return undefined;
  },

  'a snapshot of the API is adopted, and `--verify` finds no difference': async (trial) => {
    await expected(trial.manage('management/v1/database/snapshot', { method: 'POST' }));
    const { folder, former } = trial;
    const found = () => readdirSync(join(folder, former.databases)).find((name) => /-\d{8}-\d{6}$/.test(name));
    await until('there is a snapshot', async () => found() !== undefined);
    return comparedWith(trial, join(former.databases, found() ?? ''), 'of-the-api');
  },

  'the latest snapshot of the cluster is adopted, and `--verify` finds no difference': async (trial) => {
    const { folder, former } = trial;
    const { clusterSnapshots } = former;
    if (clusterSnapshots === undefined) return 'there is no cluster';
    const name = `of the cluster ${Date.now()}`;
    await expected(trial.manage('management/v1/identities', { body: { name, type: 'Default', isAdmin: false } }));
    const begun = Date.now();
    const found = () =>
      readdirSync(join(folder, clusterSnapshots))
        .filter((one) => Number(one.split('-')[2]) > begun)
        .sort(); // TERM-INDEX-TIME
    await until('there is a snapshot', async () => found().length > 0);
    return comparedWith(trial, join(clusterSnapshots, found().at(-1) ?? '', 'state.bin'), 'of-the-cluster');
  },
};

/** Adopts a database, and compares the network in it with what the former controller shows. */
const comparedWith = async ({ processes, former }: Trial, database: string, name: string): Promise<string | undefined> => {
  const storage = ['--storage', `sqlite:${name}.db`];
  await adopting(processes)(...withConfigOf(former), ...storage, '--database', database, '--allow', 'expired');
  const environment = [`FORMER_PASSWORD=${ADMIN.password}`, 'NODE_EXTRA_CA_CERTS=root.pem'];
  const compared = await processes.run('env', ...environment, ...SERVER, 'adopt', '--verify', `https://127.0.0.1:${PORTS.api}`, ...storage);
  return compared.trim().split('\n').at(-1);
};
