/**
 * Who may call which operation, and what a delegate may do to whom, written by hand from the specification ("admin access is required for
 * the resource operations unless noted"), the published table of permissions, and the guides of delegated administration and of machine
 * accounts. It must not be made from `src/`: it is there to notice when a right is changed, when a protection is lost, and when an
 * operation is added without either.
 */

/**
 * Lines of methods, a path, and who may call it:
 * - `anyone`: without credentials. `anySession`: a session, even while it owes a factor. `session`: a session that owes nothing; what it
 *   sees is its own.
 * - `administrators`: they alone. `auditors`: also `admin_readonly`.
 * - `identity.read`: also the permissions `identity` and `identity.read` and, as it is a right to read, `admin_readonly`; not the last with
 *   `!`. `identity`:
 *   the same with the action of the method.
 *
 * Then, where it is not the default:
 * - `unscoped`: a permission with a scope is not enough.
 * - `token`: an API token may call it, too, though it takes no right. `ops`: one with a permission on `ops` may. `no-token`: none may,
 *   though it takes a right.
 *
 * After a method, what a delegate with the right may do to an entity, where it is not the default (`effectOf`), and `403` if sessions
 * without it get that.
 */
type Lines = string;

const ofBothApis: Lines = `
  GET           /                                                   anyone
  GET           /version                                            anyone
  GET           /enumerated-capabilities                            anyone
  GET           /enumerated-router-capabilities                     anyone
  GET           /network-jwts                                       anyone
  GET           /specs                                              anyone
  GET           /specs/{id}                                         anyone
  GET           /specs/{id}/spec                                    anyone
  GET           /swagger.json                                       anyone
  GET           /.well-known/est/cacerts                            anyone
  POST          /authenticate                                       anyone
  GET           /current-api-session                                anySession token
  DELETE        /current-api-session                                anySession
  POST          /authenticate/mfa                                   anySession
  GET,POST      /current-identity/mfa                               anySession
  POST          /current-identity/mfa/verify                        anySession
  GET           /current-identity/mfa/qr-code                       anySession
  DELETE        /current-identity/mfa                               session
  POST          /current-api-session/totp-token                     session
  GET           /current-identity                                   session token
  GET,POST      /current-identity/mfa/recovery-codes                session
  GET           /current-identity/authenticators                    session
  GET,PUT,PATCH /current-identity/authenticators/{id}               session
  POST          /current-identity/authenticators/{id}/extend        session
  POST          /current-identity/authenticators/{id}/extend-verify session
  GET           /sessions                                           session ops
  GET,DELETE    /sessions/{id}                                      session ops
`;

