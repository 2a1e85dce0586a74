/** The keys with which routers verify tokens and the certificates of clients. */
import type { Core } from '../../../call/core.ts';
import type { DataEvent } from '../../../control-channel/messages/data-model.ts';

/** A key as sent to routers. */
export interface ModelKey {
  readonly kid: string;
  readonly data: Uint8Array;
  readonly usages: readonly ('jwtValidation' | 'clientCertificateValidation')[];
  /** Format of `data`: DER of a certificate, or of a public key (SPKI). */
  readonly format: 'certificate' | 'spki';
}

/** Keys by their `kid`. */
export type ModelKeys = ReadonlyMap<string, ModelKey>;

/** The current keys of the network: its own, those of its authorities, and those of the OpenID provider. */
export const currentKeys = async ({ pki, provider }: Pick<Core, 'pki' | 'provider'>): Promise<ModelKeys> => {
  const { certificate, kid } = await pki.networkKey();
  const { anchors, chain, others } = await pki.signer();
  const authorities = [...anchors, ...chain, ...others].map(
    ({ der, fingerprint }): ModelKey => ({ data: der, kid: fingerprint, usages: ['clientCertificateValidation'], format: 'certificate' }),
  );
  const networkKey: ModelKey = {
    data: certificate.der,
    kid,
    usages: ['jwtValidation', 'clientCertificateValidation'],
    format: 'certificate',
  };
  const providerKeys = await Promise.all(
    (provider?.keys.published ?? []).map(
      async (key): Promise<ModelKey> => ({ data: await spkiOf(key), kid: key.kid, usages: ['jwtValidation'], format: 'spki' }),
    ),
  );
  return new Map([...authorities, networkKey, ...providerKeys].map((key) => [key.kid, key]));
};

/** The differences between two sets of keys, as events. */
export const keyChanges = (before: ModelKeys, now: ModelKeys): readonly DataEvent[] => [
  ...[...before.values()].filter(({ kid }) => !now.has(kid)).map((key) => keyEvent('delete', key)),
  ...[...now.values()].filter(({ kid }) => !before.has(kid)).map((key) => keyEvent('create', key)),
];

const keyEvent = (action: 'create' | 'delete', publicKey: ModelKey): DataEvent => ({ action, isSynthetic: true, publicKey });

type Published = NonNullable<Core['provider']>['keys']['published'][number];

/** DER of a public key (RFC 5280, 4.1). */
const spkiOf = async ({ kty, crv, x, y }: Published): Promise<Uint8Array> => {
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, { name: 'ECDSA', namedCurve: crv }, true, ['verify']);
  return new Uint8Array(await crypto.subtle.exportKey('spki', key));
};
