/** Logins of devices by the OpenID provider, for tests of traffic. */
import assert from 'node:assert/strict';
import { createClient } from '../../../client/index.ts';
import type { Api } from '../../../src/index.ts';
import type { TestDevice, TestNetwork, TestSession } from '../../../testing/index.ts';
import { PASSWORD } from '../../support/app.ts';
import { authorizeFields, claimsOf, FORM, pkce } from '../../support/oidc.ts';
import { csr } from '../../support/pki.ts';
import { leafOf } from '../../support/session-certificates.ts';

/** What tests of traffic do with an API session. */
export type TrafficSession = Pick<TestSession, 'id' | 'token' | 'identityId'> & {
  readonly [G in 'sessions' | 'currentApiSession']: Pick<Api[G], 'delete' | Extract<keyof Api[G], 'create'>>;
};

/** A whole login: the answer with the tokens. */
const login = async (network: TestNetwork, { fetch }: TestDevice, method: string, credentials: Readonly<Record<string, string>> = {}) => {
  const base = `${network.controller.settings.address}/oidc`;
  const { verifier, challenge } = pkce();
  const fields = Object.entries(authorizeFields(challenge)).map(([name, value = '']): [string, string] => [name, value]);
  const post = (path: string, body: Readonly<Record<string, string>>) =>
    fetch(`${base}${path}`, { method: 'POST', headers: { 'content-type': FORM }, body: new URLSearchParams(body) });
  const leadsTo = (answer: Response, name: string): string =>
    URL.parse(answer.headers.get('location') ?? '', base)?.searchParams.get(name) ?? assert.fail(`${answer.status}`);
  const id = leadsTo(await fetch(`${base}/authorize?${new URLSearchParams(fields)}`), 'authRequestID');
  assert.equal((await post(`/login/${method}`, { id, ...credentials })).status, 302);
  const code = leadsTo(await fetch(`${base}/authorize/callback?id=${id}`), 'code');
  const { client_id = '', redirect_uri = '' } = Object.fromEntries(fields);
  const answer = await post('/oauth/token', { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier: verifier });
  return (await answer.json()) as { readonly access_token: string; readonly session_cert?: string };
};

/** An API session whose tokens are bound to the certificate that came with them, of a device that logs in with a password. */
export const certifiedSession = async (network: TestNetwork, device: TestDevice) => {
  const { api } = network.controller;
  const username = `certified-${device.id}`;
  await api.authenticators.create({ body: { identityId: device.id, method: 'updb', username, password: PASSWORD } });
  const credentials = { username, password: PASSWORD, csrPem: (await csr('CN=any')).csr };
  const { access_token: token, session_cert = '' } = await login(network, device, 'password', credentials);
  const { certificates, fingerprint } = leafOf(session_cert);
  const { z_asid, sub } = claimsOf(token);
  const { sessions, currentApiSession } = network.controller.as(token, { peerCertificates: certificates });
  return { id: z_asid, token, identityId: sub, sessions, currentApiSession, fingerprint };
};

/** An API session for which an access token stands, of a device that logs in with its certificate. */
export const bearerSession = async (network: TestNetwork, device: TestDevice): Promise<TrafficSession> => {
  const { access_token: token } = await login(network, device, 'cert');
  const { z_asid, sub } = claimsOf(token);
  const { sessions, currentApiSession } = createClient({
    baseUrl: network.controller.settings.address,
    api: 'client',
    credentials: { session: token },
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.delete('zt-session');
      headers.set('authorization', `Bearer ${token}`);
      return device.fetch(url, { ...init, headers });
    },
  });
  return { id: z_asid, token, identityId: sub, sessions, currentApiSession };
};
