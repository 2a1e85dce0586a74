/** Schemas of the OpenID provider: OpenID Connect Core 1.0, Discovery 1.0, RP-Initiated Logout 1.0; RFC 6749, 7009, 7636 (S256 only), 7662, 8693. */
import * as z from 'zod';
import { list, string } from './kit/index.ts';
import { boolean, shortText } from './shared.ts';

const texts = z.array(string);

/** Provider metadata (OpenID Connect Discovery 1.0). */
export const discovery = z
  .object({
    /** The issuer of its tokens. */
    issuer: string,
    /** Where a login begins. */
    authorization_endpoint: string,
    /** Where codes and tokens become tokens. */
    token_endpoint: string,
    /** Where to ask whether a token is good. */
    introspection_endpoint: string,
    /** Where to ask whose an access token is. */
    userinfo_endpoint: string,
    /** Where tokens are revoked. */
    revocation_endpoint: string,
    /** Where sessions end. */
    end_session_endpoint: string,
    /** Where the keys are. */
    jwks_uri: string,
    /** Scopes that a client may ask for. */
    scopes_supported: texts,
    /** `code`. */
    response_types_supported: texts,
    /** `query`. */
    response_modes_supported: texts,
    /** Grant types. */
    grant_types_supported: texts,
    /** `public`: every client sees the same `sub`. */
    subject_types_supported: texts,
    /** Algorithms of the keys. */
    id_token_signing_alg_values_supported: texts,
    /** How clients name themselves there. */
    token_endpoint_auth_methods_supported: texts,
    /** How clients name themselves there. */
    revocation_endpoint_auth_methods_supported: texts,
    /** How clients name themselves there. */
    introspection_endpoint_auth_methods_supported: texts,
    /** `S256`. */
    code_challenge_methods_supported: texts,
    /** Claims of its tokens. */
    claims_supported: texts,
    /** Languages of its pages. */
    ui_locales_supported: texts,
    /** False. */
    request_parameter_supported: boolean,
    /** False. */
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
      /** Where TOTP is set up. */
      totp_enroll: string,
      /** Where that is confirmed. */
      totp_enroll_verify: string,
      /** The factors that a login still owes. */
      auth_queries: string,
    }),
  })
  .meta({ id: 'OidcDiscovery' });

/** A public key that verifies tokens (RFC 7517). */
const publicKey = z
  .object({
    /** Names the key in the headers of tokens. */
    kid: string,
    /** `EC` */
    kty: string,
    /** `sig` */
    use: string,
    /** The algorithm of its signatures. */
    alg: string,
    /** For an elliptic curve: its name. */
    crv: string.optional(),
    /** For an elliptic curve. */
    x: string.optional(),
    /** For an elliptic curve. */
    y: string.optional(),
    /** For RSA. */
    n: string.optional(),
    /** For RSA. */
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
  /** A client of the provider. */
  client_id: shortText.optional(),
  /** Where the code goes: one of the client's addresses. */
  redirect_uri: shortText.optional(),
  /** `code`. */
  response_type: shortText.optional(),
  /** Separated by blanks; `openid` gives an id token, `offline_access` a refresh token. */
  scope: shortText.optional(),
  /** Comes back unchanged. */
  state: shortText.optional(),
  /** Comes back in the id token. */
  nonce: shortText.optional(),
  /** The hash of the code verifier (RFC 7636). Required. */
  code_challenge: shortText.optional(),
  /** `S256`. Needed. */
  code_challenge_method: shortText.optional(),
  /** How the identity is to log in: `password`, `cert` or `ext-jwt`. */
  method: shortText.optional(),
  /** Config types whose data the session wants to see with services: ids or names, or `all`. */
  configTypes: z.union([list(shortText, 1000), shortText]).optional(),
  /** `none` forbids a login prompt, and is refused. */
  prompt: shortText.optional(),
  /** An earlier id token. */
  id_token_hint: shortText.optional(),
  /** Seconds. */
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
    /** A client; or by HTTP Basic, with an empty secret. */
    client_id: shortText.optional(),
    /** The code, for `authorization_code`. */
    code: shortText.optional(),
    /** The code verifier, whose hash is the code challenge. */
    code_verifier: shortText.optional(),
    /** As in the request for the code. */
    redirect_uri: shortText.optional(),
    /** A refresh token, good for one use. */
    refresh_token: z.string().max(16_384).optional(),
    /** Scopes, no more than were granted. */
    scope: shortText.optional(),
    /** The token to exchange. */
    subject_token: z.string().max(16_384).optional(),
    /** Type of the given token: `urn:ietf:params:oauth:token-type:refresh_token` or `...:access_token`. */
    subject_token_type: shortText.optional(),
    /** Type of the requested token: one of these two, or `...:id_token`. Default: a refresh token. */
    requested_token_type: shortText.optional(),
    /** A client that the new token is for. */
    audience: shortText.optional(),
  })
  .meta({ id: 'OidcTokenRequest' });
