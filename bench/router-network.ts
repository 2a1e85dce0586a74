/**
 * The process that `routers.ts` forks: a network of a given size, with a port for routers, and enrolled routers. With the argument `fill`,
 * it only fills the store. Reports the keys of the routers to the parent process, changes the network, and measures itself on request.
 */
import { serveRouters } from '../adapters/routers/node.ts';
import { newRoot, newServerCertificate } from '../src/index.ts';
import { frozenClock } from '../testing/clock.ts';
import { testNetwork } from '../testing/index.ts';
import { identityBody, policyBody, type Size, serviceBody } from './data.ts';
import type { RouterKey } from './lean-router.ts';
import { reportToParent } from './measure.ts';
import { SECRET_KEY, storageOf } from './stores.ts';

/** What the parent process asks for. Each request has one answer. */
export type NetworkRequest =
  | { readonly ask: 'change'; readonly change: ChangeName }
  /** Bytes in use after a collection of garbage. */
  | { readonly ask: 'memory' }
  /** Begins, or ends and answers, the measurement of the longest processor time between two turns of the event loop. ms */
  | { readonly ask: 'watch' }
  | { readonly ask: 'held' };

export type ChangeName = keyof typeof changes;

export interface Memory {
  /** The heap and the memory of its objects outside of it. */
  readonly used: number;
  readonly resident: number;
}

const [place = 'memory', size = '{}', routers = '0', purpose = ''] = process.argv.slice(2);
const { identities, services, policies, attributes }: Size & { readonly attributes: number } = JSON.parse(size);
const isFilling = purpose === 'fill';
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };
const network = await testNetwork({
  storage: storageOf(place, isFilling),
  secretKey: SECRET_KEY,
  clock: frozenClock(new Date().toISOString()),
  platform: { logger: silent },
  settings: { maxQueuedEnrollments: 10_000, readCacheBytes: 256 * 2 ** 20 },
  oidc: true,
});
const { api } = network.controller;

const fill = async (): Promise<readonly RouterKey[]> => {
  for (let i = 0; i < identities; i++) await api.identities.create({ body: identityBody(i, attributes) });
  for (let i = 0; i < services; i++) await api.services.create({ body: serviceBody(i, []) });
  for (let i = 0; i < policies; i++) await api.servicePolicies.create({ body: policyBody(i, attributes) });
  const web = await network.service('web');
  await network.bind(['#hosts'], [web]);
  await network.dial(['#clients'], [web]);
  await network.route();
  const keys: RouterKey[] = [];
  for (let i = 0; i < Number(routers); i++) {
    const router = await network.edgeRouter(`bench-router-${i}`);
    (await router.connect()).close(); // enrolls the router
    const { chain = '', key = '' } = router.certificate ?? {};
    keys.push({ id: router.id, chain, key });
  }
  return keys;
};

const idOf = async (kind: 'identities' | 'services', name: string): Promise<string> => {
  const { data } = await api[kind].list({ filter: `name = "${name}"`, limit: 1 });
  return data[0]?.id ?? '';
};

/** One change each, of which all routers are told. */
const everyone = { type: 'Dial', semantic: 'AllOf', identityRoles: ['#all'], serviceRoles: ['#all'] } as const;
const names = (function* () {
  for (let number = Date.now(); ; number++) yield `changed-${number}`;
})();
const changes = {
  'an identity gets other attributes': async () => {
    const id = await idOf('identities', 'id-000007');
    const { data } = await api.servicePolicies.list({ filter: 'name = "pol-0"' });
    const roleAttributes = data[0]?.identityRoles?.map((role) => role.slice(1)) ?? [];
    await api.identities.patch({ id, body: { roleAttributes } });
  },
  'an identity is disabled': async () => {
    const id = await idOf('identities', 'id-000008');
    await api.identities.disable({ id, body: { durationMinutes: 5 } });
  },
  'a new service': () => api.services.create({ body: { ...serviceBody(0, []), name: names.next().value ?? '' } }),
  'a new policy': () => api.servicePolicies.create({ body: { ...policyBody(0, attributes), name: names.next().value ?? '' } }),
  'a new policy of everyone': () => api.servicePolicies.create({ body: { ...everyone, name: 'everyone' } }),
  'the policy of everyone selects an attribute': async () => {
    const { data } = await api.servicePolicies.list({ filter: 'name = "everyone"' });
    await api.servicePolicies.patch({ id: data[0]?.id ?? '', body: { identityRoles: policyBody(0, attributes).identityRoles } });
  },
  'this policy is deleted': async () => {
    const { data } = await api.servicePolicies.list({ filter: 'name = "everyone"' });
    await api.servicePolicies.delete({ id: data[0]?.id ?? '' });
  },
} as const;

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let [heldMs, last] = [0, 0];
let watching: NodeJS.Timeout | undefined;
const watch = (): void => {
  [heldMs, last] = [0, threadMs()];
  // The difference to a loop of `setImmediate` is up to a millisecond; this takes no processor time from what is measured.
  watching ??= setInterval(() => {
    const now = threadMs();
    heldMs = Math.max(heldMs, now - last);
    last = now;
  }, 1);
};
const memory = (): Memory => {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { used: heapUsed + external, resident: rss };
};
const answer = async (request: NetworkRequest): Promise<unknown> => {
  if (request.ask === 'change') return changes[request.change]();
  if (request.ask === 'memory') return memory();
  if (request.ask === 'watch') return watch();
  clearInterval(watching);
  watching = undefined;
  return heldMs;
};

const keys = isFilling || place === 'memory' ? await fill() : [];
if (isFilling) {
  await network.close();
  process.send?.({ keys }, () => process.exit());
} else {
  await network.controller.warmUp();
  // The clock of the kit stands still by itself.
  const TICK_MS = 100;
  setInterval(() => network.clock.advance(`${TICK_MS}ms`), TICK_MS);
  const { port } = await serveRouters({
    controller: network.controller,
    tls: await newServerCertificate(await newRoot(), ['127.0.0.1']),
    limits: { handshakeTimeoutMs: 60_000 },
  });
  // Sessions can be created only if a router is online.
  await (await network.edgeRouter(names.next().value ?? '')).connect();
  const web = { id: await idOf('services', 'web') };
  const tokens = async (name: string, attribute: string, type: 'Dial' | 'Bind') => {
    const session = await (await network.device(`${name}-${Date.now()}`, attribute)).login();
    return { apiSessionToken: session.token, sessionToken: (await session.sessions.create({ body: { serviceId: web.id, type } })).token };
  };
  process.on('message', async (request: NetworkRequest | string) => {
    if (typeof request !== 'string') process.send?.({ answer: await answer(request).catch(String) });
  });
  reportToParent({ port, keys, bind: await tokens('host', 'hosts', 'Bind'), dial: await tokens('client', 'clients', 'Dial') });
}
