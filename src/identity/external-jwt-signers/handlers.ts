import { proofOf } from '../../call/authentication/external-tokens.ts';
import { ownerOf } from '../../call/authentication/token-owner.ts';
import { REFUSAL_TEXTS } from '../../call/authentication/token-refusals.ts';
import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { implement } from '../../call/implement.ts';
import { crudHandlers, listRows } from '../../call/resources/crud.ts';
import { isVisible } from '../../call/resources/granted.ts';
import { referenceTo } from '../../call/resources/links.ts';
import {
  externalJwtSigner,
  externalJwtSigners,
  publicExternalJwtSigner,
  publicExternalJwtSigners,
} from '../../contract/api/external-jwt-signers.ts';
import { identity } from '../../contract/api/kinds.ts';
import type { ChangeListeners } from '../../store/changelog/listeners.ts';
import { discoverProvider } from './discovery.ts';

export const externalJwtSignerEntries = [
  ...implement(externalJwtSigners, {
    ...crudHandlers(externalJwtSigners, externalJwtSigner),
    checkToken: (call, { body }) => checkToken(call, body.token),
    discover: (call, { body }) => discoverProvider(call, body.issuer),
  }),
  ...implement(publicExternalJwtSigners, {
    list: (call, query) => call.read((entities) => listRows(entities, publicExternalJwtSigner, query, call)),
  }),
];

/**
 * Decides as a login with the token would, except for what a login requires besides the token, such as a second factor. An identity that
 * the caller may not see is not named, and if it is refused, the reason is `unknown`: a delegate may have signed the token to ask about it.
 */
const checkToken = async (call: Call, text: string) => {
  const { proof, refusal } = await proofOf(call, text);
  return call.read(async (entities) => {
    const found = proof ? await ownerOf(entities, proof, call) : { refusal };
    const { signerId = proof?.signer.id, identityId = found.owner?.id } = found.refusal ?? {};
    const signer = signerId === undefined ? undefined : await entities.get(externalJwtSigner, signerId);
    const isNamed = identityId !== undefined && (await isVisible(entities, identity, identityId, call));
    const named = isNamed ? await entities.get(identity, identityId) : undefined;
    const reason = found.refusal && identityId !== undefined && !isNamed ? 'unknown' : found.refusal?.reason;
    return {
      isAccepted: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      message: reason === undefined ? 'the token is accepted' : `the token is refused: ${REFUSAL_TEXTS[reason]}`,
      ...(signer ? { signer: referenceTo(externalJwtSigner, signer) } : {}),
      ...(proof ? { subject: proof.subject } : {}),
      ...(named ? { identity: referenceTo(identity, named) } : {}),
    };
  });
};

/**
 * Prefetches the keys of a signer after a change to it is committed, so that the first login does not wait for them. If this fails, that
 * login fetches them.
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
