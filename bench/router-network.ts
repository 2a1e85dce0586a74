/**
 * The process that `routers.ts` forks: an in-memory network of a given size, with a port for routers, and enrolled routers. It reports the
 * keys of the routers to the parent process.
 */
import { serveRouters } from '../adapters/routers/node.ts';
import { newRoot, newServerCertificate } from '../src/index.ts';
import { testNetwork } from '../testing/index.ts';
import { identityBody, policyBody, serviceBody } from './data.ts';
import { reportToParent } from './measure.ts';

const [identities = 0, services = 0, policies = 0, routers = 0] = process.argv.slice(2).map(Number);
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };
const network = await testNetwork({ platform: { logger: silent }, settings: { maxQueuedEnrollments: 10_000 } });
const { controller } = network;

for (let i = 0; i < identities; i++) await controller.api.identities.create({ body: identityBody(i) });
for (let i = 0; i < services; i++) await controller.api.services.create({ body: serviceBody(i, []) });
for (let i = 0; i < policies; i++) await controller.api.servicePolicies.create({ body: policyBody(i) });

const [host, client] = [await network.device('bench-host', 'hosts'), await network.device('bench-client', 'clients')];
const web = await network.service('web');
await network.bind(['#hosts'], [web]);
await network.dial(['#clients'], [web]);
await network.route();

const tls = await newServerCertificate(await newRoot(), ['127.0.0.1']);
const { port } = await serveRouters({ controller, tls });
const keys: { id: string; chain: string; key: string }[] = [];
for (let i = 0; i < routers; i++) {
  const router = await network.edgeRouter(`bench-router-${i}`);
  (await router.connect()).close(); // enrolls the router
  const { chain = '', key = '' } = router.certificate ?? {};
  keys.push({ id: router.id, chain, key });
}
// Sessions can be created only if a router is online.
await (await network.edgeRouter('bench-online')).connect();

const tokens = async (session: Awaited<ReturnType<typeof host.login>>, type: 'Dial' | 'Bind') => ({
  apiSessionToken: session.token,
  sessionToken: (await session.sessions.create({ body: { serviceId: web.id, type } })).token,
});
process.on('message', (request) => {
  if (request === 'change') void controller.api.services.create({ body: { name: `new-${Date.now()}`, encryptionRequired: true } });
});
reportToParent({ port, keys, bind: await tokens(await host.login(), 'Bind'), dial: await tokens(await client.login(), 'Dial') });
