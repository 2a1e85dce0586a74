import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface Issuer extends AsyncDisposable {
  readonly url: string;
  /** An access token for the portal. */
  token(name: string, team: string, role?: string): Promise<string>;
}

/** The single sign-on of a company, on this machine: discovery, keys, and tokens for whom it is told. */
export const startIssuer = async (): Promise<Issuer> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  const server = http.createServer(({ url = '' }, response) => {
    const document = url === '/keys' ? { keys: [key] } : { issuer: address(), jwks_uri: `${address()}/keys` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server that listens has one
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: address(),
    token: (name, team, role) =>
      new SignJWT({ team, ...(role === undefined ? {} : { role }) })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuer(address())
        .setAudience('portal')
        .setSubject(name)
        .setExpirationTime('10m')
        .sign(privateKey),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
