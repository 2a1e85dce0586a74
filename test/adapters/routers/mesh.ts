import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { ScriptedRouter, TestNetworkOptions, TestRouter } from '../../../testing/index.ts';
import { until } from '../../support/until.ts';
import { isOnline } from './support.ts';
import { bindBy, dialBy, routed, settled, type Traffic, traffic } from './traffic.ts';

const { routerLinks } = messages.links;

/** A router of a mesh. */
export interface MeshRouter extends ScriptedRouter {
  readonly id: string;
  readonly of: TestRouter;
}

/** Several routers. The client is at the first one, `fra1`; the host is at `ams1`. */
export interface Mesh extends Traffic {
  readonly hosting: Traffic['hosting'];
  readonly fra: MeshRouter;
  ams: MeshRouter;
  /** Another router, which does by default what it is asked to. */
  join(name: string, script?: typeof routed, version?: string): Promise<MeshRouter>;
  /** The first router reports a link that it has dialed to the second, beside those that it has reported before. */
  link(id: string, from: MeshRouter, to: MeshRouter): Promise<void>;
  /** A circuit of the client. @throws when there is none */
  circuit(token?: string): Promise<string>;
}

export const mesh = async (options: TestNetworkOptions = {}): Promise<Mesh> => {
  const at = await traffic(routed, 'API session', options);
  const join = async (name: string, script = routed, version = 'v1.7.2'): Promise<MeshRouter> => {
    const of = await at.network.edgeRouter(name);
    const router = await of.dial({ port: at.port, script, version });
    await until(() => isOnline(at.network, of.id));
    return { ...router, id: of.id, of };
  };
  const ams = await join('ams1');
  await bindBy({ ...at, router: ams }, 'terminator');
  return {
    ...at,
    fra: { ...at.router, id: at.fra1.id, of: at.fra1 },
    ams,
    join,
    link: async (id, from, to) => {
      from.send(routerLinks, { links: [{ id, destRouterId: to.id, linkProtocol: 'tls', iteration: 1 }] });
      await settled(from);
    },
    circuit: async (token) => {
      const made = await dialBy(at, token ? { token } : {});
      if (!made.isMade) throw new Error(made.said);
      return made.id;
    },
    [Symbol.asyncDispose]: at[Symbol.asyncDispose],
  };
};
