/**
 * Schemas of the OpenID provider: OpenID Connect Core 1.0, Discovery 1.0, RP-Initiated Logout 1.0; RFC 6749, 7009, 7636 (S256 only), 7662,
 * 8693.
 */
import * as z from 'zod';
import { list, string } from './kit/index.ts';
import { boolean, certificateRequest, shortText } from './shared.ts';

const texts = z.array(string);

/** Provider metadata (OpenID Connect Discovery 1.0). */
export const discovery = z
  .object({
    /** The issuer of tokens. */
    issuer: string,
    /** Endpoint at which clients start a login. */
    authorization_endpoint: string,
    /** Endpoint at which clients exchange codes and tokens for tokens. */
    token_endpoint: string,
    /** Endpoint at which clients introspect tokens. */
    introspection_endpoint: string,
    /** Endpoint at which clients get the claims about the bearer of an access token. */
    userinfo_endpoint: string,
    /** Endpoint at which clients revoke tokens. */
    revocation_endpoint: string,
    /** Endpoint at which clients end sessions. */
    end_session_endpoint: string,
    /** URL of the public keys. */
    jwks_uri: string,
    /** Scopes that a client may request. */
    scopes_supported: texts,
    /** Supported response types: only `code`. */
    response_types_supported: texts,
    /** Supported response modes: only `query`. */
    response_modes_supported: texts,
    /** Grant types that the token endpoint accepts. */
    grant_types_supported: texts,
    /** Supported subject types: only `public`, so that every client receives the same `sub`. */
    subject_types_supported: texts,
    /** Signature algorithms of ID tokens. */
    id_token_signing_alg_values_supported: texts,
    /** Methods of client authentication at the token endpoint. */
    token_endpoint_auth_methods_supported: texts,
    /** Methods of client authentication at the revocation endpoint. */
    revocation_endpoint_auth_methods_supported: texts,
    /** Methods of client authentication at the introspection endpoint. */
    introspection_endpoint_auth_methods_supported: texts,
    /** Supported code challenge methods: only `S256`. */
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
      /** Logs in with username and password. */
      password: string,
      /** Logs in with a client certificate. */
      cert: string,
      /** Logs in with a token of an external signer. */
      ext_jwt: string,
      /** Submits the code of the second factor. */
      totp: string,
      /** Starts a TOTP enrollment. */
      totp_enroll: string,
      /** Verifies a TOTP enrollment with a first code. */
      totp_enroll_verify: string,
      /** Lists the factors that a login still needs. */
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
    /** Intended use of the key: `sig`. */
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
    /** The keys, including those that do not sign yet or no longer sign. */
    keys: z.array(publicKey),
  })
  .meta({ id: 'OidcKeySet' });

/** The parameters of an authorization request. */
export const authorizeFields = {
  /** Id of the client. */
  client_id: shortText.optional(),
  /** Redirect URI that receives the code; must be registered for the client. */
  redirect_uri: shortText.optional(),
  /** Response type; must be `code`. */
  response_type: shortText.optional(),
  /** Scopes, separated by spaces; `openid` requests an ID token, `offline_access` a refresh token. */
  scope: shortText.optional(),
  /** Opaque value that is returned to the client unchanged. */
  state: shortText.optional(),
  /** Value that is included in the ID token. */
  nonce: shortText.optional(),
  /** Required. The hash of the code verifier (RFC 7636). */
  code_challenge: shortText.optional(),
  /** Code challenge method; must be `S256`. */
  code_challenge_method: shortText.optional(),
  /** Login method of the identity: `password`, `cert` or `ext-jwt`. */
  method: shortText.optional(),
  /** Config types, by id or name, whose data the session receives with services; `all` for every type. */
  configTypes: z.union([list(shortText, 1000), shortText]).optional(),
  /** Prompt mode; `none`, which forbids a login prompt, is refused. */
  prompt: shortText.optional(),
  /** An ID token that was issued earlier. */
  id_token_hint: shortText.optional(),
  /** Maximum age of the login, in seconds. */
  max_age: shortText.optional(),
  /** A request object; not supported. */
  request: shortText.optional(),
  /** URI of a request object; not supported. */
  request_uri: shortText.optional(),
};