export type TokenForm = z.infer<typeof tokenForm>;

/** Tokens. */
export const tokenAnswer = z
  .object({
    /** For the header `Authorization: Bearer`; or the id token, if the exchange requested one. */
    access_token: string,
    /** `Bearer`; `N_A` for an id token in exchange. */
    token_type: string,
    /** Seconds. */
    expires_in: z.int().optional(),
    /** Good for one use. With the scope `offline_access`. */
    refresh_token: string.optional(),
    /** A token that identifies the user (OpenID Connect Core 1.0, section 2). */
    id_token: string.optional(),
    /** Separated by blanks. */
    scope: string.optional(),
    /** Type of the issued token, for a token exchange. */
    issued_token_type: string.optional(),
  })
  .meta({ id: 'OidcTokens' });
export type TokenAnswer = z.infer<typeof tokenAnswer>;

/** An identity, as clients of the provider see it. */
export const userinfo = z
  .object({
    /** Id of the identity. */
    sub: string,
    /** Its name. */
    name: string,
    /** True if it is an administrator. */
    z_ia: boolean,
    /** Its external id, if it has one. */
    z_eid: string.optional(),
  })
  .meta({ id: 'OidcUserinfo' });

/** A token, and who asks about it. */
export const tokenQuestion = z
  .object({
    /** An access token or a refresh token. */
    token: z.string().max(16_384).optional(),
    /** Which token it is; not needed. */
    token_type_hint: shortText.optional(),
    /** A client; or by HTTP Basic, with an empty secret. */
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
    /** The client that it was given to. */
    client_id: string.optional(),
    /** Its issuer. */
    iss: string.optional(),
    /** Whom it is for. */
    aud: texts.optional(),
    /** Separated by blanks. */
    scope: string.optional(),
    /** `Bearer`, of an access token. */
    token_type: string.optional(),
    /** Id of the token. */
    jti: string.optional(),
    /** Its end, seconds since 1970. */
    exp: z.int().optional(),
    /** When it was given, seconds since 1970. */
    iat: z.int().optional(),
    /** Name of the identity. */
    username: string.optional(),
  })
  .meta({ id: 'OidcIntrospection' });

export const endSessionFields = {
  /** An id token of the session. */
  id_token_hint: z.string().max(16_384).optional(),
  /** The client that the token was given to. */
  client_id: shortText.optional(),
  /** Where to go then: one of the client's addresses. */
  post_logout_redirect_uri: shortText.optional(),
  /** Comes back unchanged. */
  state: shortText.optional(),
};
/** A request to end a session. */
export const endSessionForm = z.object(endSessionFields).meta({ id: 'OidcEndSession' });
export type EndSessionFields = z.infer<typeof endSessionForm>;

/** The provider is available. */
export const health = z.object({ status: string.meta({ description: '`ok`' }) }).meta({ id: 'OidcHealth' });