const ofManagement: Lines = `
  POST                       /authenticators/{id}/extend                     session
  POST                       /authenticators/{id}/extend-verify              session
  GET                        /identity-types                                 session token
  GET                        /identity-types/{id}                            session token
  GET                        /posture-check-types                            session token
  GET                        /posture-check-types/{id}                       session token
  GET                        /summary                                        administrators
  GET                        /controllers                                    controllers
  GET                        /sessions/{id}/route-path                       ops
  GET                        /api-sessions                                   ops
  GET,DELETE:403             /api-sessions/{id}                              ops
  GET,POST                   /auth-policies                                  auth-policy
  GET,PUT,PATCH,DELETE:used  /auth-policies/{id}                             auth-policy
  GET                        /authenticators                                 auditors
  POST                       /authenticators                                 administrators
  GET                        /authenticators/{id}                            auditors
  PUT,PATCH,DELETE           /authenticators/{id}                            administrators
  POST                       /authenticators/{id}/re-enroll                  administrators
  POST                       /authenticators/{id}/request-extend             administrators
  GET,POST                   /cas                                            ca
  GET,PUT,PATCH,DELETE       /cas/{id}                                       ca
  GET                        /cas/{id}/jwt                                   ca
  POST:read                  /cas/{id}/verify                                ca.update
  GET,POST                   /config-types                                   config-type
  GET,PUT,PATCH,DELETE       /config-types/{id}                              config-type
  GET                        /config-types/{id}/configs                      config
  GET,POST                   /configs                                        config
  GET,PUT,PATCH,DELETE       /configs/{id}                                   config
  GET                        /configs/{id}/services                          service
  POST                       /database/snapshot                              administrators
  POST                       /database/check-data-integrity                  administrators
  POST                       /database/fix-data-integrity                    administrators
  GET                        /database/data-integrity-results                administrators
  GET,POST                   /edge-router-policies                           edge-router-policy
  GET,PUT,PATCH,DELETE       /edge-router-policies/{id}                      edge-router-policy
  GET                        /edge-router-policies/{id}/edge-routers         router
  GET                        /edge-router-policies/{id}/identities           identity
  GET                        /edge-router-role-attribute-usage               router unscoped
  GET                        /edge-router-role-attributes                    router unscoped
  GET,POST                   /edge-routers                                   router
  GET,PUT,PATCH,DELETE       /edge-routers/{id}                              router
  GET                        /edge-routers/{id}/edge-router-policies         edge-router-policy
  GET                        /edge-routers/{id}/identities                   identity
  GET                        /edge-routers/{id}/service-edge-router-policies service-edge-router-policy
  GET                        /edge-routers/{id}/services                     service
  POST                       /edge-routers/{id}/re-enroll                    router.update
  GET,POST:create            /enrollments                                    enrollment
  GET:secret,DELETE:secret   /enrollments/{id}                               enrollment
  POST:secret                /enrollments/{id}/refresh                       enrollment.update
  GET,POST                   /external-jwt-signers                           external-jwt-signer
  GET,PUT,PATCH,DELETE:used  /external-jwt-signers/{id}                      external-jwt-signer
  GET,POST                   /identities                                     identity
  GET,PUT:never,PATCH,DELETE /identities/{id}                                identity
  GET                        /identities/{id}/authenticators                 auditors
  GET                        /identities/{id}/edge-router-policies           edge-router-policy
  GET                        /identities/{id}/edge-routers                   router
  GET:secrets                /identities/{id}/enrollments                    enrollment
  GET                        /identities/{id}/failed-service-requests        identity
  GET                        /identities/{id}/policy-advice/{serviceId}      service unscoped
  GET                        /identities/{id}/posture-data                   identity
  GET                        /identities/{id}/service-configs                identity
  POST,DELETE                /identities/{id}/service-configs                identity.update
  GET                        /identities/{id}/service-policies               service-policy
  GET                        /identities/{id}/services                       service
  POST                       /identities/{id}/disable                        identity.update
  POST                       /identities/{id}/enable                         identity.update
  DELETE                     /identities/{id}/mfa                            identity.update no-token
  PUT                        /identities/{id}/trace                          identity
  GET                        /identity-role-attribute-usage                  identity unscoped
  GET                        /identity-role-attributes                       identity unscoped
  GET                        /posture-check-role-attribute-usage             posture-check unscoped
  GET                        /posture-check-role-attributes                  posture-check unscoped
  GET,POST                   /posture-checks                                 posture-check
  GET,PUT,PATCH,DELETE:403   /posture-checks/{id}                            posture-check
  GET                        /revocations                                    auditors
  POST                       /revocations                                    administrators
  GET                        /revocations/{id}                               auditors
  GET,POST                   /routers                                        router unscoped
  GET,PUT,PATCH,DELETE       /routers/{id}                                   router unscoped
  GET,POST                   /transit-routers                                router unscoped
  GET,PUT,PATCH,DELETE       /transit-routers/{id}                           router unscoped
  GET,POST                   /service-edge-router-policies                   service-edge-router-policy
  GET,PUT,PATCH,DELETE       /service-edge-router-policies/{id}              service-edge-router-policy
  GET                        /service-edge-router-policies/{id}/edge-routers router
  GET                        /service-edge-router-policies/{id}/services     service
  GET,POST                   /service-policies                               service-policy
  GET,PUT,PATCH,DELETE       /service-policies/{id}                          service-policy
  GET                        /service-policies/{id}/identities               identity
  GET                        /service-policies/{id}/posture-checks           posture-check
  GET                        /service-policies/{id}/services                 service
  GET                        /service-role-attribute-usage                   service unscoped
  GET                        /service-role-attributes                        service unscoped
  GET,POST                   /services                                       service
  GET,PUT,PATCH,DELETE       /services/{id}                                  service
  GET                        /services/{id}/configs                          config
  GET                        /services/{id}/edge-routers                     router
  GET                        /services/{id}/identities                       identity
  GET                        /services/{id}/service-edge-router-policies     service-edge-router-policy
  GET                        /services/{id}/service-policies                 service-policy
  GET                        /services/{id}/terminators                      terminator
  GET,POST                   /terminators                                    terminator
  GET,PUT,PATCH,DELETE       /terminators/{id}                               terminator
`;

