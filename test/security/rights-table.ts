/**
 * Who may call which operation, written by hand from the specification ("admin access is required for the resource operations
 * unless noted", "operations on the current identity"), and from what a session may do that owes a factor. It must not be made
 * from `src/api`: it is there to notice when a right is changed.
 */

/**
 * - `anyone`: without credentials.
 * - `anySession`: a session, even while it owes a factor.
 * - `session`: a session that owes nothing; what it sees is its own.
 * - `administrator`: a session that owes nothing, of an administrator.
 */
export type Right = 'anyone' | 'anySession' | 'session' | 'administrator';
export type ApiName = 'management' | 'client' | 'extensions' | 'fabric';

/** Lines of methods and a path. */
type Lines = string;

const ofBothApis: Readonly<Record<Right, Lines>> = {
  anyone: `
    GET    /
    GET    /version
    GET    /enumerated-capabilities
    GET    /enumerated-router-capabilities
    GET    /network-jwts
    GET    /specs
    GET    /specs/{id}
    GET    /specs/{id}/spec
    GET    /swagger.json
    GET    /.well-known/est/cacerts
    POST   /authenticate
  `,
  anySession: `
    GET DELETE /current-api-session
    POST       /authenticate/mfa
    GET POST   /current-identity/mfa
    POST       /current-identity/mfa/verify
    GET        /current-identity/mfa/qr-code
  `,
  session: `
    POST          /current-api-session/totp-token
    GET           /current-identity
    DELETE        /current-identity/mfa
    GET POST      /current-identity/mfa/recovery-codes
    GET           /current-identity/authenticators
    GET PUT PATCH /current-identity/authenticators/{id}
    POST          /current-identity/authenticators/{id}/extend
    POST          /current-identity/authenticators/{id}/extend-verify
    GET           /sessions
    GET DELETE    /sessions/{id}
  `,
  administrator: '',
};

