import { externalJwtSigner } from '../../../api/external-jwt-signers.ts';
import type { Core } from '../../../call/core.ts';
import type { ChangeListeners } from '../../../changes/listeners.ts';
import type { TokenSigner } from '../../../tokens/verifier.ts';

/**
 * Fetches the keys of a signer once a change of it is committed, so that the first login need not wait for them. On any error, that login fetches
 * them again.
 */
export const loadKeysEarly = (events: Pick<ChangeListeners, 'on'>, { store, tokens }: Pick<Core, 'store' | 'tokens'>): void => {
  events.on('externalJwtSigner', ({ action, entityId }) => {
    if (action === 'delete') return;
    store
      .transaction('read', (tx) => tx.get(externalJwtSigner.kind, entityId))
      .then((row) => row && tokens.load(row as unknown as TokenSigner)) // written by the kind's own field table
      .catch(() => undefined);
  });
};
