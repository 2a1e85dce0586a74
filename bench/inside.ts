/**
 * Measures operations without sockets, on a store that `server.ts` has filled: `node inside.ts STORE SIZE SECONDS [ONLY]`, forked by
 * `growth.ts`. Reports the cost of each operation, its number of store statements, and how long it holds the event loop.
 */
import { nodePlatform } from '../adapters/platform/node.ts';
import { ManagementController, type Observe } from '../src/index.ts';
import { backendsOf, NO_BACKENDS } from './backends.ts';
import { bearerToken } from './bearer.ts';
import type { Size } from './data.ts';
import { type Credentials, endpoints } from './endpoints.ts';
import { load } from './fill.ts';
import { type Cost, costOf, heldBy, idle, Refused, sendRequest } from './in-process.ts';
import { type Growth, type Operation, operations } from './operations.ts';
import { SECRET_KEY, storageOf } from './stores.ts';
import { KeptSnapshot, type WholeCost, wholeNetwork } from './whole-network.ts';

export interface Measured extends Cost {
  /** Number of store statements, as counted by the controller: the maximum over several calls. */
  readonly statements: number;
  /** The longest time for which a call held the event loop: processor time of the thread, in milliseconds. */
  readonly heldMs: number;
  readonly growth: Growth;
}

/** Warm-up calls of each operation: enough to fill caches and build indexes. */
const WARM_UP_CALLS = 30;
/** Number of calls whose statements are counted. */
const COUNTED_CALLS = 20;
const HELD_ROUNDS = 4;

const [kind = 'memory', size = '{}', seconds = '1', only = ''] = process.argv.slice(2);

/** The time, memory and disk space that a controller takes as a whole. */
export interface Footprint {
  /** Processor time until the controller was open, and until its indexes were built. ms */
  readonly openMs: number;
  readonly warmUpMs: number;
  /** Resident memory then, and after all operations. MiB */
  readonly warmMib: number;
  readonly mib: number;
}

const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const residentMib = (): number => process.memoryUsage().rss / 2 ** 20;

/** Opens a controller and warms it up. Returns the measured operations by name, each as a call of the controller. */
const openWarmedUp = async (observe?: Observe) => {
  const began = processorMs();
  const snapshot = new KeptSnapshot();
  const controller = await ManagementController.open({
    storage: storageOf(kind),
    platform: nodePlatform(),
    secretKey: SECRET_KEY,
    administrator: { password: 'bench-password' },
    // As with `npm start`, apart from the limits of time: this machine may have other work.
    settings: {
      address: 'https://127.0.0.1:1280',
      readCacheBytes: 256 * 2 ** 20,
      requestTimeoutMs: 90_000,
      // In a large network, the warm-up alone takes longer than the default.
      sessionTimeoutMinutes: 24 * 60,
    },
    oidc: true,
    snapshots: snapshot,
    ...(observe ? { observe } : {}),
  });
  const openMs = processorMs() - began;
  const filled = await load(controller, JSON.parse(size) as Size);
  const filledAt = processorMs();
  // As `npm start` does before it is ready.
  await controller.warmUp();
  const warm = { openMs, warmUpMs: processorMs() - filledAt, warmMib: residentMib() };
  const login = async (body: Credentials) => (await controller.api.authentication.authenticate({ method: 'password', body })).token;
  const tokens = {
    administrator: await login({ username: 'admin', password: 'bench-password' }),
    client: await login(filled.client),
    bearer: await bearerToken(controller, filled.client),
    unchecked: await login(endpoints.unchecked),
    checked: await login(endpoints.checked),
    nobody: undefined,
  };
  const isChosen = (name: string) => name !== 'authenticate by password' && name.includes(only);
  const chosen = Object.entries<Operation>(operations(filled, JSON.parse(size) as Size)).filter(([name]) => isChosen(name));
  const calls = chosen.map(([name, operation]) => {
    const { next, as = 'administrator', growth = 'constant' } = operation;
    return { name, growth, call: () => sendRequest(controller, tokens[as], next()) };
  });
  // The operations after `POST session` write, so they are not warmed up.
  const reading = calls.slice(0, calls.findIndex(({ name }) => name === 'POST session') + 1 || calls.length);
  const refused = new Set<string>();
  for (const { name, call } of reading) {
    try {
      for (let i = 0; i < WARM_UP_CALLS; i++) await call();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      console.error(error.message);
      refused.add(name);
    }
    await idle();
  }
  return { controller, calls: calls.filter(({ name }) => !refused.has(name)), warm, snapshot, administrator: tokens.administrator };
};

interface Costs {
  readonly costs: Readonly<Record<string, Cost>>;
  readonly footprint: Footprint;
  readonly whole: Readonly<Record<string, WholeCost>>;
}

const costs = async (): Promise<Costs> => {
  const { controller, calls, warm, ...others } = await openWarmedUp();
  const backends = kind.startsWith('postgres') ? await backendsOf(kind.split('#')[0] ?? '') : NO_BACKENDS;
  const results: Record<string, Cost> = {};
  for (const { name, call } of calls) results[name] = await costOf(call, Number(seconds), backends);
  const footprint = { ...warm, mib: residentMib() };
  const whole = only === '' || 'whole network'.includes(only) ? await wholeNetwork(controller, { ...others, backends }) : {};
  await controller.close();
  return { costs: results, footprint, whole };
};

type Others = Omit<Measured, keyof Cost>;

const countedAndHeld = async (): Promise<Readonly<Record<string, Others>>> => {
  let counted = 0;
  const { controller, calls } = await openWarmedUp((event) => {
    if (event.type === 'operation') counted = Math.max(counted, event.statements);
  });
  const results: Record<string, Others> = {};
  for (const { name, growth, call } of calls) {
    counted = 0;
    let heldMs = Number.POSITIVE_INFINITY;
    // The least of several calls that each are the longest of some, because collections of garbage are not due to the operation.
    for (let round = 0; round < HELD_ROUNDS; round++) heldMs = Math.min(heldMs, await heldBy(call, COUNTED_CALLS / HELD_ROUNDS));
    results[name] = { statements: counted, heldMs, growth };
  }
  await controller.close();
  return results;
};

/** The message to `growth.ts`. */
export interface Report {
  readonly table: Readonly<Record<string, Measured>>;
  readonly footprint: Footprint;
  readonly whole: Readonly<Record<string, WholeCost>>;
}

const [{ costs: measured, footprint, whole }, counted] = [await costs(), await countedAndHeld()];
const table = Object.fromEntries(Object.entries(measured).map(([name, cost]) => [name, { ...cost, ...counted[name] }]));
process.send?.({ table, footprint, whole });
process.disconnect?.();
