/** The signing keys of the OpenID provider in the store, sealed: the same for all its controllers. */
import { keptSecret } from '../api/kept-secrets.ts';
import type { Core } from '../call/core.ts';
import type { Provider } from '../call/provider.ts';
import type { EntitiesContext } from '../changes/entities.ts';
import { keepAs, keptAs } from '../changes/kept-secrets.ts';
import { sealText, unsealText } from '../changes/sealed.ts';
import { tidyProvider } from '../domain/sessions/oidc/tidy.ts';
import { schedule } from '../jobs/schedule.ts';
import { HOUR, MINUTE } from '../platform/durations.ts';
import type { Clock } from '../platform/platform.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Store } from '../storage/port.ts';
import { createIssuerKeys } from '../tokens/issuer-keys.ts';
import { type Rotation, rotated, type SigningKey } from '../tokens/signing-keys.ts';
import type { ProviderSetup } from './oidc.ts';

const ID = 'oidc-signing-keys';

interface Keeping {
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Opens the provider with the keys of the network; the first controller makes them. Of several that do so at once, the first one's count. */
export const openProvider = async (
  store: Store,
  keeping: Keeping,
  { rotation, ...setup }: ProviderSetup,
  common: Omit<EntitiesContext, 'actor' | 'requestId'>,
): Promise<Provider> => {
  const context = { actor: 'system', requestId: 'oidc-keys', ...common };
  const load = () => keptKeys(store, keeping, rotation, context);
  return { ...setup, keys: await createIssuerKeys(load, keeping.clock) };
};

/** The keys as they are kept, once what is due has been done. */
const keptKeys = async (
  store: Store,
  { secrets, clock }: Keeping,
  rotation: Rotation,
  context: EntitiesContext,
): Promise<readonly SigningKey[]> => {
  let sealed = await keptAs(store, context, ID);
  for (;;) {
    // Sealed by this function, so it has that shape.
    const keys: readonly SigningKey[] =
      sealed == null ? [] : JSON.parse(await unsealText(secrets, keptSecret, 'sealed', { id: ID, sealed }));
    const next = await rotated(keys, clock.now(), rotation);
    if (!next) return keys;
    sealed = await keepAs(store, context, ID, await sealText(secrets, keptSecret, 'sealed', { id: ID }, JSON.stringify(next)), sealed);
  }
};

/** Looks after the keys, and after what the provider has left, as long as the controller is open. */
export const keepProvider = ({ background, platform, provider }: Core): void => {
  schedule(background, platform, { name: 'oidc-keys', every: HOUR, by: 'each' }, async () => provider?.keys.reload());
  schedule(background, platform, { name: 'oidc-tidy', every: MINUTE, by: 'one' }, (run) => tidyProvider(run, platform.clock));
};
