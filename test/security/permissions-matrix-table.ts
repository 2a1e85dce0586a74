/**
 * What a delegate that has the right to an operation may do to whom, written by hand from the contract (1.3 and 1.4). It must not be made from `src/`: it is
 * there to notice when a protection is lost, and when an operation is added that nobody has thought about.
 */
import type { ApiName } from './rights-table.ts';

/** What `{id}` names. Everything but services, routers and posture checks belongs to an identity, or is what one logs in by. */
export type Target =
  | 'identity'
  | 'enrollment'
  | 'apiSession'
  | 'session'
  | 'authenticator'
  | 'apiToken'
  | 'authPolicy'
  | 'signer'
  | 'ca'
  | 'service'
  | 'router'
  | 'postureCheck';

/**
 * - `read`: allowed for all identities, those with more rights included.
 * - `write`: refused with a cause for identities with more rights, and for what belongs to them.
 * - `used`: as `write`, but an entity in use may be refused with 409 instead.
 * - `never`: refused with a cause, for administrators only.
 * - `secret`: as `write`, although it may only read; hidden from the holder of a scope.
 * - `secrets`: an empty list for identities with more rights.
 * - `create`: as `write`; the body names the identity.
 * - `beside`: not found with the right alone, because it names a service, which takes the right to read it; as `read` for auditors.
 * - `open`: is about no single entity.
 */
export type Effect = 'read' | 'write' | 'used' | 'never' | 'secret' | 'secrets' | 'create' | 'beside' | 'open';

export interface Row {
  readonly api: ApiName;
  readonly method: string;
  readonly path: string;
  readonly target?: Target | undefined;
  readonly effect: Effect;
  /** A permission with a scope is not enough. */
  readonly isUnscoped: boolean;
}

