/** Measures the cost of circuits, and the effects of failures on them. Each measure restores the network afterwards. */
import { setTimeout as pause } from 'node:timers/promises';
import { connectTo } from '../../scripts/try-routers/connections.ts';
import { until } from '../../scripts/try-routers/until.ts';
import type { Api } from './api.ts';
import { canDial, type Network } from './network.ts';

/** The figures of a measure, by name. Something that did not happen in time is reported as a phrase instead of a figure. */
export type Figures = Readonly<Record<string, string>>;
export type Measure = (network: Network) => Promise<Figures>;

const TIMEOUT_MS = 10_000;

/** The time until `work` settles, as text; a phrase if it takes too long. */
const timed = async (work: Promise<unknown>, began = performance.now()): Promise<string> => {
  const isDone = await Promise.race([work.then(() => true), pause(TIMEOUT_MS, false)]);
  return isDone ? ms(performance.now() - began) : `not within ${TIMEOUT_MS / 1000} s`;
};

const ms = (value: number): string => `${value < 100 ? value.toFixed(1) : value.toFixed(0)} ms`;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const connected = async (port: number, line: string) => {
  const connection = await connectTo(port);
  if ((await connection.echo(line)) === undefined) throw new Error(`no answer to ${line}`);
  return connection;
};

const SEQUENTIAL_DIALS = 50;
const CONCURRENT_DIALS = 200;

const dials: Measure = async ({ place: { proxy }, used }) => {
  const times: number[] = [];
  const all = [];
  const before = used();
  for (let i = 0; i < SEQUENTIAL_DIALS; i++) {
    const began = performance.now();
    all.push(await connected(proxy, `line ${i}`));
    times.push(performance.now() - began);
  }
  const began = performance.now();
  all.push(...(await Promise.all(Array.from({ length: CONCURRENT_DIALS }, (_, i) => connected(proxy, `line of all ${i}`)))));
  const together = performance.now() - began;
  for (const connection of all) connection.end();
  await pause(1000);
  const after = used();
  return {
    'a dial, to the first line that comes back': ms(median(times)),
    [`${CONCURRENT_DIALS} dials at once, to the last line that comes back`]: ms(together),
    ...(before &&
      after && {
        'processor time of the controller for a circuit': ms((after.processorMs - before.processorMs) / all.length),
        'memory of the controller': `${after.mebibytes} MiB`,
      }),
  };
};

const isOnline = async (api: Api, id: string): Promise<boolean> =>
  (await api.call<{ isOnline: boolean }>('GET', `/edge-routers/${id}`)).isOnline;

/** Waits until a condition is true. Polls as fast as the API answers. */
const untilTrue = async (condition: () => Promise<boolean>): Promise<void> => {
  while (!(await condition().catch(() => false))) await pause(5);
};

const disabledRouter: Measure = async ({ place: { proxy }, api }) => {
  const id = await api.idOf('edge-routers', 'router');
  const began = performance.now();
  await api.call('PATCH', `/edge-routers/${id}`, { disabled: true });
  const cut = await timed(
    untilTrue(async () => !(await isOnline(api, id))),
    began,
  );
  await api.call('PATCH', `/edge-routers/${id}`, { disabled: false });
  await until('the router is online', () => isOnline(api, id));
  await canDial(proxy);
  return { 'a disabled router is cut off after': cut };
};

const deletedPolicy: Measure = async ({ place: { proxy }, processes: { run }, api }) => {
  const connection = await connected(proxy, 'before');
  const policy = await api.idOf('service-policies', 'dial');
  const began = performance.now();
  await api.call('DELETE', `/service-policies/${policy}`);
  const byPolicy = await timed(connection.ended, began);
  connection.end();
  await run('ziti', 'edge', 'create', 'service-policy', 'dial', 'Dial', '--identity-roles', '@client', '--service-roles', '@echo');
  await canDial(proxy);
  return { 'a circuit ends after its dial policy is deleted': byPolicy };
};

const disabledClient: Measure = async ({ place: { proxy }, api }) => {
  const connection = await connected(proxy, 'before');
  const id = await api.idOf('identities', 'client');
  const began = performance.now();
  await api.call('POST', `/identities/${id}/disable`, { durationMinutes: 0 });
  const ended = await timed(connection.ended, began);
  connection.end();
  const again = await connected(proxy, 'again').catch(() => undefined);
  again?.end();
  await api.call('POST', `/identities/${id}/enable`);
  await canDial(proxy);
  return { 'a circuit ends after its client is disabled': ended, 'the disabled client can dial': again ? 'yes' : 'no' };
};

const killedController: Measure = async ({ place: { proxy }, killAndRestart, api }) => {
  const connection = await connected(proxy, 'before');
  const id = await api.idOf('edge-routers', 'router');
  const began = performance.now();
  await killAndRestart();
  const answers = ms(performance.now() - began);
  await until('the router is online', () => isOnline(api, id));
  const online = ms(performance.now() - began);
  await canDial(proxy);
  const dialed = ms(performance.now() - began);
  const survived = (await connection.echo('after')) === undefined ? 'no' : 'yes';
  connection.end();
  return {
    'killed and started again: it answers after': answers,
    'its router is online after': online,
    'a new circuit carries a line after': dialed,
    'the circuit from before continues': survived,
  };
};

const killedRouter: Measure = async ({ place: { proxy }, killRouter, api }) => {
  const connection = await connected(proxy, 'before');
  const circuits = async (): Promise<number> => (await api.call<unknown[]>('GET', '/fabric/v1/circuits?limit=500')).length;
  const countBefore = await circuits();
  const startRouter = killRouter();
  const delisted = await timed(untilTrue(async () => (await circuits()) < countBefore));
  connection.end();
  startRouter();
  await canDial(proxy);
  return { 'circuits of a router that was killed are listed for': delisted };
};

export const measures: readonly Measure[] = [dials, disabledRouter, deletedPolicy, disabledClient, killedController, killedRouter];