const ofClient: Lines = `
  GET        /protocols                             anyone
  GET        /external-jwt-signers                  anyone
  POST       /enroll                                anyone
  POST       /enroll/ca                             anyone
  POST       /enroll/ott                            anyone
  POST       /enroll/ottca                          anyone
  POST       /enroll/token                          anyone
  POST       /enroll/updb                           anyone
  POST       /enroll/erott                          anyone
  POST       /enroll/trott                          anyone
  POST       /enroll/extend/router                  anyone
  POST       /sessions                              session
  GET,POST   /current-api-session/certificates      session
  GET,DELETE /current-api-session/certificates/{id} session
  GET        /current-api-session/service-updates   session
  GET        /controllers                           session
  GET        /current-identity/edge-routers         session
  GET        /services                              session
  GET        /services/{id}                         session
  GET        /services/{id}/edge-routers            session
  GET        /services/{id}/terminators             session
  POST       /posture-response                      session
  POST       /posture-response-bulk                 session
`;

/** The project's own: as for the kinds that they read. */
const ofExtensions: Lines = `
  GET              /openapi.json                                         anyone
  GET              /current-identity/password-rules                      session
  GET              /current-identity/api-sessions                        session
  DELETE           /current-identity/api-sessions/{id}                   session
  POST             /current-identity/api-sessions/end-others             session
  GET              /api-sessions                                         ops
  GET,DELETE       /api-sessions/{id}                                    ops
  GET,POST         /current-identity/api-tokens                          session
  DELETE           /current-identity/api-tokens/{id}                     session
  POST             /current-identity/api-tokens/{id}/rotate              session
  POST             /batch                                                session token
  PUT              /services                                             session token
  PUT              /identities                                           session token
  PUT              /service-policies                                     session token
  PUT              /edge-router-policies                                 session token
  PUT              /service-edge-router-policies                         session token
  PUT              /configs                                              session token
  PUT              /config-types                                         session token
  PUT              /auth-policies                                        session token
  PUT              /edge-routers                                         session token
  PUT              /posture-checks                                       session token
  GET              /api-tokens                                           auditors
  POST             /api-tokens                                           administrators no-token
  GET:secret       /api-tokens/{id}                                      auditors
  PATCH            /api-tokens/{id}                                      administrators no-token
  DELETE           /api-tokens/{id}                                      administrators
  POST,DELETE      /services/{id}/role-attributes                        service.update
  POST,DELETE      /identities/{id}/role-attributes                      identity.update
  POST,DELETE      /edge-routers/{id}/role-attributes                    router.update
  POST,DELETE      /posture-checks/{id}/role-attributes                  posture-check.update
  POST             /api-tokens/{id}/rotate                               administrators no-token
  GET              /audit                                                auditors
  GET              /audit/export                                         auditors
  GET              /audit/head                                           auditors
  GET              /audit/verify                                         auditors
  GET              /changes                                              auditors
  GET              /changes/follow                                       auditors
  GET              /history/{kind}/{id}                                  auditors
  GET              /history/{kind}/{id}/state                            auditors
  POST             /history/{kind}/{id}/revert                           administrators
  GET              /database/snapshot                                    administrators
  GET              /health                                               ops
  GET              /network-events                                       ops
  POST             /router-traces                                        administrators
  POST             /routers/{id}/validate-terminators                    administrators
  POST             /routers/{id}/repair-terminators                      administrators
  POST             /routers/{id}/validate-data-model                     administrators
  POST             /routers/{id}/repair-data-model                       administrators
  GET              /journal                                              ops
  GET              /journal/export                                       ops
  GET              /usage                                                ops
  GET              /traffic-history                                      ops
  GET              /usage/export                                         ops
  GET:beside       /identities/{identityId}/services/{serviceId}/explain identity unscoped
  GET              /identities/{identityId}/reach                        identity unscoped
  GET:beside       /services/{serviceId}/who-can                         identity unscoped
  GET              /access/matrix                                        identity unscoped
  GET              /policy-tests                                         auditors
  POST             /policy-tests                                         administrators
  GET              /policy-tests/{id}                                    auditors
  PUT,PATCH,DELETE /policy-tests/{id}                                    administrators
  POST             /access/preview                                       identity.read unscoped
  POST             /external-jwt-signers/check-token                     external-jwt-signer.read
  POST             /external-jwt-signers/discover                        external-jwt-signer.create
  GET              /access/compare                                       auditors
  GET              /posture-checks/{id}/service-policies                 service-policy
  GET              /state                                                auditors
  POST             /state/plan                                           auditors
  POST             /state/apply                                          auditors
  GET              /state/lines                                         auditors
  POST             /state/lines/plan                                    auditors
  POST             /state/lines/apply                                   auditors
`;

