/** Schemas of the OpenID provider: OpenID Connect Core 1.0, Discovery 1.0, RP-Initiated Logout 1.0; RFC 6749, 7009, 7636 (S256 only), 7662, 8693. */
import * as z from 'zod';
import { list, string } from './kit/index.ts';
import { boolean, certificateRequest, shortText } from './shared.ts';

const texts = z.array(string);

/** Provider metadata (OpenID Connect Discovery 1.0). */
export const discovery = z
  .object({
    /** The issuer of its tokens. */
    issuer: string,
    /** Where clients begin a login. */
    authorization_endpoint: string,
    /** Where clients exchange codes and tokens for tokens. */
    token_endpoint: string,
    /** Where clients ask whether a token is active. */
    introspection_endpoint: string,
    /** Where clients ask who the bearer of an access token is. */
    userinfo_endpoint: string,
    /** Where clients revoke tokens. */
    revocation_endpoint: string,
    /** Where clients end sessions. */
    end_session_endpoint: string,
    /** Address of the public keys. */
    jwks_uri: string,
    /** Scopes that a client may request. */
    scopes_supported: texts,
    /** Only `code`. */
    response_types_supported: texts,
    /** Only `query`. */
    response_modes_supported: texts,
    /** Grant types that the token endpoint accepts. */
    grant_types_supported: texts,
    /** Only `public`: every client sees the same `sub`. */
    subject_types_supported: texts,
    /** Signature algorithms of ID tokens. */
    id_token_signing_alg_values_supported: texts,
    /** How clients authenticate to the token endpoint. */
    token_endpoint_auth_methods_supported: texts,
    /** How clients authenticate to the revocation endpoint. */
    revocation_endpoint_auth_methods_supported: texts,
    /** How clients authenticate to the introspection endpoint. */
    introspection_endpoint_auth_methods_supported: texts,
    /** Only `S256`. */
    code_challenge_methods_supported: texts,
    /** Claims that tokens may contain. */
    claims_supported: texts,
    /** Languages of the login pages. */
    ui_locales_supported: texts,
    /** Always false: request objects are not supported. */
    request_parameter_supported: boolean,
    /** Always false: request objects are not supported. */
    request_uri_parameter_supported: boolean,
    /** The steps of a login, for SDKs. */
    openziti_endpoints: z.object({
      /** Login by username and password. */
      password: string,
      /** Login by certificate. */
      cert: string,
      /** Login by the token of an external signer. */
      ext_jwt: string,
      /** The code of the second factor. */
      totp: string,
      /** Starts setting up TOTP. */
      totp_enroll: string,
      /** Confirms TOTP with a first code. */
      totp_enroll_verify: string,
      /** The factors that a login still needs. */
      auth_queries: string,
    }),
  })
  .meta({ id: 'OidcDiscovery' });

/** A public key that verifies tokens (RFC 7517). */
const publicKey = z
  .object({
    /** Id of the key, as in the headers of tokens. */
    kid: string,
    /** Key type, e.g. `EC`. */
    kty: string,
    /** Use of the key: `sig`. */
    use: string,
    /** The signature algorithm. */
    alg: string,
    /** For `EC`: name of the curve. */
    crv: string.optional(),
    /** For `EC`: x coordinate. */
    x: string.optional(),
    /** For `EC`: y coordinate. */
    y: string.optional(),
    /** For `RSA`: modulus. */
    n: string.optional(),
    /** For `RSA`: exponent. */
    e: string.optional(),
  })
  .meta({ id: 'OidcKey' });

/** The keys that verify the tokens of the provider. */
export const keySet = z
  .object({
    /** The keys, including those that are not yet, or no longer, used to sign. */
    keys: z.array(publicKey),
  })
  .meta({ id: 'OidcKeySet' });

/** An authorization request. Texts that are too long for the store are refused. */
export const authorizeFields = {
  /** Id of the client. */
  client_id: shortText.optional(),
  /** Where to send the code: one of the client's addresses. */
  redirect_uri: shortText.optional(),
  /** Must be `code`. */
  response_type: shortText.optional(),
  /** Scopes, separated by blanks; `openid` requests an ID token, `offline_access` a refresh token. */
  scope: shortText.optional(),
  /** Returned to the client unchanged. */
  state: shortText.optional(),
  /** Included in the ID token. */
  nonce: shortText.optional(),
  /** The hash of the code verifier (RFC 7636). Required. */
  code_challenge: shortText.optional(),
  /** Must be `S256`. */
  code_challenge_method: shortText.optional(),
  /** How the identity will log in: `password`, `cert` or `ext-jwt`. */
  method: shortText.optional(),
  /** Config types, by id or name, whose data services show to the session; `all` for every type. */
  configTypes: z.union([list(shortText, 1000), shortText]).optional(),
  /** `none` forbids a login prompt, and is refused. */
  prompt: shortText.optional(),
  /** An earlier ID token. */
  id_token_hint: shortText.optional(),
  /** Maximum age of the login, in seconds. */
  max_age: shortText.optional(),
  /** Not supported. */
  request: shortText.optional(),
  /** Not supported. */
  request_uri: shortText.optional(),
};

