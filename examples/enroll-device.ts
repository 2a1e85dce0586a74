/**
 * A device that joins a network: it uses a JWT from an administrator to get a certificate for its own key, logs in with the certificate,
 * and renews it. Run it with `node examples/enroll-device.ts JWT`. It does not depend on code of the controller.
 */
import 'reflect-metadata';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import { PemConverter, Pkcs10CertificateRequestGenerator, X509Certificates } from '@peculiar/x509';
import { decodeJwt, jwtVerify } from 'jose';

/**
 * The data that a device stores: the address of the network, its CA certificates, and the device's own certificate and key. Keys and
 * certificates are PEM.
 */
export interface Device {
  readonly address: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * Exchanges an enrollment JWT for a certificate.
 * @throws Error if the server is not the one that signed the JWT, or rejects the enrollment
 */
export const join = async (jwt: string): Promise<Device> => {
  const { iss: address = '', jti: token = '' } = decodeJwt(jwt);
  // The first connection does not verify the certificate: the answer is trusted because the server's key signed the JWT, which came from a
  // trusted source.
  const { body, server } = await send('GET', `${address}/.well-known/est/cacerts`, { rejectUnauthorized: false });
  await jwtVerify(jwt, server.publicKey);
  const ca = new X509Certificates(Buffer.from(body, 'base64')).toString('pem-chain');
  const { csr, key } = await newKey('a device');
  const { cert } = await client(address, { ca })('POST', `/enroll?method=ott&token=${token}`, csr, {
    'content-type': 'application/x-pem-file',
  });
  return { address, ca, cert, key };
};

/** Logs in with the certificate. */
export const login = async (
  device: Device,
): Promise<{ readonly token: string; readonly identity: { readonly name: string }; readonly authenticatorId: string }> =>
  client(device.address, device)('POST', '/authenticate?method=cert', {});

/** Replaces the certificate with a new one for a new key. The old certificate becomes invalid once the new one is confirmed. */
export const renew = async (device: Device): Promise<Device> => {
  const { token, authenticatorId } = await login(device);
  const call = client(device.address, device);
  const path = `/current-identity/authenticators/${authenticatorId}`;
  const { csr, key } = await newKey('a device');
  const { ca, clientCert } = await call('POST', `${path}/extend`, { clientCertCsr: csr }, { 'zt-session': token });
  await call('POST', `${path}/extend-verify`, { clientCert }, { 'zt-session': token });
  return { ...device, ca, cert: clientCert, key };
};

/** Creates a key that never leaves the device, and a certificate signing request for it. */
const newKey = async (commonName: string) => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({ name: [{ CN: [commonName] }], keys, signingAlgorithm: algorithm });
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { csr: request.toString('pem'), key: PemConverter.encode(pkcs8, 'PRIVATE KEY') };
};

interface Tls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Calls the client API at an address: sends JSON, or a string unchanged, and returns the data of the answer. */
const client =
  (address: string, { ca, cert, key }: Tls) =>
  async (method: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const tls = { ...(ca ? { ca } : {}), ...(cert && key ? { cert, key } : {}) };
    const answer = await send(method, `${address}/edge/client/v1${path}`, tls, text, { 'content-type': 'application/json', ...headers });
    const { data, error } = JSON.parse(answer.body);
    if (error) throw new Error(`${error.code}: ${error.message}`);
    return data;
  };

const send = (method: string, url: string, tls: Tls, body?: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<{ readonly body: string; readonly server: { readonly publicKey: KeyObject } }>((resolve, reject) => {
    // A new connection for each request, because a connection keeps the client certificate that it was opened with.
    const request = https.request(url, { method, headers, agent: false, ...tls }, (response) => {
      const server = (response.socket as TLSSocket).getPeerX509Certificate();
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response
        .on('error', reject)
        .on('end', () => (server ? resolve({ body: text, server }) : reject(new Error('the server has no certificate'))));
    });
    request.on('error', reject).end(body);
  });

if (process.argv[1] === import.meta.filename) {
  const [, , jwt] = process.argv;
  if (jwt === undefined) {
    console.error('usage: node examples/enroll-device.ts JWT');
    process.exit(2);
  }
  const device = await join(jwt);
  console.log(`enrolled until ${new X509Certificate(device.cert).validTo}`);
  console.log(`logged in as ${(await login(device)).identity.name}`);
  const renewed = await renew(device);
  console.log(
    `renewed for ${createPrivateKey(renewed.key).asymmetricKeyDetails?.namedCurve}, logged in as ${(await login(renewed)).identity.name}`,
  );
}