/** The contract: `/fabric/v1` is for administrators. */
const ofFabric: Lines = `
  GET,POST             /routers                   administrators
  GET,PUT,PATCH,DELETE /routers/{id}              administrators
  GET                  /routers/{id}/terminators  administrators
  GET,POST             /services                  administrators
  GET,PUT,PATCH,DELETE /services/{id}             administrators
  GET                  /services/{id}/terminators administrators
  GET,POST             /terminators               administrators
  GET,PUT,PATCH,DELETE /terminators/{id}          administrators
  GET                  /links                     ops
  GET,PATCH,DELETE     /links/{id}                ops
  GET                  /circuits                  ops
  GET,DELETE           /circuits/{id}             ops
  POST                 /inspections               ops.read!
  POST                 /database/snapshot         administrators
  GET                  /cluster/list-members      administrators
`;

/**
 * The OpenID provider knows no session by its header: it is open, and each operation judges the codes, tokens and clients that it is given
 * (`oidc-logins.test.ts` and `oidc-tokens.test.ts`).
 */
const ofProvider: Lines = `
  GET /.well-known/openid-configuration anyone
  GET /keys anyone
  GET,POST /authorize anyone
  GET /authorize/callback anyone
  POST /oauth/token anyone
  GET,POST /userinfo anyone
  POST /oauth/introspect anyone
  POST /revoke anyone
  POST /oauth/revoke anyone
  GET,POST /end_session anyone
  GET /logged-out anyone
  GET /healthz anyone
  GET /ready anyone
  GET,POST /login/username anyone
  GET,POST /login/password anyone
  GET,POST /login/cert anyone
  GET,POST /login/ext-jwt anyone
  POST /login/totp anyone
  POST,DELETE /login/totp/enroll anyone
  POST /login/totp/enroll/verify anyone
  GET /login/auth-queries anyone
`;

/** Kinds, by the names of their rights, whose rights an identity may hold. */
const ENTITIES =
  'auth-policy ca config config-type edge-router-policy enrollment external-jwt-signer identity posture-check router service service-edge-router-policy service-policy terminator';
/** The permissions, as published. */
export const PERMISSIONS: readonly string[] = [
  ...['admin_readonly', 'controllers', 'controllers.read', 'ops', 'ops.read', 'ops.update', 'ops.delete'],
  ...ENTITIES.split(' ').flatMap((entity) => ['', '.read', '.create', '.update', '.delete'].map((action) => entity + action)),
];

export const PREFIXES = {
  management: '/edge/management/v1',
  client: '/edge/client/v1',
  extensions: '/edge/management/extensions/v1',
  fabric: '/fabric/v1',
  provider: '/oidc',
} as const;

/** The kinds of entities that `{id}` names, by the collection: those that belong to an identity, or are what one logs in by, and others. */
const PROTECTED = [
  'identities',
  'enrollments',
  'api-sessions',
  'sessions',
  'authenticators',
  'api-tokens',
  'auth-policies',
  'external-jwt-signers',
  'cas',
] as const;
const OTHERS = ['services', 'edge-routers', 'posture-checks'] as const;
export const TARGETS = [...PROTECTED, ...OTHERS];
export type Target = (typeof TARGETS)[number];

