import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectTo } from '../../scripts/try-routers/connections.ts';
import { until } from '../../scripts/try-routers/until.ts';
import { type Api, apiOf } from './api.ts';
import type { Contender } from './controllers.ts';
import { ADMINISTRATOR } from './place.ts';

/** A controller and its network: a router, a host that echoes, and a client that accepts connections on the port `place.proxy`. */
export interface Network extends Contender {
  readonly api: Api;
  /** Kills the router without warning. @returns a function that starts it again */
  killRouter(): () => void;
}

/** Creates the network with the command line. */
export const makeNetwork = async (contender: Contender): Promise<Network> => {
  const { folder, place, processes } = contender;
  const ziti = (...args: readonly string[]) => processes.run('ziti', ...args);
  const create = (kind: string, ...args: readonly string[]) => ziti('edge', 'create', kind, ...args);
  const { username, password } = ADMINISTRATOR;
  await ziti('edge', 'login', `127.0.0.1:${place.port}`, '--username', username, '--password', password, '--yes');
  await create('service', 'echo');
  for (const name of ['host', 'client']) {
    await create('identity', name, '--jwt-output-file', `${name}.jwt`);
    await ziti('edge', 'enroll', `${name}.jwt`);
  }
  await create('service-policy', 'bind', 'Bind', '--identity-roles', '@host', '--service-roles', '@echo');
  await create('service-policy', 'dial', 'Dial', '--identity-roles', '@client', '--service-roles', '@echo');
  await create('edge-router-policy', 'all', '--identity-roles', '#all', '--edge-router-roles', '#all');
  await create('service-edge-router-policy', 'all', '--service-roles', '#all', '--edge-router-roles', '#all');
  await create('edge-router', 'router', '--jwt-output-file', 'router.jwt');
  writeFileSync(join(folder, 'router.yml'), JSON.stringify(routerConfig(place)));
  await ziti('router', 'enroll', 'router.yml', '--jwt', 'router.jwt');
  const startRouter = () => processes.start('router', 'ziti', 'router', 'run', 'router.yml');
  let router = startRouter();
  processes.start('host', 'ziti', 'demo', 'echo-server', '--identity', 'host.json', '--service', 'echo');
  await until('the service is hosted', async () => (await ziti('edge', 'list', 'terminators')).includes('echo'));
  processes.start('client', 'ziti', 'tunnel', 'proxy', '--identity', 'client.json', `echo:${place.proxy}`);
  await canDial(place.proxy);
  return {
    ...contender,
    api: await apiOf(contender),
    killRouter: () => {
      router.kill('SIGKILL');
      return () => {
        router = startRouter();
      };
    },
  };
};

/** Waits until a line is echoed over a new connection. */
export const canDial = (port: number): Promise<void> =>
  until('a line is echoed', async () => {
    const connection = await connectTo(port);
    const isEchoed = (await connection.echo('first')) !== undefined;
    connection.end();
    return isEchoed;
  });

const routerConfig = ({ control, edge, link }: Contender['place']) => {
  const linkAddress = `tls:127.0.0.1:${link}`;
  return {
    v: 3,
    identity: { cert: 'router.cert', server_cert: 'router.server.cert', key: 'router.key', ca: 'router.cas' },
    ctrl: { endpoint: `tls:127.0.0.1:${control}` },
    link: { dialers: [{ binding: 'transport' }], listeners: [{ binding: 'transport', bind: linkAddress, advertise: linkAddress }] },
    listeners: [{ binding: 'edge', address: `tls:127.0.0.1:${edge}`, options: { advertise: `127.0.0.1:${edge}` } }],
    edge: { csr: { sans: { dns: ['localhost'], ip: ['127.0.0.1'] } } },
  };
};
