/** Enrollment by tokens of external JWT signers. */
import type { App } from './app.ts';
import { csr } from './pki.ts';
import { certificateSigner } from './provider.ts';

const C = '/edge/client/v1';

export interface EnrollOptions {
  /** Sent as `ziti-token-issuer-id`. */
  readonly issuerId?: string;
  readonly clientCsr?: string;
}

export const enrollBy = (app: App, tokens: string | readonly string[], { issuerId, ...body }: EnrollOptions = {}) =>
  app.request('POST', `${C}/enroll/token`, {
    as: null,
    body,
    headers: {
      authorization: [tokens]
        .flat()
        .map((token) => `Bearer ${token}`)
        .join(', '),
      ...(issuerId === undefined ? {} : { 'ziti-token-issuer-id': issuerId }),
    },
  });

/** A signer that enrolls in both ways. */
export const enrollingSigner = (app: App, fields: Readonly<Record<string, unknown>> = {}) =>
  certificateSigner(app, { useExternalId: true, enrollToCertEnabled: true, enrollToTokenEnabled: true, ...fields });

export const request = async (): Promise<string> => (await csr('CN=a device', { dnsNames: ['example.org'] })).csr;

export const identityNamed = async (app: App, name: string) =>
  (await app.request('GET', `/identities?filter=${encodeURIComponent(`name=${JSON.stringify(name)}`)}`)).body.data[0];
