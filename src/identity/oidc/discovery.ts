import type { Call } from '../../call/call.ts';
import { SCOPES } from './authorize.ts';
import { TOKEN_EXCHANGE } from './grants.ts';
import { providerOf, reachedIssuer } from './provider.ts';

const AUTH_METHODS = ['none', 'client_secret_basic'];
const CLAIMS = [
  ...['sub', 'aud', 'exp', 'iat', 'iss', 'auth_time', 'nonce', 'amr', 'c_hash', 'at_hash', 'scopes', 'client_id', 'azp', 'name'],
  ...['z_asid', 'z_ia', 'z_eid'],
];

/** The discovery document, which lists supported features only. */
export const discover = async (call: Call) => {
  const issuer = await reachedIssuer(call);
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    userinfo_endpoint: `${issuer}/userinfo`,
    revocation_endpoint: `${issuer}/revoke`,
    end_session_endpoint: `${issuer}/end_session`,
    jwks_uri: `${issuer}/keys`,
    scopes_supported: [...SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(providerOf(call).keys.published.map(({ alg }) => alg))],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    claims_supported: CLAIMS,
    ui_locales_supported: [providerOf(call).pages.language],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    openziti_endpoints: {
      password: `${issuer}/login/password`,
      cert: `${issuer}/login/cert`,
      ext_jwt: `${issuer}/login/ext-jwt`,
      totp: `${issuer}/login/totp`,
      totp_enroll: `${issuer}/login/totp/enroll`,
      totp_enroll_verify: `${issuer}/login/totp/enroll/verify`,
      auth_queries: `${issuer}/login/auth-queries`,
    },
  };
};
