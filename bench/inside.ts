/**
 * Measures operations without sockets, on a store that `server.ts` has filled: `node inside.ts STORE SIZE SECONDS [ONLY]`, forked by
 * `growth.ts`. Reports the cost of each operation, and its number of store statements, to the parent process.
 */
import { nodePlatform } from '../adapters/platform/node.ts';
import { ManagementController, type Observe } from '../src/index.ts';
import { backendsOf, NO_BACKENDS } from './backends.ts';
import { bearerToken } from './bearer.ts';
import type { Size } from './data.ts';
import { type Credentials, endpoints } from './endpoints.ts';
import { load } from './fill.ts';
import { type Cost, costOf, idle, sendRequest } from './in-process.ts';
import { type Operation, operations } from './operations.ts';
import { SECRET_KEY, storageOf } from './stores.ts';

export interface Measured extends Cost {
  /** Number of store statements, as counted by the controller: the maximum over several calls. */
  readonly statements: number;
}

/** Warm-up calls of each operation: enough to fill caches and build indexes. */
const WARM_UP_CALLS = 30;
/** Number of calls whose statements are counted. */
const COUNTED_CALLS = 20;

const [kind = 'memory', size = '{}', seconds = '1', only = ''] = process.argv.slice(2);

/** Opens a controller and warms it up. Returns the measured operations by name, each as a call of the controller. */
const openWarmedUp = async (observe?: Observe) => {
  const controller = await ManagementController.open({
    storage: storageOf(kind),
    platform: nodePlatform(),
    secretKey: SECRET_KEY,
    administrator: { password: 'bench-password' },
    settings: { address: 'https://127.0.0.1:1280' },
    oidc: true,
    ...(observe ? { observe } : {}),
  });
  const filled = await load(controller, JSON.parse(size) as Size);
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
    const { next, as = 'administrator' } = operation;
    return [name, () => sendRequest(controller, tokens[as], next())] as const;
  });
  // The operations after `POST session` write, so they are not warmed up.
  const reading = calls.slice(0, calls.findIndex(([name]) => name === 'POST session') + 1 || calls.length);
  for (const [, call] of reading) {
    for (let i = 0; i < WARM_UP_CALLS; i++) await call();
    await idle();
  }
  return { controller, calls };
};

const costs = async (): Promise<Readonly<Record<string, Cost>>> => {
  const { controller, calls } = await openWarmedUp();
  const backends = kind.startsWith('postgres') ? await backendsOf(kind.split('#')[0] ?? '') : NO_BACKENDS;
  const results: Record<string, Cost> = {};
  for (const [name, call] of calls) results[name] = await costOf(call, Number(seconds), backends);
  await controller.close();
  return results;
};

const statements = async (): Promise<Readonly<Record<string, number>>> => {
  let counted = 0;
  const { controller, calls } = await openWarmedUp((event) => {
    if (event.type === 'operation') counted = Math.max(counted, event.statements);
  });
  const results: Record<string, number> = {};
  for (const [name, call] of calls) {
    counted = 0;
    for (let i = 0; i < COUNTED_CALLS; i++) await call();
    results[name] = counted;
  }
  await controller.close();
  return results;
};

const [measured, counted] = [await costs(), await statements()];
const results = Object.entries(measured).map(([name, cost]) => [name, { ...cost, statements: counted[name] ?? 0 }] as const);
process.send?.(Object.fromEntries(results));
process.disconnect?.();
