/**
 * Measures operations in process, in a process of its own: `node inside.ts STORE SIZE SECONDS [ONLY]` on a store that `server.ts` has filled. Tells the
 * parent what each operation costs, and how many statements it takes of the store.
 */
import { nodePlatform } from '../adapters/platform/node.ts';
import { ManagementController, type Observe } from '../src/index.ts';
import { backendsOf, NO_BACKENDS } from './backends.ts';
import { bearerToken } from './bearer.ts';
import type { Size } from './data.ts';
import { type Credentials, endpoints } from './endpoints.ts';
import { load } from './fill.ts';
import { ask, type Cost, costOf, idle } from './in-process.ts';
import { type Operation, operations } from './operations.ts';
import { SECRET_KEY, storageOf } from './stores.ts';

export interface Measured extends Cost {
  /** Of the store, as the controller counts them; the most of some calls. */
  readonly statements: number;
}

/** Calls of each operation before it is measured: enough to fill caches, and to have indexes made. */
const WARMING = 30;
/** Calls whose statements are counted. */
const COUNTED = 20;

const [kind = 'memory', size = '{}', seconds = '1', only = ''] = process.argv.slice(2);

/** The operations that are measured, by name, each as a call of a controller. */
const opened = async (observe?: Observe) => {
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
  const wanted = (name: string) => name !== 'authenticate by password' && name.includes(only);
  const chosen = Object.entries<Operation>(operations(filled, JSON.parse(size) as Size)).filter(([name]) => wanted(name));
  const calls = chosen.map(([name, operation]) => {
    const { next, as = 'administrator' } = operation;
    return [name, () => ask(controller, tokens[as], next())] as const;
  });
  // What comes after it writes.
  const reading = calls.slice(0, calls.findIndex(([name]) => name === 'POST session') + 1 || calls.length);
  for (const [, call] of reading) {
    for (let i = 0; i < WARMING; i++) await call();
    await idle();
  }
  return { controller, calls };
};

const costs = async (): Promise<Readonly<Record<string, Cost>>> => {
  const { controller, calls } = await opened();
  const backends = kind.startsWith('postgres') ? await backendsOf(kind.split('#')[0] ?? '') : NO_BACKENDS;
  const found: Record<string, Cost> = {};
  for (const [name, call] of calls) found[name] = await costOf(call, Number(seconds), backends);
  await controller.close();
  return found;
};

const statements = async (): Promise<Readonly<Record<string, number>>> => {
  let counted = 0;
  const { controller, calls } = await opened((event) => {
    if (event.type === 'operation') counted = Math.max(counted, event.statements);
  });
  const found: Record<string, number> = {};
  for (const [name, call] of calls) {
    counted = 0;
    for (let i = 0; i < COUNTED; i++) await call();
    found[name] = counted;
  }
  await controller.close();
  return found;
};

const [measured, counted] = [await costs(), await statements()];
const results = Object.entries(measured).map(([name, cost]) => [name, { ...cost, statements: counted[name] ?? 0 }] as const);
process.send?.(Object.fromEntries(results));
process.disconnect?.();