/** An authorization request. */
export const authorizeForm = z.object(authorizeFields).meta({ id: 'OidcAuthorize' });
export type AuthorizeFields = z.infer<typeof authorizeForm>;

/** A request for tokens. */
export const tokenForm = z
  .object({
    /** Grant type: `authorization_code`, `refresh_token` or `urn:ietf:params:oauth:grant-type:token-exchange`. */
    grant_type: shortText.optional(),
    /** Id of the client, unless it is sent by HTTP Basic with an empty secret. */
    client_id: shortText.optional(),
    /** The code, for `authorization_code`. */
    code: shortText.optional(),
    /** The code verifier, whose hash is the code challenge. */
    code_verifier: shortText.optional(),
    /** The redirect URI of the authorization request. */
    redirect_uri: shortText.optional(),
    /** The refresh token, for `refresh_token`; each is valid once. */
    refresh_token: z.string().max(16_384).optional(),
    /** Requested scopes, which must have been granted at login. */
    scope: shortText.optional(),
    /** The token to exchange. */
    subject_token: z.string().max(16_384).optional(),
    /** Type of the token to exchange: `urn:ietf:params:oauth:token-type:refresh_token` or `...:access_token`. */
    subject_token_type: shortText.optional(),
    /** Type of the requested token: `...:refresh_token` (default), `...:access_token` or `...:id_token`. */
    requested_token_type: shortText.optional(),
    /** The client that the new token is for. */
    audience: shortText.optional(),
    /** A certificate request (PKCS#10) in PEM, to renew the certificate to which the tokens of the session are bound; otherwise ignored. */
    csr_pem: certificateRequest.optional(),
  })
  .meta({ id: 'OidcTokenRequest' });
export type TokenForm = z.infer<typeof tokenForm>;

/** The answer to a request for tokens. */
export const tokenAnswer = z
  .object({
    /** The access token, or the ID token if the exchange requested one. */
    access_token: string,
    /** Token type: `Bearer`, or `N_A` if the exchange requested an ID token. */
    token_type: string,
    /** Lifetime of the access token, in seconds. */
    expires_in: z.int().optional(),
    /** The refresh token, valid once; only with the scope `offline_access`. */
    refresh_token: string.optional(),
    /** A token that identifies the user (OpenID Connect Core 1.0, section 2). */
    id_token: string.optional(),
    /** The granted scopes, separated by spaces. */
    scope: string.optional(),
    /** Type of the issued token, for a token exchange. */
    issued_token_type: string.optional(),
    /**
     * The certificate chain that was issued for the client's key, in PEM, leaf first, without the root. The tokens are bound to the leaf.
     */
    session_cert: string.optional(),
  })
  .meta({ id: 'OidcTokens' });
export type TokenAnswer = z.infer<typeof tokenAnswer>;

/** The claims about an identity. */
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

/** The parameters of an introspection or revocation (RFC 7662, 2.1; RFC 7009, 2.1). */
export const tokenParameters = z
  .object({
    /** An access token or a refresh token. */
    token: z.string().max(16_384).optional(),
    /** Hint at the type of the token. */
    token_type_hint: shortText.optional(),
    /** Id of the client, unless it is sent by HTTP Basic with an empty secret. */
    client_id: shortText.optional(),
  })
  .meta({ id: 'OidcTokenParameters' });
export type TokenParameters = z.infer<typeof tokenParameters>;

/** The result of an introspection (RFC 7662). */
export const introspection = z
  .object({
    /** True if the token is active. For an inactive token, this is the only field. */
    active: boolean,
    /** Id of the identity. */
    sub: string.optional(),
    /** The client that the token was issued to. */
    client_id: string.optional(),
    /** Issuer of the token. */
    iss: string.optional(),
    /** Audience of the token. */
    aud: texts.optional(),
    /** The granted scopes, separated by spaces. */
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
  /** URI to redirect the browser to; must be registered for the client. */
  post_logout_redirect_uri: shortText.optional(),
  /** Opaque value that is returned to the client unchanged. */
  state: shortText.optional(),
};
/** A request to end a session. */
export const endSessionForm = z.object(endSessionFields).meta({ id: 'OidcEndSession' });
export type EndSessionFields = z.infer<typeof endSessionForm>;

/** The health of the provider. */
export const health = z.object({ status: string.meta({ description: '`ok`' }) }).meta({ id: 'OidcHealth' });
