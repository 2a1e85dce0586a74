import {
  externalJwtSigner,
  externalJwtSigners,
  publicExternalJwtSigner,
  publicExternalJwtSigners,
} from '../../../api/external-jwt-signers.ts';
import type { Core } from '../../../call/core.ts';
import { implement } from '../../../call/implement.ts';
import type { ChangeListeners } from '../../../changelog/listeners.ts';
import { crudHandlers, listRows } from '../../../resources/crud.ts';

export const externalJwtSignerEntries = [
  ...implement(externalJwtSigners, crudHandlers(externalJwtSigners, externalJwtSigner)),
  ...implement(publicExternalJwtSigners, {
    list: (call, query) => call.read((entities) => listRows(entities, publicExternalJwtSigner, query, call)),
  }),
];

/**
 * Prefetches the keys of a signer after a change to it is committed, so that the first login does not have to wait for them. If this fails, that login
 * fetches them.
 */
export const prefetchKeys = (events: Pick<ChangeListeners, 'on'>, { background, tokens }: Pick<Core, 'background' | 'tokens'>): void => {
  events.on('externalJwtSigner', ({ action, entityId }) => {
    if (action === 'delete') return;
    background
      .run({ actor: 'system', requestId: 'load-keys' }, ({ read }) => read((entities) => entities.get(externalJwtSigner, entityId)))
      .then((signer) => signer && tokens.load(signer))
      .catch(() => undefined);
  });
};
