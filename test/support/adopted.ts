import { type AdoptionReport, adoptFormerNetwork } from '../../adopt/conversion/index.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import { type App, type OpenOptions, openApp, SECRET_KEY } from './app.ts';
import { frozenClock } from './clock.ts';
import { type FormerSeeds, formerAuthority, formerInMemory } from './former-in-memory.ts';
import { newSharedStorage } from './stores.ts';

/** The administrator of former networks. */
export const FORMER_ADMIN = { id: 'adm.in-1', name: 'Default Admin', isAdmin: true, isDefaultAdmin: true } as const;

type Options = Partial<Parameters<typeof adoptFormerNetwork>[0]>;

/** Adopts a network, at the time at which the clocks of tests stand still. */
export const adoptSeeds = async (seeds: FormerSeeds, options: Options = {}): Promise<AdoptionReport> =>
  adoptFormerNetwork({
    former: formerInMemory(seeds),
    authority: await formerAuthority(),
    secretKey: SECRET_KEY,
    platform: webPlatform({ clock: frozenClock(), logger: { error: console.error, warn: () => undefined, info: () => undefined } }),
    ...options,
  });

/** A controller on an adopted network, which has an administrator beside what `seeds` says. */
export interface AdoptedApp extends AsyncDisposable {
  readonly app: App;
  readonly report: AdoptionReport;
}

export const openAdopted = async (
  store: string,
  seeds: FormerSeeds,
  { open = {}, ...options }: Options & { readonly open?: OpenOptions } = {},
): Promise<AdoptedApp> => {
  const shared = newSharedStorage(store);
  const identities = [FORMER_ADMIN, ...(seeds.identities ?? [])];
  const report = await adoptSeeds({ ...seeds, identities }, { storage: shared.adapter(), ...options });
  const app = await openApp(store, { storage: shared.adapter(), ...open });
  return {
    app,
    report,
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await shared[Symbol.asyncDispose]();
    },
  };
};