const ofManagement: Readonly<Record<Right, Lines>> = {
  anyone: '',
  anySession: '',
  session: `
    POST /authenticators/{id}/extend
    POST /authenticators/{id}/extend-verify
    GET  /identity-types
    GET  /identity-types/{id}
    GET  /posture-check-types
    GET  /posture-check-types/{id}
  `,
  administrator: `
    GET                  /summary
    GET                  /controllers
    GET                  /sessions/{id}/route-path
    GET                  /api-sessions
    GET DELETE           /api-sessions/{id}
    GET POST             /auth-policies
    GET PUT PATCH DELETE /auth-policies/{id}
    GET POST             /authenticators
    GET PUT PATCH DELETE /authenticators/{id}
    POST                 /authenticators/{id}/re-enroll
    POST                 /authenticators/{id}/request-extend
    GET POST             /cas
    GET PUT PATCH DELETE /cas/{id}
    GET                  /cas/{id}/jwt
    POST                 /cas/{id}/verify
    GET POST             /config-types
    GET PUT PATCH DELETE /config-types/{id}
    GET                  /config-types/{id}/configs
    GET POST             /configs
    GET PUT PATCH DELETE /configs/{id}
    GET                  /configs/{id}/services
    POST                 /database/snapshot
    POST                 /database/check-data-integrity
    POST                 /database/fix-data-integrity
    GET                  /database/data-integrity-results
    GET POST             /edge-router-policies
    GET PUT PATCH DELETE /edge-router-policies/{id}
    GET                  /edge-router-policies/{id}/edge-routers
    GET                  /edge-router-policies/{id}/identities
    GET                  /edge-router-role-attribute-usage
    GET                  /edge-router-role-attributes
    GET POST             /edge-routers
    GET PUT PATCH DELETE /edge-routers/{id}
    GET                  /edge-routers/{id}/edge-router-policies
    GET                  /edge-routers/{id}/identities
    GET                  /edge-routers/{id}/service-edge-router-policies
    GET                  /edge-routers/{id}/services
    POST                 /edge-routers/{id}/re-enroll
    GET POST             /enrollments
    GET DELETE           /enrollments/{id}
    POST                 /enrollments/{id}/refresh
    GET POST             /external-jwt-signers
    GET PUT PATCH DELETE /external-jwt-signers/{id}
    GET POST             /identities
    GET PUT PATCH DELETE /identities/{id}
    GET                  /identities/{id}/authenticators
    GET                  /identities/{id}/edge-router-policies
    GET                  /identities/{id}/edge-routers
    GET                  /identities/{id}/enrollments
    GET                  /identities/{id}/failed-service-requests
    GET                  /identities/{id}/policy-advice/{serviceId}
    GET                  /identities/{id}/posture-data
    GET POST DELETE      /identities/{id}/service-configs
    GET                  /identities/{id}/service-policies
    GET                  /identities/{id}/services
    POST                 /identities/{id}/disable
    POST                 /identities/{id}/enable
    DELETE               /identities/{id}/mfa
    PUT                  /identities/{id}/trace
    GET                  /identity-role-attribute-usage
    GET                  /identity-role-attributes
    GET                  /posture-check-role-attribute-usage
    GET                  /posture-check-role-attributes
    GET POST             /posture-checks
    GET PUT PATCH DELETE /posture-checks/{id}
    GET POST             /revocations
    GET                  /revocations/{id}
    GET POST             /routers
    GET PUT PATCH DELETE /routers/{id}
    GET POST             /transit-routers
    GET PUT PATCH DELETE /transit-routers/{id}
    GET POST             /service-edge-router-policies
    GET PUT PATCH DELETE /service-edge-router-policies/{id}
    GET                  /service-edge-router-policies/{id}/edge-routers
    GET                  /service-edge-router-policies/{id}/services
    GET POST             /service-policies
    GET PUT PATCH DELETE /service-policies/{id}
    GET                  /service-policies/{id}/identities
    GET                  /service-policies/{id}/posture-checks
    GET                  /service-policies/{id}/services
    GET                  /service-role-attribute-usage
    GET                  /service-role-attributes
    GET POST             /services
    GET PUT PATCH DELETE /services/{id}
    GET                  /services/{id}/configs
    GET                  /services/{id}/edge-routers
    GET                  /services/{id}/identities
    GET                  /services/{id}/service-edge-router-policies
    GET                  /services/{id}/service-policies
    GET                  /services/{id}/terminators
    GET POST             /terminators
    GET PUT PATCH DELETE /terminators/{id}
  `,
};

const ofClient: Readonly<Record<Right, Lines>> = {
  anyone: `
    GET  /protocols
    GET  /external-jwt-signers
    POST /enroll
    POST /enroll/ca
    POST /enroll/ott
    POST /enroll/ottca
    POST /enroll/token
    POST /enroll/updb
    POST /enroll/erott
    POST /enroll/trott
    POST /enroll/extend/router
  `,
  anySession: '',
  session: `
    GET POST   /current-api-session/certificates
    GET DELETE /current-api-session/certificates/{id}
    GET        /current-api-session/service-updates
    GET        /controllers
    GET        /current-identity/edge-routers
    GET        /services
    GET        /services/{id}
    GET        /services/{id}/edge-routers
    GET        /services/{id}/terminators
    POST       /sessions
    POST       /posture-response
    POST       /posture-response-bulk
  `,
  administrator: '',
};

