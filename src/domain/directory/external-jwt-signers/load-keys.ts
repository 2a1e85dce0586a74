import { externalJwtSigner } from '../../../api/external-jwt-signers.ts';
import type { Core } from '../../../call/core.ts';
import type { ChangeListeners } from '../../../changes/listeners.ts';

/**
 * Loads the keys of a signer once a change of it is committed, so that the first login need not wait for them. Whatever goes wrong here,
 * that login loads them again.
 */
export const loadKeysEarly = (events: Pick<ChangeListeners, 'on'>, { background, tokens }: Pick<Core, 'background' | 'tokens'>): void => {
  events.on('externalJwtSigner', ({ action, entityId }) => {
    if (action === 'delete') return;
    background
      .run({ actor: 'system', requestId: 'load-keys' }, ({ read }) => read((entities) => entities.get(externalJwtSigner, entityId)))
      .then((signer) => signer && tokens.load(signer))
      .catch(() => undefined);
  });
};
