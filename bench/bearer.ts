import { createHash, randomBytes } from 'node:crypto';
import type { ManagementController } from '../src/index.ts';
import type { Credentials } from './endpoints.ts';

const CLIENT = { client_id: 'openziti', redirect_uri: 'http://127.0.0.1:1/auth/callback' };

/** Logs in through the OpenID provider, in process. @returns an access token */
export const bearerToken = async (controller: ManagementController, { username, password }: Credentials): Promise<string> => {
  const { oidc, oidcLogin } = controller.api;
  const code_verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
  const authorized = await oidc.authorize({
    ...CLIENT,
    response_type: 'code',
    scope: 'openid',
    code_challenge,
    code_challenge_method: 'S256',
  });
  const id = parameterIn(authorized, 'authRequestID');
  await oidcLogin.byPassword({ body: { id, username, password } });
  const code = parameterIn(await oidc.callback({ id }), 'code');
  const { access_token } = await oidc.token({ body: { ...CLIENT, grant_type: 'authorization_code', code, code_verifier } });
  return access_token;
};

const parameterIn = ({ headers }: Awaited<ReturnType<ManagementController['api']['oidc']['callback']>>, name: string): string => {
  const value = URL.parse(String(headers?.location))?.searchParams.get(name);
  if (value == null) throw new Error(`the provider redirected to ${headers?.location}, without ${name}`);
  return value;
};
