import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../try-routers/until.ts';
import { expected } from './ask.ts';
import { FORMER } from './former-controller.ts';
import { adopting, SERVER, withConfig } from './our-server.ts';
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

  'a plan is printed while the controller runs': async ({ processes }) =>
    `\n${await adopting(processes)(...withConfig, '--storage', 'sqlite:plan.db', '--plan', '--allow', 'expired')}`,

  'an adoption is refused while it runs': async ({ processes }) => {
    const adopted = adopting(processes)(...withConfig, '--storage', 'sqlite:early.db', '--allow', 'expired');
    await assert.rejects(adopted, /stop it first/);
    return undefined;
  },

  'a snapshot of the API is adopted, and `--verify` finds no difference': async ({ folder, processes, manage }) => {
    await expected(manage('management/v1/database/snapshot', { method: 'POST' }));
    const databases = join(folder, FORMER.home, 'db');
    const snapshot = () => readdirSync(databases).find((name) => /-\d{8}-\d{6}$/.test(name));
    await until('there is a snapshot', async () => snapshot() !== undefined);
    const storage = ['--storage', 'sqlite:trial.db'];
    const adopt = adopting(processes);
    await adopt(...withConfig, ...storage, '--database', join(databases, snapshot() ?? ''), '--allow', 'expired');
    const environment = [`FORMER_PASSWORD=${ADMIN.password}`, 'NODE_EXTRA_CA_CERTS=root.pem'];
    const former = `https://127.0.0.1:${PORTS.api}`;
    const compared = await processes.run('env', ...environment, ...SERVER, 'adopt', '--verify', former, ...storage);
    return compared.trim().split('\n').at(-1);
  },
};
