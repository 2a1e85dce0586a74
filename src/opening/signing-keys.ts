/** The signing keys of the OpenID provider: sealed in the store, and shared by all its controllers. */
import type { Core } from '../call/core.ts';
import type { Provider } from '../call/provider.ts';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { tidyProvider } from '../domain/sessions/oidc/tidy.ts';
import type { EntitiesContext } from '../entities/entities.ts';
import { upToDateKeptSecret } from '../entities/kept-secrets.ts';
import { schedule } from '../jobs/schedule.ts';
import { HOUR, MINUTE } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';
import { createAddressRate } from '../platform/request-rate.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Store } from '../storage/port.ts';
import { createIssuerKeys } from '../tokens/issuer-keys.ts';
import { rotated, type SigningKey } from '../tokens/signing-keys.ts';
import type { ProviderSetup } from './oidc.ts';

const ID = 'oidc-signing-keys';
/** Limits for storing new logins: the remaining write capacity is reserved for authenticated callers. */
const LOGIN_START_LIMITS = { atOnce: 2, queued: 100, queuedPerName: 100 };

interface KeyContext {
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Opens the provider with the keys of the network. The first controller creates them; if several do so concurrently, the first one wins. */
export const openProvider = async (
  store: Store,
  { secrets, clock }: KeyContext,
  { rotation, loginsPerMinute, ...setup }: ProviderSetup,
  common: Omit<EntitiesContext, 'actor' | 'requestId'>,
): Promise<Provider> => {
  const context = { actor: 'system', requestId: 'oidc-keys', ...common };
  const load = () =>
    upToDateKeptSecret<readonly SigningKey[]>(store, secrets, context, ID, (keys = []) => rotated(keys, clock.now(), rotation));
  return {
    ...setup,
    keys: await createIssuerKeys(load, clock),
    beginnings: createAddressRate(clock, loginsPerMinute),
    loginStarts: createFairSemaphore(LOGIN_START_LIMITS),
  };
};

/** Rotates the keys and deletes the provider's expired data, while the controller is open. */
export const keepProvider = ({ background, platform, provider }: Core): void => {
  schedule(background, platform, { name: 'oidc-keys', every: HOUR, by: 'each' }, async () => provider?.keys.reload());
  schedule(background, platform, { name: 'oidc-tidy', every: MINUTE, by: 'one' }, (run) => tidyProvider(run, platform.clock));
};
