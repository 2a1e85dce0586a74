/**
 * Measures the control channel with scripted routers over TLS: circuits, many connected routers, and the complete data model. Prints a
 * table.
 *
 *     node bench/routers.ts --size 10000x1000x200 --routers 1000 --seconds 5
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { circuitHeader, routeHeader } from '../src/fabric/control-channel/header-fields.ts';
import { messages } from '../src/fabric/control-channel/messages/index.ts';
import { frozenClock } from '../testing/clock.ts';
import { connectScripted, type ScriptedRouter, type ScriptedRouterOptions } from '../testing/scripted-router.ts';
import { type MeasuredServer, startServer } from './measure.ts';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '10000x1000x200' },
    routers: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '5' },
    parallel: { type: 'string', default: '8' },
  },
});
const { route, routeResult, createCircuit, createCircuitResponse, fault } = messages.circuits;
const { createTerminator } = messages.terminators;
const { subscribeToDataModel, dataState, changeSet } = messages.dataModel;

interface Tokens {
  readonly apiSessionToken: string;
  readonly sessionToken: string;
}
interface RouterNetwork extends MeasuredServer {
  readonly keys: readonly { readonly id: string; readonly chain: string; readonly key: string }[];
  readonly bind: Tokens;
  readonly dial: Tokens;
}

const clock = frozenClock();
const network = await startServer<RouterNetwork>('router-network.ts', [...values.size.split('x'), values.routers]);
const connect = (at: number, script: NonNullable<ScriptedRouterOptions['script']> = {}): Promise<ScriptedRouter> => {
  const enrolled = network.keys[at];
  if (!enrolled) throw new TypeError(`there is no router ${at}`);
  return connectScripted({ id: enrolled.id, certificate: enrolled, clock }, { port: network.port, script });
};
const processorMs = async (): Promise<number> => {
  const { user, system } = await network.usage();
  return (user + system) / 1000;
};
const rows: [label: string, figure: string][] = [];

// A terminator, and circuits to it through the same router.
const first = await connect(0, {
  [route.name]: (frame, router) => {
    const { circuitId, attempt } = route.decode(frame.body);
    router.answer(frame, routeResult, circuitId, [routeHeader.attempt.of(attempt), routeHeader.success.of(true)]);
  },
});
const key = new Map([[1003, new Uint8Array(32)]]);
await first.request(createTerminator, { address: 'bench-terminator', ...network.bind, peerData: key });
const circuit = async (): Promise<void> => {
  const headers = [
    circuitHeader.sessionToken.of(network.dial.sessionToken),
    circuitHeader.apiSessionToken.of(network.dial.apiSessionToken),
    circuitHeader.peerData.of(key),
    circuitHeader.instanceId.of(''),
  ];
  const answer = await first.request(createCircuit, '', { headers });
  if (answer.contentType !== createCircuitResponse.contentType) throw new Error('a circuit was refused');
  first.send(fault, { subject: 'ingress', id: circuitHeader.circuitId.required(answer) });
};
const dialFor = async (milliseconds: number): Promise<number> => {
  const end = performance.now() + milliseconds;
  let count = 0;
  const one = async () => {
    for (; performance.now() < end; count++) await circuit();
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, one));
  return count;
};
await dialFor(1000);
const before = await processorMs();
const made = await dialFor(Number(values.seconds) * 1000);
rows.push(['circuits, set up and ended, per second', (made / Number(values.seconds)).toFixed(0)]);
rows.push(['processor time of the controller for one', `${(((await processorMs()) - before) / made).toFixed(2)} ms`]);

// The complete data model: the first subscription reads it from the store.
for (const [at, label] of ['the first router', 'the next router'].entries()) {
  const router = at === 0 ? first : await connect(at);
  const [began, cost] = [performance.now(), await processorMs()];
  router.send(subscribeToDataModel, { subscriptionDurationSeconds: 3600 });
  const { body } = await router.next(dataState);
  const took = performance.now() - began;
  rows.push([
    `data model of ${values.size}, ${label}`,
    `${(body.length / 1024).toFixed(0)} KiB after ${took.toFixed(0)} ms, ${((await processorMs()) - cost).toFixed(0)} ms of the processor`,
  ]);
}

// Connects all other routers, then makes a change that each of them receives.
const { rss } = await network.usage();
const [began, cost] = [performance.now(), await processorMs()];
const others: ScriptedRouter[] = [];
for (let at = 2; at < network.keys.length; at++) {
  const router = await connect(at);
  router.send(subscribeToDataModel, { subscriptionDurationSeconds: 3600 });
  await router.next(dataState);
  others.push(router);
}
const count = others.length;
rows.push([
  `${count} routers, connected one after another with the data model`,
  `${((performance.now() - began) / count).toFixed(1)} ms each`,
]);
rows.push(['processor time of the controller for one', `${(((await processorMs()) - cost) / count).toFixed(1)} ms`]);
rows.push(['memory of the controller for one', `${(((await network.usage()).rss - rss) / 1024 / count).toFixed(0)} KiB`]);
const changed = performance.now();
network.child.send('change');
await Promise.all(others.map((router) => router.next(changeSet)));
rows.push(['until a change has reached all of them', `${(performance.now() - changed).toFixed(0)} ms`]);

console.log('| | |\n|---|---|');
for (const [label, figure] of rows) console.log(`| ${label} | ${figure} |`);
network.child.kill();
await once(network.child, 'exit');
process.exit();
