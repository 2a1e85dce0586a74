import { allKinds } from '../../src/call/resources/kinds.ts';
import type { KindName } from '../../src/contract/api/kinds.ts';
import type { App } from './app.ts';
import { aCertificate } from './certificates.ts';
import { csr } from './pki.ts';
import { VERSION } from './presence.ts';
import { aRouterCertificate } from './routers.ts';

/** What a process and its store hold at a moment. */
export interface Held {
  /** Used heap after a collection, in bytes. */
  readonly heap: number;
  /** Timers, sockets and other resources that keep the process alive. */
  readonly handles: number;
  /** Rows of each kind. */
  readonly rows: Readonly<Record<string, number>>;
}

export interface SoakOptions {
  /** Length of the plan, in virtual minutes. */
  readonly minutes: number;
  /** Virtual minutes from one measurement to the next. */
  readonly every: number;
  /** How often the work of a minute is done. */
  readonly rounds: number;
  /** Called after each virtual minute. Default: no pause. */
  readonly pause?: (minute: number) => Promise<void>;
  /** Called with each measurement. */
  readonly measured?: (minute: number, held: Held) => void;
}

/** The settings of a network that is soaked: its change log reaches its limit early. */
export const SOAKED = { changesKept: 2000 };

const [PEOPLE, DEVICES, ROUTERS, FOLLOWERS] = [20, 3, 3, 3];
const C = '/edge/client/v1';

/**
 * Plays a plan of virtual time: sessions come and go, certificates are renewed, policies change, routers connect and are lost, changes are
 * followed.
 * @returns the measurements
 */
export const soak = async (app: App, { minutes, every, rounds, pause, measured }: SoakOptions): Promise<readonly Held[]> => {
  const { controller, clock } = app;
  const service = await app.create('/services', { name: 'wiki', encryptionRequired: true, roleAttributes: ['web'] });
  const policyBody = { name: 'dial', type: 'Dial', semantic: 'AnyOf', serviceRoles: ['#web'] };
  const policy = await app.create('/service-policies', { ...policyBody, identityRoles: ['#staff'] });
  const anyOf = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
  await app.create('/edge-router-policies', { name: 'identities', ...anyOf, identityRoles: ['#all'] });
  await app.create('/service-edge-router-policies', { name: 'services', ...anyOf, serviceRoles: ['#all'] });
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => app.user({ roleAttributes: ['staff'] })));
  const devices = await Promise.all(Array.from({ length: DEVICES }, () => aCertificate(app)));
  const routers = await Promise.all(Array.from({ length: ROUTERS }, () => aRouterCertificate(app)));
  const connections: { close(): void }[] = [];
  const followers: AbortController[] = [];

  const follow = () => {
    const gone = new AbortController();
    const read = async () => {
      for await (const _ of controller.api.changes.follow({ signal: gone.signal }));
    };
    read().catch(() => undefined); // ends with the reason of the signal
    followers.push(gone);
  };
  const liveOf = async (turn: number) => {
    const person = people[turn % PEOPLE];
    const token = person && (await person.login());
    await app.request('POST', `${C}/sessions`, { as: token ?? null, body: { serviceId: service, type: 'Dial' } });
    await app.request('GET', `${C}/services`, { as: token ?? null });
    if (turn % 3 === 0) await app.request('DELETE', `${C}/current-api-session`, { as: token ?? null });
  };
  const administer = async (turn: number) => {
    await app.request('PATCH', `/service-policies/${policy}`, { body: { identityRoles: [turn % 2 === 0 ? '#all' : '#staff'] } });
    const id = await app.create('/identities', { name: `guest ${turn}`, type: 'Device', isAdmin: false, enrollment: { ott: true } });
    await app.request('PATCH', `/identities/${id}`, { body: { roleAttributes: ['staff'] } });
    await app.request('DELETE', `/identities/${id}`);
  };
  const renew = async (turn: number) => {
    const device = devices[turn % DEVICES];
    if (!device) return;
    const path = `/authenticators/${device.id}`;
    const { body } = await app.request('POST', `${path}/extend`, { body: { clientCertCsr: (await csr('CN=renewed')).csr } });
    await app.request('POST', `${path}/extend-verify`, { body: { clientCert: body.data?.clientCert } });
  };
  const reconnect = async (turn: number) => {
    const router = routers[turn % ROUTERS];
    connections[turn % ROUTERS]?.close();
    if (router)
      connections[turn % ROUTERS] = await controller.presence.connect({ certificates: router.certificates, versionInfo: VERSION });
  };
  const hold = async (): Promise<Held> => {
    (app.transcript as unknown[]).length = 0; // the array of the support, which a soak must not mistake for a leak
    (app.log as unknown[]).length = 0;
    await app.settled();
    for (let i = 0; i < 3; i++) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const rows: Record<string, number> = {};
    for (const { kind, view } of allKinds) if (!view) rows[kind] = await app.count(kind as KindName); // every name in this list is one
    return { heap: process.memoryUsage().heapUsed, handles: process.getActiveResourcesInfo().length, rows };
  };

  const results: Held[] = [];
  for (let i = 0; i < FOLLOWERS; i++) follow();
  for (let minute = 1, turn = 0; minute <= minutes; minute++) {
    for (let round = 0; round < rounds; round++, turn++) {
      await liveOf(turn);
      await administer(turn);
      if (turn % 5 === 0) await renew(turn / 5);
      await reconnect(turn);
    }
    if (minute % 30 === 0) {
      followers.shift()?.abort();
      follow();
    }
    await clock.advanceInSteps('1m', () => app.settled());
    await pause?.(minute);
    if (minute % every !== 0) continue;
    const held = await hold();
    results.push(held);
    measured?.(minute, held);
  }
  for (const gone of followers) gone.abort();
  for (const connection of connections) connection.close();
  return results;
};

/** The growth of the heap that is not one of a leak: compiled code and caches, in bytes. */
const HEAP_NOISE = 6 * 2 ** 20;
/** Rows that may be in the course of being deleted. */
const ROW_NOISE = 1.1;

/**
 * Compares the second half of the measurements with the middle: the lowest of the last quarter must not be above the highest around the
 * middle.
 * @returns what grows
 */
export const growthIn = (measurements: readonly Held[]): readonly string[] => {
  const middle = measurements.slice(Math.floor(measurements.length / 4), Math.ceil(measurements.length / 2));
  const last = measurements.slice(Math.floor((measurements.length * 3) / 4));
  const grows = (of: (held: Held) => number, noise: (value: number) => number) =>
    Math.min(...last.map(of)) > noise(Math.max(...middle.map(of)));
  const kinds = Object.keys(measurements[0]?.rows ?? {});
  return [
    ...(grows(
      ({ heap }) => heap,
      (value) => value + HEAP_NOISE,
    )
      ? ['heap']
      : []),
    ...(grows(
      ({ handles }) => handles,
      (value) => value + 1,
    )
      ? ['handles']
      : []),
    ...kinds
      .filter((kind) =>
        grows(
          ({ rows }) => rows[kind] ?? 0,
          (value) => value * ROW_NOISE + 2,
        ),
      )
      .map((kind) => `rows of ${kind}`),
  ];
};