const ofManagement = `
  identity read           GET    /identities/{id}
  identity never          PUT    /identities/{id}
  identity write          PATCH  /identities/{id}
  identity write          DELETE /identities/{id}
  identity write          POST   /identities/{id}/disable
  identity write          POST   /identities/{id}/enable
  identity write          DELETE /identities/{id}/mfa
  identity write          PUT    /identities/{id}/trace
  identity write          POST   /identities/{id}/service-configs
  identity write          DELETE /identities/{id}/service-configs
  identity read           GET    /identities/{id}/service-configs
  identity read           GET    /identities/{id}/posture-data
  identity read           GET    /identities/{id}/failed-service-requests
  identity read           GET    /identities/{id}/authenticators
  identity read           GET    /identities/{id}/edge-router-policies
  identity read           GET    /identities/{id}/edge-routers
  identity read           GET    /identities/{id}/service-policies
  identity read           GET    /identities/{id}/services
  identity secrets        GET    /identities/{id}/enrollments
  identity read unscoped  GET    /identities/{id}/policy-advice/{serviceId}
  identity create         POST   /enrollments
  enrollment secret       GET    /enrollments/{id}
  enrollment secret       DELETE /enrollments/{id}
  enrollment secret       POST   /enrollments/{id}/refresh
  apiSession read         GET    /api-sessions/{id}
  apiSession write        DELETE /api-sessions/{id}
  session read            GET    /sessions/{id}
  session write           DELETE /sessions/{id}
  session read            GET    /sessions/{id}/route-path
  authenticator read      GET    /authenticators/{id}
  authenticator write     PUT    /authenticators/{id}
  authenticator write     PATCH  /authenticators/{id}
  authenticator write     DELETE /authenticators/{id}
  authenticator write     POST   /authenticators/{id}/re-enroll
  authenticator write     POST   /authenticators/{id}/request-extend
  authPolicy read         GET    /auth-policies/{id}
  authPolicy write        PUT    /auth-policies/{id}
  authPolicy write        PATCH  /auth-policies/{id}
  authPolicy used         DELETE /auth-policies/{id}
  signer read             GET    /external-jwt-signers/{id}
  signer write            PUT    /external-jwt-signers/{id}
  signer write            PATCH  /external-jwt-signers/{id}
  signer used             DELETE /external-jwt-signers/{id}
  ca read                 GET    /cas/{id}
  ca read                 GET    /cas/{id}/jwt
  ca write                PUT    /cas/{id}
  ca write                PATCH  /cas/{id}
  ca write                DELETE /cas/{id}
  ca read                 POST   /cas/{id}/verify
  service read            GET    /services/{id}
  service read            PUT    /services/{id}
  service read            PATCH  /services/{id}
  service read            DELETE /services/{id}
  service read            GET    /services/{id}/configs
  service read            GET    /services/{id}/edge-routers
  service read            GET    /services/{id}/identities
  service read            GET    /services/{id}/service-edge-router-policies
  service read            GET    /services/{id}/service-policies
  service read            GET    /services/{id}/terminators
  router read             GET    /edge-routers/{id}
  router read             PUT    /edge-routers/{id}
  router read             PATCH  /edge-routers/{id}
  router read             DELETE /edge-routers/{id}
  router read             GET    /edge-routers/{id}/edge-router-policies
  router read             GET    /edge-routers/{id}/identities
  router read             GET    /edge-routers/{id}/service-edge-router-policies
  router read             GET    /edge-routers/{id}/services
  router read             POST   /edge-routers/{id}/re-enroll
  postureCheck read       GET    /posture-checks/{id}
  postureCheck read       PUT    /posture-checks/{id}
  postureCheck read       PATCH  /posture-checks/{id}
  postureCheck read       DELETE /posture-checks/{id}
  - open                  GET    /identities
  - open                  POST   /identities
  - open                  GET    /enrollments
  - open                  GET    /services
  - open                  POST   /services
  - open                  GET    /edge-routers
  - open                  POST   /edge-routers
  - open                  GET    /posture-checks
  - open                  POST   /posture-checks
  - open                  GET    /configs/{id}/services
  - open                  GET    /edge-router-policies/{id}/edge-routers
  - open                  GET    /edge-router-policies/{id}/identities
  - open                  GET    /service-edge-router-policies/{id}/edge-routers
  - open                  GET    /service-edge-router-policies/{id}/services
  - open                  GET    /service-policies/{id}/identities
  - open                  GET    /service-policies/{id}/posture-checks
  - open                  GET    /service-policies/{id}/services
  - open                  GET    /controllers
  - open unscoped         GET    /identity-role-attributes
  - open unscoped         GET    /identity-role-attribute-usage
  - open unscoped         GET    /edge-router-role-attributes
  - open unscoped         GET    /edge-router-role-attribute-usage
  - open unscoped         GET    /service-role-attributes
  - open unscoped         GET    /service-role-attribute-usage
  - open unscoped         GET    /posture-check-role-attributes
  - open unscoped         GET    /posture-check-role-attribute-usage
  - open unscoped         GET    /routers
  - open unscoped         POST   /routers
  - open unscoped         GET    /routers/{id}
  - open unscoped         PUT    /routers/{id}
  - open unscoped         PATCH  /routers/{id}
  - open unscoped         DELETE /routers/{id}
  - open unscoped         GET    /transit-routers
  - open unscoped         POST   /transit-routers
  - open unscoped         GET    /transit-routers/{id}
  - open unscoped         PUT    /transit-routers/{id}
  - open unscoped         PATCH  /transit-routers/{id}
  - open unscoped         DELETE /transit-routers/{id}
  - open                  GET    /api-sessions
  - open                  GET    /auth-policies
  - open                  POST   /auth-policies
  - open                  GET    /authenticators
  - open                  POST   /authenticators
  - open                  GET    /external-jwt-signers
  - open                  POST   /external-jwt-signers
  - open                  GET    /cas
  - open                  POST   /cas
  - open                  GET    /revocations
  - open                  GET    /revocations/{id}
  - open                  POST   /revocations
  - open                  GET    /summary
  - open                  POST   /database/snapshot
  - open                  POST   /database/check-data-integrity
  - open                  POST   /database/fix-data-integrity
  - open                  GET    /database/data-integrity-results
  - open                  GET    /config-types
  - open                  POST   /config-types
  - open                  GET    /config-types/{id}
  - open                  PUT    /config-types/{id}
  - open                  PATCH  /config-types/{id}
  - open                  DELETE /config-types/{id}
  - open                  GET    /config-types/{id}/configs
  - open                  GET    /configs
  - open                  POST   /configs
  - open                  GET    /configs/{id}
  - open                  PUT    /configs/{id}
  - open                  PATCH  /configs/{id}
  - open                  DELETE /configs/{id}
  - open                  GET    /edge-router-policies
  - open                  POST   /edge-router-policies
  - open                  GET    /edge-router-policies/{id}
  - open                  PUT    /edge-router-policies/{id}
  - open                  PATCH  /edge-router-policies/{id}
  - open                  DELETE /edge-router-policies/{id}
  - open                  GET    /service-edge-router-policies
  - open                  POST   /service-edge-router-policies
  - open                  GET    /service-edge-router-policies/{id}
  - open                  PUT    /service-edge-router-policies/{id}
  - open                  PATCH  /service-edge-router-policies/{id}
  - open                  DELETE /service-edge-router-policies/{id}
  - open                  GET    /service-policies
  - open                  POST   /service-policies
  - open                  GET    /service-policies/{id}
  - open                  PUT    /service-policies/{id}
  - open                  PATCH  /service-policies/{id}
  - open                  DELETE /service-policies/{id}
  - open                  GET    /terminators
  - open                  POST   /terminators
  - open                  GET    /terminators/{id}
  - open                  PUT    /terminators/{id}
  - open                  PATCH  /terminators/{id}
  - open                  DELETE /terminators/{id}
`;