/**
 * - `read`: allowed for all identities, those with more rights included.
 * - `write`: refused with a cause for identities with more rights, and for what belongs to them.
 * - `used`: as `write`, but an entity in use may be refused with 409 instead.
 * - `never`: refused with a cause, for administrators only.
 * - `secret`: as `write`, although it may only read; hidden from the holder of a scope.
 * - `secrets`: an empty list for identities with more rights.
 * - `create`: as `write`; the body names the identity.
 * - `beside`: not found with the right alone, because it names a service, which takes the right to read it; as `read` for auditors.
 */
export type Effect = 'read' | 'write' | 'used' | 'never' | 'secret' | 'secrets' | 'create' | 'beside';

/** An operation on an API: `POST /identities/{id}/disable` of `management`. */
export interface Operation {
  readonly api: keyof typeof PREFIXES;
  readonly method: string;
  readonly path: string;
  readonly who: 'anyone' | 'anySession' | 'session' | 'right';
  /** The right that it takes: `identity.read`, `administrators`. */
  readonly right: string;
  readonly target: Target | undefined;
  readonly effect: Effect;
  readonly isUnscoped: boolean;
  readonly byToken: boolean;
  /** The status without the right. */
  readonly refusal: 401 | 403;
}

/** `POST /edge/management/v1/identities/{id}/disable`. */
export const nameOf = ({ api, method, path }: Pick<Operation, 'api' | 'method' | 'path'>): string => `${method} ${PREFIXES[api]}${path}`;

const ACTIONS: Readonly<Record<string, string>> = { GET: 'read', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' };
const SESSIONS = ['anyone', 'anySession', 'session'] as const;

const effectOf = (method: string, target: Target): Effect =>
  method === 'GET' || OTHERS.some((other) => other === target) ? 'read' : 'write';

const read = (api: Operation['api'], lines: Lines): readonly Operation[] =>
  lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [methods = '', path = '', need = '', ...marks] = line.trim().split(/ +/);
      const collection = /^\/([\w-]+)\/\{/.exec(path)?.[1];
      const isAbout = api === 'management' || api === 'extensions';
      const named = isAbout ? TARGETS.find((target) => target === collection) : undefined;
      return methods.split(',').map((word): Operation => {
        const [method = '', ...effects] = word.split(':');
        const session = SESSIONS.find((each) => each === need);
        const right = session ? (marks.includes('ops') ? 'ops' : 'none') : need;
        const target = effects.includes('create') ? 'identities' : named;
        const effect = effects.find((each) => each !== '403') as Effect | undefined; // as the table is written
        const [holder = ''] = right.split('.');
        if (!['none', 'administrators', 'auditors'].includes(holder) && !PERMISSIONS.includes(holder))
          throw new TypeError(
            `${method} ${path} takes a right to ${holder}, which no identity may hold: add it to ENTITIES here and in src/contract/api/permissions.ts, or write administrators or auditors`,
          );
        return {
          api,
          method,
          path,
          who: session ?? 'right',
          right: /^(administrators|auditors|none|.*\..*)$/.test(right) ? right : `${right}.${ACTIONS[method]}`,
          target,
          effect: effect ?? (target ? effectOf(method, target) : 'read'),
          isUnscoped: marks.includes('unscoped'),
          byToken: api !== 'client' && !marks.includes('no-token') && (!session || marks.includes('token') || marks.includes('ops')),
          refusal: effects.includes('403') ? 403 : 401,
        };
      });
    });

export const operations: readonly Operation[] = [
  ...read('management', ofBothApis),
  ...read('client', ofBothApis),
  ...read('management', ofManagement),
  ...read('client', ofClient),
  ...read('extensions', ofExtensions),
  ...read('fabric', ofFabric),
  ...read('provider', ofProvider),
];

/** Those that allow what takes a right. */
export const allowing = (right: string): readonly string[] =>
  PERMISSIONS.filter((name) => {
    const [needed = '', action] = right.replace('!', '').split('.');
    if (name === 'admin_readonly') return right === 'auditors' || (action === 'read' && !right.endsWith('!'));
    return action !== undefined && (name === needed || name === `${needed}.${action}`);
  });

/**
 * Permissions on these can be scoped, and whether an entity is within a scope is a question for that kind: an enrollment is if its identity
 * is.
 */
export const SCOPED: Readonly<Record<string, readonly Target[]>> = {
  identity: ['identities'],
  enrollment: ['enrollments'],
  service: ['services'],
  router: ['edge-routers'],
  'posture-check': ['posture-checks'],
};