/** A request to log in. */
export const authorizeForm = z.object(authorizeFields).meta({ id: 'OidcAuthorize' });
export type AuthorizeFields = z.infer<typeof authorizeForm>;

/** A request for tokens. */
export const tokenForm = z
  .object({
    /** `authorization_code`, `refresh_token`, or `urn:ietf:params:oauth:grant-type:token-exchange`. */
    grant_type: shortText.optional(),
    /** Id of the client, unless HTTP Basic carries it, with an empty secret. */
    client_id: shortText.optional(),
    /** The code, for `authorization_code`. */
    code: shortText.optional(),
    /** The code verifier, whose hash is the code challenge. */
    code_verifier: shortText.optional(),
    /** The same as in the authorization request. */
    redirect_uri: shortText.optional(),
    /** A refresh token, which is valid once. */
    refresh_token: z.string().max(16_384).optional(),
    /** Scopes, which must have been granted. */
    scope: shortText.optional(),
    /** The token to exchange. */
    subject_token: z.string().max(16_384).optional(),
    /** Type of the token to exchange: `urn:ietf:params:oauth:token-type:refresh_token` or `...:access_token`. */
    subject_token_type: shortText.optional(),
    /** Type of the requested token: `...:refresh_token` (default), `...:access_token` or `...:id_token`. */
    requested_token_type: shortText.optional(),
    /** The client that the new token is for. */
    audience: shortText.optional(),
    /** A certificate request (PKCS#10) in PEM, to renew the certificate of a session whose tokens are bound to one; ignored for others. */
    csr_pem: certificateRequest.optional(),
  })
  .meta({ id: 'OidcTokenRequest' });
export type TokenForm = z.infer<typeof tokenForm>;

/** The answer to a request for tokens. */
export const tokenAnswer = z
  .object({
    /** For the header `Authorization: Bearer`; the ID token, if the exchange requested one. */
    access_token: string,
    /** `Bearer`; `N_A` if the exchange requested an ID token. */
    token_type: string,
    /** Lifetime in seconds. */
    expires_in: z.int().optional(),
    /** Valid once. Only with the scope `offline_access`. */
    refresh_token: string.optional(),
    /** A token that identifies the user (OpenID Connect Core 1.0, section 2). */
    id_token: string.optional(),
    /** The granted scopes, separated by blanks. */
    scope: string.optional(),
    /** Type of the issued token, for a token exchange. */
    issued_token_type: string.optional(),
    /** The certificate that was issued for the client's key, in PEM, then those above it, without the root. The tokens are bound to it. */
    session_cert: string.optional(),
  })
  .meta({ id: 'OidcTokens' });
export type TokenAnswer = z.infer<typeof tokenAnswer>;

/** An identity, as clients of the provider see it. */
export const userinfo = z
  .object({
    /** Id of the identity. */
    sub: string,
    /** Name of the identity. */
    name: string,
    /** True if the identity is an administrator. */
    z_ia: boolean,
    /** External id of the identity, if it has one. */
    z_eid: string.optional(),
  })
  .meta({ id: 'OidcUserinfo' });

/** A request for the introspection or revocation of a token. */
export const tokenQuestion = z
  .object({
    /** An access token or a refresh token. */
    token: z.string().max(16_384).optional(),
    /** Type of the token; optional. */
    token_type_hint: shortText.optional(),
    /** Id of the client, unless HTTP Basic carries it, with an empty secret. */
    client_id: shortText.optional(),
  })
  .meta({ id: 'OidcTokenQuestion' });
export type TokenQuestion = z.infer<typeof tokenQuestion>;

/** The result of an introspection (RFC 7662). */
export const introspection = z
  .object({
    /** True if the token is active; for an inactive one, this is the only field. */
    active: boolean,
    /** Id of the identity. */
    sub: string.optional(),
    /** The client that the token was issued to. */
    client_id: string.optional(),
    /** Issuer of the token. */
    iss: string.optional(),
    /** Audience of the token. */
    aud: texts.optional(),
    /** The granted scopes, separated by blanks. */
    scope: string.optional(),
    /** `Bearer` for an access token. */
    token_type: string.optional(),
    /** Id of the token. */
    jti: string.optional(),
    /** Expiry, in seconds since 1970. */
    exp: z.int().optional(),
    /** When the token was issued, in seconds since 1970. */
    iat: z.int().optional(),
    /** Name of the identity. */
    username: string.optional(),
  })
  .meta({ id: 'OidcIntrospection' });

export const endSessionFields = {
  /** An ID token of the session. */
  id_token_hint: z.string().max(16_384).optional(),
  /** The client that the token was issued to. */
  client_id: shortText.optional(),
  /** Where to redirect the browser: one of the client's addresses. */
  post_logout_redirect_uri: shortText.optional(),
  /** Returned to the client unchanged. */
  state: shortText.optional(),
};
/** A request to end a session. */
export const endSessionForm = z.object(endSessionFields).meta({ id: 'OidcEndSession' });
export type EndSessionFields = z.infer<typeof endSessionForm>;

/** Says that the provider is available. */
export const health = z.object({ status: string.meta({ description: '`ok`' }) }).meta({ id: 'OidcHealth' });
