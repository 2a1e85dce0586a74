/** The signing keys of the OpenID provider: sealed in the store, and shared by all its controllers. */
import type { Core } from '../../call/core.ts';
import type { Provider } from '../../call/provider.ts';
import { createIssuerKeys } from '../../crypto/tokens/issuer-keys.ts';
import { rotateKeys, type SigningKey } from '../../crypto/tokens/signing-keys.ts';
import { tidyProvider } from '../../identity/oidc/tidy.ts';
import { createFairSemaphore } from '../../runtime/concurrency/fair-semaphore.ts';
import { HOUR, MINUTE } from '../../runtime/platform/clock.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import { createAddressRate } from '../../runtime/platform/request-rate.ts';
import type { Secrets } from '../../runtime/platform/secrets.ts';
import type { EntitiesContext } from '../../store/entities/entities.ts';
import { upToDateKeptSecret } from '../../store/entities/kept-secrets.ts';
import { schedule } from '../../store/jobs/schedule.ts';
import type { Store } from '../../store/storage/port.ts';
import type { ProviderSetup } from './oidc.ts';

const ID = 'oidc-signing-keys';
/** Limits for storing new logins: the remaining write capacity is reserved for authenticated callers. */
const LOGIN_START_LIMITS = { atOnce: 2, queued: 100, queuedPerName: 100 };

interface KeyContext {
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/**
 * Opens the provider with the keys of the network. The first controller creates them; if several do so concurrently, the first one wins.
 */
export const openProvider = async (
  store: Store,
  { secrets, clock }: KeyContext,
  { rotation, loginsPerMinute, ...setup }: ProviderSetup,
  common: Omit<EntitiesContext, 'actor' | 'requestId'>,
): Promise<Provider> => {
  const context = { actor: 'system', requestId: 'oidc-keys', ...common };
  const load = () =>
    upToDateKeptSecret<readonly SigningKey[]>(store, secrets, context, ID, (keys = []) => rotateKeys(keys, clock.now(), rotation));
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