const ofExtensions = `
  apiToken secret         GET    /api-tokens/{id}
  apiToken write          PATCH  /api-tokens/{id}
  apiToken write          DELETE /api-tokens/{id}
  apiToken write          POST   /api-tokens/{id}/rotate
  - open                  GET    /api-tokens
  - open                  POST   /api-tokens
  service read            POST   /services/{id}/role-attributes
  service read            DELETE /services/{id}/role-attributes
  router read             POST   /edge-routers/{id}/role-attributes
  router read             DELETE /edge-routers/{id}/role-attributes
  postureCheck read       POST   /posture-checks/{id}/role-attributes
  postureCheck read       DELETE /posture-checks/{id}/role-attributes
  identity write          POST   /identities/{id}/role-attributes
  identity write          DELETE /identities/{id}/role-attributes
  identity beside unscoped GET   /identities/{identityId}/services/{serviceId}/explain
  - open                  GET    /health
  - open                  GET    /audit
  - open                  GET    /audit/export
  - open                  GET    /audit/head
  - open                  GET    /audit/verify
  identity read unscoped  GET    /identities/{identityId}/reach
  service beside unscoped GET    /services/{serviceId}/who-can
  - open unscoped         GET    /access/matrix
  - open                  GET    /policy-tests
  - open                  POST   /policy-tests
  - open                  GET    /policy-tests/{id}
  - open                  PUT    /policy-tests/{id}
  - open                  PATCH  /policy-tests/{id}
  - open                  DELETE /policy-tests/{id}
  - open unscoped         POST   /access/preview
  - open                  GET    /access/compare
  - open                  GET    /changes
  - open                  GET    /changes/follow
  - open                  GET    /history/{kind}/{id}
  - open                  GET    /history/{kind}/{id}/state
  - open                  POST   /history/{kind}/{id}/revert
  - open                  GET    /database/snapshot
  postureCheck read       GET    /posture-checks/{id}/service-policies
  - open                  GET    /state
  - open                  POST   /state/plan
  - open                  POST   /state/apply
`;

const ofFabric = `
  - open                  GET    /routers
  - open                  GET    /routers/{id}
  - open                  GET    /routers/{id}/terminators
  - open                  GET    /services
  - open                  GET    /services/{id}
  - open                  GET    /services/{id}/terminators
  - open                  GET    /terminators
  - open                  GET    /terminators/{id}
  - open                  POST   /terminators
  - open                  PUT    /terminators/{id}
  - open                  PATCH  /terminators/{id}
  - open                  DELETE /terminators/{id}
  - open                  GET    /cluster/list-members
  - open                  GET    /links
  - open                  GET    /links/{id}
  - open                  DELETE /links/{id}
  - open                  GET    /circuits
  - open                  GET    /circuits/{id}
  - open                  DELETE /circuits/{id}
  - open                  POST   /inspections
`;

const rowsOf = (api: ApiName, lines: string): readonly Row[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const words = line.trim().split(/ +/);
      const [path = '', method = ''] = [words.pop(), words.pop()];
      const [target, effect, unscoped] = words;
      // The table is written above.
      return {
        api,
        method,
        path,
        target: target === '-' ? undefined : (target as Target),
        effect: effect as Effect,
        isUnscoped: unscoped !== undefined,
      };
    });

export const matrix: readonly Row[] = [
  ...rowsOf('management', ofManagement),
  ...rowsOf('extensions', ofExtensions),
  ...rowsOf('fabric', ofFabric),
];

/** The entities of permissions that can be scoped. */
export const SCOPED = ['enrollment', 'identity', 'posture-check', 'router', 'service'];

/** The entities whose scope decides about a target: that of an identity's enrollments is a scope on the identity, too. */
export const scopesOn: Readonly<Record<Target, readonly string[]>> = {
  identity: ['identity'],
  enrollment: ['enrollment'],
  service: ['service'],
  router: ['router'],
  postureCheck: ['posture-check'],
  apiSession: [],
  session: [],
  authenticator: [],
  apiToken: [],
  authPolicy: [],
  signer: [],
  ca: [],
};
