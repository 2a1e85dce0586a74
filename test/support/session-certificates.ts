/** Sessions of the provider whose tokens are bound to a certificate that came with them. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import type { Answer, App } from './app.ts';
import { certifiedLogin, type Tokens, tokensIn } from './oidc.ts';
import { csr } from './pki.ts';

export interface CertifiedTokens extends Tokens {
  readonly session_cert: string;
}

/** The first certificate of a PEM text, and what a client presents of it. */
export const leafOf = (pem: string) => {
  const certificate = new X509Certificate(pem);
  const fingerprint = certificate.fingerprint.replaceAll(':', '').toLowerCase();
  return { certificate, fingerprint, certificates: [new Uint8Array(certificate.raw)] };
};

/** The tokens of an answer that came with a certificate. */
export const certifiedIn = (answer: Answer): CertifiedTokens => {
  assert.match(answer.body.session_cert, /^-----BEGIN CERTIFICATE-----/, answer.text);
  return { ...tokensIn(answer), session_cert: answer.body.session_cert };
};

/** A login by password with the request for a certificate: its tokens, and the certificate that they need. */
export const certified = async (app: App, username: string) => {
  const tokens = certifiedIn(await certifiedLogin(app, username, (await csr('CN=any')).csr));
  return { ...tokens, ...leafOf(tokens.session_cert) };
};
