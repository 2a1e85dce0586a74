/** The sum of what usage tells, compared with what clients have sent and received, while routers and controllers fail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { header } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { frozenClock } from '../../../testing/clock.ts';
import { connectScripted, type ScriptedRouter } from '../../../testing/scripted-router.ts';
import { newSharedStorage, stores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { type MeshRouter, mesh } from './mesh.ts';
import { on } from './restarted.ts';
import { type RouterNetwork, routerNetwork } from './support.ts';
import { bindBy, dialBy, routed, settled } from './traffic.ts';

const { metrics } = messages.routers;
const { fault } = messages.circuits;
const { routerLinks } = messages.links;

/** Circuits of each of the two routers, batches of 15 s that the journal writes, and reports of a router in each. */
const CIRCUITS = 50;
const BATCHES = 100;
const REPORTS = 3;

/** Bytes of a circuit, or of many. */
interface Bytes {
  sent: number;
  received: number;
}

const sumOf = (all: Iterable<Bytes>): Bytes => {
  const sum = { sent: 0, received: 0 };
  for (const { sent, received } of all) {
    sum.sent += sent;
    sum.received += received;
  }
  return sum;
};

/** A router of clients that counts as unmodified ones do: it reports what has come since its last report, and forgets it when it ends. */
const counting = (id: string, router: ScriptedRouter) => {
  const unreported = new Map<string, Bytes>();
  return {
    id,
    router,
    circuits: [] as string[],
    carry: (circuitId: string, { sent, received }: Bytes): void => {
      const before = unreported.get(circuitId) ?? { sent: 0, received: 0 };
      unreported.set(circuitId, { sent: before.sent + sent, received: before.received + received });
    },
    /** The bytes that nobody will report any more. */
    lost: (): Bytes => sumOf(unreported.values()),
    /** Reports to the controller. @returns the bytes of the report */
    report: (to: ScriptedRouter, milliseconds: number): Bytes => {
      const seconds = BigInt(Math.floor(milliseconds / 1000));
      const buckets = new Map(
        [...unreported].map(([circuitId, { sent, received }]) => [
          circuitId,
          { values: new Map([['ingress.rx', BigInt(sent)] as const, ['ingress.tx', BigInt(received)] as const]) },
        ]),
      );
      const reported = sumOf(unreported.values());
      unreported.clear();
      to.send(metrics, {
        timestamp: { seconds, nanos: (milliseconds % 1000) * 1_000_000 },
        usageCounters: [{ intervalStartUTC: seconds - 5n, intervalLength: 5n, buckets }],
      });
      return reported;
    },
  };
};

type Counting = ReturnType<typeof counting>;

/** Numbers that look random, and are the same in each run. */
const numbers = (() => {
  let state = 7;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
})();