const ofExtensions: Readonly<Record<Right, Lines>> = {
  anyone: 'GET /openapi.json',
  anySession: '',
  session: `
    GET POST /current-identity/api-tokens
    DELETE   /current-identity/api-tokens/{id}
    POST     /current-identity/api-tokens/{id}/rotate
    POST     /batch
    PUT      /services
    PUT      /identities
    PUT      /service-policies
    PUT      /edge-router-policies
    PUT      /service-edge-router-policies
    PUT      /configs
    PUT      /config-types
    PUT      /auth-policies
    PUT      /edge-routers
    PUT      /posture-checks
  `,
  administrator: `
    GET POST         /api-tokens
    GET PATCH DELETE /api-tokens/{id}
    POST DELETE      /services/{id}/role-attributes
    POST DELETE      /identities/{id}/role-attributes
    POST DELETE      /edge-routers/{id}/role-attributes
    POST DELETE      /posture-checks/{id}/role-attributes
    POST             /api-tokens/{id}/rotate
    GET /audit
    GET /audit/export
    GET /audit/head
    GET /audit/verify
    GET /changes
    GET /changes/follow
    GET /history/{kind}/{id}
    GET /history/{kind}/{id}/state
    POST /history/{kind}/{id}/revert
    GET /database/snapshot
    GET /health
    GET /identities/{identityId}/services/{serviceId}/explain
    GET /identities/{identityId}/reach
    GET /services/{serviceId}/who-can
    GET /access/matrix
    GET POST             /policy-tests
    GET PUT PATCH DELETE /policy-tests/{id}
    POST /access/preview
    GET /access/compare
    GET /posture-checks/{id}/service-policies
    GET /state
    POST /state/plan
    POST /state/apply
  `,
};

/** The contract: `/fabric/v1` is for administrators. */
const ofFabric: Readonly<Record<Right, Lines>> = {
  anyone: '',
  anySession: '',
  session: '',
  administrator: `
    GET        /routers
    GET        /routers/{id}
    GET        /routers/{id}/terminators
    GET        /services
    GET        /services/{id}
    GET        /services/{id}/terminators
    GET POST             /terminators
    GET PUT PATCH DELETE /terminators/{id}
    GET        /links
    GET DELETE /links/{id}
    GET        /circuits
    GET DELETE /circuits/{id}
    POST       /inspections
    GET        /cluster/list-members
  `,
};

/**
 * The OpenID provider, below `/oidc`, knows no session by its header: it is open, and each operation judges the codes, tokens and clients that it is given
 * (`oidc-logins.test.ts` and `oidc-tokens.test.ts`).
 */
const ofProvider: Lines = `
  GET         /.well-known/openid-configuration
  GET         /keys
  GET POST    /authorize
  GET         /authorize/callback
  POST        /oauth/token
  GET POST    /userinfo
  POST        /oauth/introspect
  POST        /revoke
  POST        /oauth/revoke
  GET POST    /end_session
  GET         /logged-out
  GET         /healthz
  GET         /ready
  GET POST    /login/username
  GET POST    /login/password
  GET POST    /login/cert
  GET POST    /login/ext-jwt
  POST        /login/totp
  POST DELETE /login/totp/enroll
  POST        /login/totp/enroll/verify
  GET         /login/auth-queries
`;

/** An operation on an API: `POST /identities/{id}/disable` of `management`. */
export interface RightOf {
  readonly api: ApiName;
  readonly method: string;
  readonly path: string;
  readonly right: Right;
}

/** Every method and path of some lines. */
const callsIn = (lines: Lines): readonly Pick<RightOf, 'method' | 'path'>[] =>
  lines
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const words = line.trim().split(/ +/);
      const path = words.pop() ?? '';
      return words.map((method) => ({ method, path }));
    });

const read = (api: ApiName, table: Readonly<Record<Right, Lines>>): readonly RightOf[] =>
  // Its keys are all rights.
  (Object.keys(table) as readonly Right[]).flatMap((right) => callsIn(table[right]).map((call) => ({ api, ...call, right })));

export const rights: readonly RightOf[] = [
  ...read('management', ofBothApis),
  ...read('client', ofBothApis),
  ...read('management', ofManagement),
  ...read('client', ofClient),
  ...read('extensions', ofExtensions),
  ...read('fabric', ofFabric),
];

/** Where a session without the right gets 403; everywhere else it is 401. */
export const forbidden: readonly string[] = ['DELETE /api-sessions/{id}', 'DELETE /posture-checks/{id}'];

/** What is open to all, and judged by what it is given. */
export const open: readonly string[] = callsIn(ofProvider).map(({ method, path }) => `${method} /oidc${path}`);
