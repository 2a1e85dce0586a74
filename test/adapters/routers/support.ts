import { type ServingRouters, serveRouters } from '../../../adapters/routers/node.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { newRoot, newServerCertificate } from '../../../src/index.ts';
import { type ScriptedRouter, type TestNetwork, type TestNetworkOptions, testNetwork } from '../../../testing/index.ts';

const root = await newRoot();

/** Key and certificate of a server on this machine. */
export const tls = await newServerCertificate(root, ['127.0.0.1']);

export interface RouterNetwork extends AsyncDisposable {
  readonly network: TestNetwork;
  readonly serving: ServingRouters;
  /** Where routers connect. */
  readonly port: number;
  /** What was logged, in the form `level: message (reason)`. */
  log(): readonly string[];
}

/** A network whose routers connect over real sockets. */
export const routerNetwork = async (options: TestNetworkOptions = {}): Promise<RouterNetwork> => {
  const network = await testNetwork({ platform: { logger: SILENT }, ...options });
  const serving = await serveRouters({ controller: network.controller, tls });
  return {
    network,
    serving,
    port: serving.port,
    log: () =>
      network.recorded.log.map(
        ({ level, message, details }) => `${level}: ${message}${details?.reason ? ` (${String(details.reason)})` : ''}`,
      ),
    [Symbol.asyncDispose]: async () => {
      await serving.close();
      await network.close();
    },
  };
};

const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };

/** Whether a router is online, as the API says it. */
export const isOnline = async ({ controller }: TestNetwork, id: string): Promise<boolean> =>
  (await controller.api.edgeRouters.get({ id })).isOnline;

/** Lets time pass in which a router answers heartbeats. */
export const letPass = async ({ network }: Pick<RouterNetwork, 'network'>, router: ScriptedRouter, minutes: number): Promise<void> => {
  for (let beat = 0; beat < minutes * 4; beat++) {
    network.clock.advance('15s');
    await router.request(messages.channel.ping, undefined);
  }
};
