import { keptSecret } from '../api/kept-secrets.ts';
import { type EntitiesContext, entitiesOf } from '../changes/entities.ts';
import { newRoot, newServerCertificate, newSigner } from '../pki/authority.ts';
import type { KeyPair } from '../pki/network-key.ts';
import type { PkiSources } from '../pki/pki.ts';
import type { Clock } from '../platform/platform.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Store } from '../storage/port.ts';

/** An authority of the controller's own: a root, kept for renewals; what signs certificates below it; and a key for JWTs where no server's is given. */
interface OwnAuthority {
  readonly root: KeyPair;
  readonly signer: KeyPair;
  readonly server: KeyPair;
  /** When what is below the root is to be made anew, ms. */
  readonly renewAt: number;
}

const ID = 'authority';
/** Half of a signer's life: the other half is left for what it signed. ms */
const RENEW_AFTER = 5 * 365 * 86_400_000;

/**
 * The authority of a controller whose host brings none: made with a new network and kept in the store, sealed. It is there before any
 * call is, so that no call needs a transaction of its own for it.
 */
export const keptAuthority = async (store: Store, secrets: Secrets, clock: Clock, context: EntitiesContext): Promise<PkiSources> => {
  const making = { random: context.random, now: clock.now() };
  const made = async (root: KeyPair): Promise<string> => {
    const [signer, server] = await Promise.all([newSigner(root, making), newServerCertificate(root, [], making)]);
    const authority: OwnAuthority = { root, signer, server, renewAt: making.now + RENEW_AFTER };
    return secrets.seal(JSON.stringify(authority), ID);
  };
  // What was sealed here is of that shape.
  const unsealed = async (sealed: string | null): Promise<OwnAuthority> => JSON.parse(await secrets.unseal(sealed ?? '', ID));
  const known = (await store.transaction('read', (tx) => entitiesOf(tx, context).get(keptSecret, ID)))?.sealed;
  const kept = known ?? (await keep(store, undefined, await made(await newRoot(making)), context));
  const current = await unsealed(kept);
  const { root, signer, server } =
    current.renewAt > making.now ? current : await unsealed(await keep(store, kept, await made(current.root), context));
  return {
    signer: () => ({ certificates: signer.cert, anchors: root.cert, key: signer.key }),
    serverCertificate: () => server,
  };
};

/** Of several controllers that do it at the same time, the first one's counts. */
const keep = (store: Store, before: string | null | undefined, sealed: string, context: EntitiesContext): Promise<string | null> =>
  store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context);
    const known = await entities.get(keptSecret, ID);
    if (!known) return (await entities.insert(keptSecret, { id: ID, sealed })).sealed;
    return known.sealed === before ? (await entities.update(keptSecret, known, { sealed })).sealed : known.sealed;
  });
