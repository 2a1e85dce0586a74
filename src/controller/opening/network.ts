import { type PkiSources, pkiSources } from '../../crypto/pki/pki.ts';
import { sealIdentitySecrets } from '../../fabric/terminators/identity-secret.ts';
import { ensureDecoy } from '../../identity/login/decoy.ts';
import { type KeptAuthority, keptAuthority } from '../../operations/authority/kept-authority.ts';
import type { EntitiesContext } from '../../store/entities/entities.ts';
import type { Store } from '../../store/storage/port.ts';
import { bootstrap, type FirstAdministrator } from './bootstrap.ts';
import { completeOpened, keepRowsComplete, refusalLog } from './complete-rows.ts';
import { keepBuiltIn } from './keep-built-in.ts';
import type { Opening } from './options.ts';
import { checkSecretKey } from './secret-key.ts';

/** The network in a store, as a controller finds it when it opens. */
export interface OpenedNetwork {
  readonly pki: PkiSources;
  /** The authority in the store; undefined if the host supplies the signer. */
  readonly authority: KeptAuthority | undefined;
  /** The revision up to which all rows have the fields of this release. */
  readonly completeUpTo: number;
  /** The first administrator, if the network is new. */
  readonly firstAdministrator: FirstAdministrator | undefined;
}

/**
 * Creates a network in a new store, and adds the data that this release needs to the network of an earlier one. Completes before the first
 * call.
 * @throws TypeError if the store's secrets were sealed under another secret key; errors of the store
 */
export const openNetwork = async (
  store: Store,
  { secrets, platform, pki, credentials }: Opening,
  common: Omit<EntitiesContext, 'actor' | 'requestId'>,
): Promise<OpenedNetwork> => {
  const context = { actor: 'system', requestId: 'open', ...common };
  await checkSecretKey(store, secrets, context);
  const { clock, logger } = platform;
  const refused = refusalLog(platform);
  const revision = await keepRowsComplete(store, context, refused);
  await keepBuiltIn(store, context);
  await ensureDecoy(store, context);
  await sealIdentitySecrets(store, secrets, context);
  let authority: KeptAuthority | undefined;
  const own = async () => (authority = await keptAuthority({ store, secrets, clock, context, logger }));
  const sources = await pkiSources(pki, own);
  const firstAdministrator = await bootstrap(store, platform, context, credentials);
  return {
    pki: sources,
    authority: pki.pki ? undefined : authority,
    completeUpTo: await completeOpened(store, revision, refused),
    firstAdministrator,
  };
};
