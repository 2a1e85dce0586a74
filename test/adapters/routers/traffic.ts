import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { circuitHeader, routeHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { ScriptedRouter, TestDevice, TestNetworkOptions, TestRouter } from '../../../testing/index.ts';
import { until } from '../../support/until.ts';
import { bearerSession, type TrafficSession } from './bearer.ts';
import { isOnline, type RouterNetwork, routerNetwork } from './support.ts';

const { route, routeResult, createCircuit, createCircuitResponse, refused } = messages.circuits;
const { createTerminator, createTerminatorResponse } = messages.terminators;
const { verifyRouter, routerLinks } = messages.links;

export const HOST_KEY = Uint8Array.of(1, 1, 1);
export const CLIENT_KEY = Uint8Array.of(2, 2, 2);
/** Of peer data: the public key of an end. */
export const KEY = 1003;

/** A host, a client and a service between them, by a router that sets up whatever it is asked to. */
export interface Traffic extends RouterNetwork {
  readonly fra1: TestRouter;
  readonly router: ScriptedRouter;
  readonly serviceId: string;
  readonly host: TestDevice;
  readonly client: TestDevice;
  readonly hosting: TrafficSession;
  readonly dialing: TrafficSession;
  readonly bindPolicy: string;
  readonly dialPolicy: string;
}

/** Of the certificate that a device proves to its router, SHA-1 in hex. */
export const fingerprintOf = ({ certificate: { certificates } }: TestDevice): string =>
  createHash('sha1')
    .update(certificates[0] ?? new Uint8Array())
    .digest('hex');

/** The answer to a route that worked. */
export const routed: NonNullable<Parameters<TestRouter['dial']>[0]['script']> = {
  [route.name]: (frame, router) => {
    const { circuitId, attempt } = route.decode(frame.body);
    router.answer(frame, routeResult, circuitId, [routeHeader.attempt.of(attempt), routeHeader.success.of(true)]);
  },
};

/** How clients log in. */
export type LoginBy = 'API session' | 'OpenID Connect';

export const traffic = async (script = routed, by: LoginBy = 'API session', options: TestNetworkOptions = {}): Promise<Traffic> => {
  const at = await routerNetwork({ oidc: by === 'OpenID Connect', ...options });
  const { network, port } = at;
  const fra1 = await network.edgeRouter('fra1');
  const [host, client] = [await network.device('host', 'hosts'), await network.device('client', 'clients')];
  const web = await network.service('web');
  const serviceId = web.id;
  const { id: bindPolicy } = await network.bind(['#hosts'], [web]);
  const { id: dialPolicy } = await network.dial(['#clients'], [web]);
  await network.route();
  const router = await fra1.dial({ port, script });
  await until(() => isOnline(network, fra1.id));
  const login = (device: TestDevice): Promise<TrafficSession> => (by === 'API session' ? device.login() : bearerSession(network, device));
  const [hosting, dialing] = [await login(host), await login(client)];
  return {
    ...at,
    fra1,
    router,
    serviceId,
    host,
    client,
    hosting,
    dialing,
    bindPolicy,
    dialPolicy,
    [Symbol.asyncDispose]: at[Symbol.asyncDispose],
  };
};

/** The token of a session of a client for the service. */
export const tokenFor = async (session: TrafficSession, serviceId: string, type: 'Dial' | 'Bind'): Promise<string> =>
  (await session.sessions.create({ body: { serviceId, type } })).token;

/** The client hosts the service by the router: what the answer says. */
export const bindBy = async (
  at: Traffic,
  address: string,
  sessionToken?: string,
  change: Parameters<typeof createTerminator.encode>[0] = {},
) => {
  const { router, hosting, serviceId } = at;
  const token = sessionToken ?? (await tokenFor(hosting, serviceId, 'Bind'));
  const fingerprints = [fingerprintOf(at.host)];
  const fields = {
    address,
    sessionToken: token,
    apiSessionToken: hosting.token,
    fingerprints,
    peerData: new Map([[KEY, HOST_KEY]]),
    ...change,
  };
  return createTerminatorResponse.decode((await router.request(createTerminator, fields)).body);
};

/** The client asks for a circuit: the answer, whatever it is. */
export const dialBy = async (
  { router, dialing, serviceId, client }: Traffic,
  change: {
    readonly token?: string;
    readonly key?: Uint8Array | undefined;
    readonly fingerprints?: readonly string[];
    readonly instanceId?: string;
    /** Instead of the key alone. */
    readonly peerData?: ReadonlyMap<number, Uint8Array>;
  } = {},
) => {
  const { token = await tokenFor(dialing, serviceId, 'Dial'), fingerprints = [fingerprintOf(client)] } = change;
  const key = 'key' in change ? change.key : CLIENT_KEY;
  const answer = await router.request(createCircuit, '', {
    milliseconds: 30_000,
    headers: [
      circuitHeader.sessionToken.of(token),
      circuitHeader.apiSessionToken.of(dialing.token),
      circuitHeader.fingerprints.of(fingerprints),
      circuitHeader.peerData.of(change.peerData ?? (key ? new Map([[KEY, key]]) : new Map())),
      circuitHeader.instanceId.of(change.instanceId ?? ''),
    ],
  });
  if (answer.contentType === refused.contentType) return { isMade: false, said: refused.decode(answer.body), answer } as const;
  createCircuitResponse.decode(answer.body);
  return { isMade: true, id: circuitHeader.circuitId.required(answer), answer } as const;
};

/** A second router, by which the host is reached; the client stays at the first. */
export const withSecond = async (
  at: Traffic,
  script = routed,
): Promise<{ readonly ams1: TestRouter; readonly second: ScriptedRouter; readonly hosting: Traffic }> => {
  const ams1 = await at.network.edgeRouter('ams1');
  const second = await ams1.dial({ port: at.port, script });
  await until(() => isOnline(at.network, ams1.id));
  return { ams1, second, hosting: { ...at, router: second } };
};

/** Waits until what the router has sent before was worked on. */
export const settled = (router: ScriptedRouter) => router.request(verifyRouter, {});

export const CONNECTION = { type: 'link.default', localAddr: 'tls:10.0.0.1:45000', remoteAddr: 'tls:10.0.0.2:6000' };

/** Two routers with a link between them, and a circuit over it. */
export const withCircuit = async (at: Traffic) => {
  const two = await withSecond(at);
  await bindBy(two.hosting, 'terminator');
  at.router.send(routerLinks, {
    links: [
      {
        id: 'link',
        destRouterId: two.ams1.id,
        linkProtocol: 'tls',
        dialAddress: 'tls:ams1.test:6000',
        iteration: 3,
        connState: { stateIteration: 1, conns: [CONNECTION] },
      },
    ],
  });
  await settled(at.router);
  const made = await dialBy(at);
  assert.ok(made.isMade);
  return { ...two, circuitId: made.id };
};