for (const store of stores)
  test(`usage tells the bytes of 100 circuits on two routers within one per cent, though circuits move, a router is killed, and so is the controller (${store})`, async () => {
    await using storage = newSharedStorage(store);
    await using at = await mesh(on(storage));
    let current: Pick<RouterNetwork, 'network'> = at;
    const truth: Bytes = { sent: 0, received: 0 };
    const lost: Bytes = { sent: 0, received: 0 };
    const add = (sum: Bytes, { sent, received }: Bytes): void => {
      sum.sent += sent;
      sum.received += received;
    };
    for (const id of ['direct', 'other']) await at.link(id, at.fra, at.ams);

    let client = counting(at.fra.id, at.fra);
    let second = counting(at.ams.id, at.ams);
    const routers = (): readonly Counting[] => [client, second];
    const dial = async (from: Counting): Promise<void> => {
      const made = await dialBy({ ...at, router: from.router });
      assert.ok(made.isMade, made.said);
      from.circuits.push(made.id);
    };
    const circuitsNow = async () => (await current.network.controller.api.circuits.list({ filter: 'true limit none' })).data;
    for (const each of routers()) for (let i = 0; i < CIRCUITS; i++) await dial(each);
    assert.equal((await circuitsNow()).length, 2 * CIRCUITS);

    /** Five seconds in which all circuits carry something. */
    const carry = (): void => {
      for (const each of routers())
        for (const circuitId of each.circuits) {
          const bytes = { sent: numbers(20_000), received: numbers(200_000) };
          add(truth, bytes);
          each.carry(circuitId, bytes);
        }
    };
    /** Reports of one moment of the stopped clock are a millisecond apart. */
    let milliseconds = 0;
    const report = (of: readonly Counting[] = routers()): Bytes => {
      milliseconds++;
      return sumOf(of.map((each) => each.report(each.router, current.network.clock.now() + milliseconds)));
    };
    const received = () => Promise.all(routers().map(({ router }) => settled(router)));
    /** The time between two batches of the journal. */
    const interval = async (): Promise<void> => {
      for (let i = 0; i < REPORTS; i++) {
        carry();
        report();
      }
      await received();
      await current.network.advance('15s');
    };
    for (let i = 0; i < BATCHES / 4; i++) await interval();

    // The link of half of the circuits breaks.
    at.fra.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
    at.ams.send(fault, { subject: 'link', id: 'direct', iteration: 1 });
    const onDirect = async () => (await circuitsNow()).filter(({ path }) => path.links.some(({ id }) => id === 'direct'));
    await until(async () => (await onDirect()).length === 0);
    assert.equal((await circuitsNow()).length, 2 * CIRCUITS);
    for (let i = 0; i < BATCHES / 4; i++) await interval();

    // A router is killed five seconds after its last report, and starts anew: it hosted for all of them, who dial again.
    carry();
    add(lost, second.lost());
    report([client]);
    await settled(client.router);
    at.ams.close();
    await until(async () => !(await at.network.controller.api.edgeRouters.get({ id: second.id })).isOnline);
    const router = await at.ams.of.dial({ port: at.port, script: routed });
    await until(async () => (await circuitsNow()).length === 0);
    at.fra.send(routerLinks, { links: [{ id: 'next', destRouterId: second.id, linkProtocol: 'tls', iteration: 1 }] });
    await settled(at.fra);
    await bindBy({ ...at, router }, 'again');
    [client, second] = [counting(client.id, client.router), counting(second.id, router)];
    for (const each of routers()) for (let i = 0; i < CIRCUITS; i++) await dial(each);
    for (let i = 0; i < BATCHES / 4; i++) await interval();

    // The controller is killed: what it has not yet written of the last two reports is lost. Routers go on.
    for (let i = 0; i < REPORTS - 1; i++) {
      carry();
      add(lost, report());
    }
    await received();
    await using next = await routerNetwork({ ...on(storage), clock: frozenClock(new Date(at.network.clock.now()).toISOString()) });
    carry();
    const again = async (of: Counting, { of: { id, certificate } }: Pick<MeshRouter, 'of'>): Promise<Counting> => {
      assert.ok(certificate);
      const lastConnectionId = header.connectionId.required(of.router.welcome);
      const connection = await connectScripted(
        { id, certificate, clock: next.network.clock },
        { port: next.port, script: routed, lastConnectionId },
      );
      return { ...of, router: connection };
    };
    [client, second] = [await again(client, at.fra), await again(second, at.ams)];
    current = next;
    client.router.send(routerLinks, { links: [{ id: 'next', destRouterId: second.id, linkProtocol: 'tls', iteration: 1 }] });
    await settled(client.router);
    assert.equal((await circuitsNow()).length, 2 * CIRCUITS);
    for (let i = 0; i < BATCHES / 4; i++) await interval();

    for (const { id } of await circuitsNow()) await next.network.controller.api.circuits.delete({ id });
    report();
    await received();
    const { usage, journal } = next.network.controller.api;
    const open = async () => (await journal.list({ filter: 'outcome = "open"' })).pagination.totalCount;
    await until(async () => {
      await next.network.advance('15s');
      return (await open()) === 0 && (await journal.list({})).pagination.totalCount === 4 * CIRCUITS;
    });
    for (const by of [['day'], ['hour'], ['minute'], ['router']] as const) {
      const { data } = await usage.list({ by: [...by], limit: 500 });
      const told = sumOf(data.map(({ bytesSent, bytesReceived }) => ({ sent: bytesSent, received: bytesReceived })));
      for (const way of ['sent', 'received'] as const) {
        assert.ok(Math.abs(told[way] - truth[way]) <= truth[way] / 100, `${by}: ${told[way]} of ${truth[way]} bytes ${way}`);
        assert.equal(told[way], truth[way] - lost[way], `${by}: all that was not lost with its process is counted once`);
      }
    }
    const entries = [];
    for (let offset = 0; offset < 4 * CIRCUITS; offset += 100) entries.push(...(await journal.list({ limit: 100, offset })).data);
    const inEntries = sumOf(entries.map(({ bytesSent, bytesReceived }) => ({ sent: bytesSent, received: bytesReceived })));
    assert.deepEqual(inEntries, { sent: truth.sent - lost.sent, received: truth.received - lost.received });
  });
