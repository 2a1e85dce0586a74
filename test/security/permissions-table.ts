/**
 * Which permissions of an identity allow which operation, written by hand from the published table of operations. It must not be made from `src/api`: it is
 * there to notice when a right is changed.
 */
import { type ApiName, rights } from './rights-table.ts';

/**
 * `E.a`: the permissions `E` and `E.a`, and for a right to read also `admin_readonly`. `E.a!`: the same without `admin_readonly`. `administrators`: none.
 * `auditors`: `admin_readonly` alone.
 */
type Needed = string;

const crud: Readonly<Record<string, string>> = {
  '/auth-policies': 'auth-policy',
  '/cas': 'ca',
  '/configs': 'config',
  '/config-types': 'config-type',
  '/edge-router-policies': 'edge-router-policy',
  '/service-edge-router-policies': 'service-edge-router-policy',
  '/service-policies': 'service-policy',
  '/edge-routers': 'router',
  '/routers': 'router',
  '/transit-routers': 'router',
  '/enrollments': 'enrollment',
  '/external-jwt-signers': 'external-jwt-signer',
  '/identities': 'identity',
  '/posture-checks': 'posture-check',
  '/services': 'service',
  '/terminators': 'terminator',
  '/api-sessions': 'ops',
};
const ACTIONS: Readonly<Record<string, string>> = { GET: 'read', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' };

const others: Readonly<Record<string, string>> = {
  administrators: `
    administrators GET    /summary
    administrators POST   /database/snapshot
    administrators POST   /database/check-data-integrity
    administrators POST   /database/fix-data-integrity
    administrators GET    /database/data-integrity-results
    administrators POST   /authenticators
    administrators PUT    /authenticators/{id}
    administrators PATCH  /authenticators/{id}
    administrators DELETE /authenticators/{id}
    administrators POST   /authenticators/{id}/re-enroll
    administrators POST   /authenticators/{id}/request-extend
    administrators POST   /revocations
    auditors       GET    /authenticators
    auditors       GET    /authenticators/{id}
    auditors       GET    /identities/{id}/authenticators
    auditors       GET    /revocations
    auditors       GET    /revocations/{id}
  `,
  'sub-lists need the right to the listed kind': `
    controllers.read                GET    /controllers
    ops.read                        GET    /sessions/{id}/route-path
    ca.read                         GET    /cas/{id}/jwt
    ca.update                       POST   /cas/{id}/verify
    config.read                     GET    /config-types/{id}/configs
    config.read                     GET    /services/{id}/configs
    edge-router-policy.read         GET    /edge-routers/{id}/edge-router-policies
    edge-router-policy.read         GET    /identities/{id}/edge-router-policies
    service-edge-router-policy.read GET    /edge-routers/{id}/service-edge-router-policies
    service-edge-router-policy.read GET    /services/{id}/service-edge-router-policies
    service-policy.read             GET    /identities/{id}/service-policies
    service-policy.read             GET    /services/{id}/service-policies
    router.read                     GET    /edge-router-role-attribute-usage
    router.read                     GET    /edge-router-role-attributes
    router.read                     GET    /edge-router-policies/{id}/edge-routers
    router.read                     GET    /service-edge-router-policies/{id}/edge-routers
    router.read                     GET    /identities/{id}/edge-routers
    router.read                     GET    /services/{id}/edge-routers
    router.update                   POST   /edge-routers/{id}/re-enroll
    enrollment.read                 GET    /identities/{id}/enrollments
    enrollment.update               POST   /enrollments/{id}/refresh
    identity.read                   GET    /identity-role-attribute-usage
    identity.read                   GET    /identity-role-attributes
    identity.read                   GET    /identities/{id}/service-configs
    identity.read                   GET    /identities/{id}/posture-data
    identity.read                   GET    /identities/{id}/failed-service-requests
    identity.read                   GET    /edge-router-policies/{id}/identities
    identity.read                   GET    /edge-routers/{id}/identities
    identity.read                   GET    /service-policies/{id}/identities
    identity.read                   GET    /services/{id}/identities
    identity.update                 POST   /identities/{id}/service-configs
    identity.update                 DELETE /identities/{id}/service-configs
    identity.update                 DELETE /identities/{id}/mfa
    identity.update                 PUT    /identities/{id}/trace
    identity.update                 POST   /identities/{id}/enable
    identity.update                 POST   /identities/{id}/disable
    service.read                    GET    /identities/{id}/policy-advice/{serviceId}
    service.read                    GET    /service-role-attribute-usage
    service.read                    GET    /service-role-attributes
    service.read                    GET    /configs/{id}/services
    service.read                    GET    /edge-routers/{id}/services
    service.read                    GET    /identities/{id}/services
    service.read                    GET    /service-policies/{id}/services
    service.read                    GET    /service-edge-router-policies/{id}/services
    posture-check.read              GET    /posture-check-role-attribute-usage
    posture-check.read              GET    /posture-check-role-attributes
    posture-check.read              GET    /service-policies/{id}/posture-checks
    terminator.read                 GET    /services/{id}/terminators
  `,
};

const fabric = `
  administrators GET    /routers
  administrators GET    /routers/{id}
  administrators GET    /routers/{id}/terminators
  administrators GET    /services
  administrators GET    /services/{id}
  administrators GET    /services/{id}/terminators
  administrators GET    /terminators
  administrators GET    /terminators/{id}
  administrators POST   /terminators
  administrators PUT    /terminators/{id}
  administrators PATCH  /terminators/{id}
  administrators DELETE /terminators/{id}
  administrators GET    /cluster/list-members
  ops.read       GET    /links
  ops.read       GET    /links/{id}
  ops.delete     DELETE /links/{id}
  ops.read       GET    /circuits
  ops.read       GET    /circuits/{id}
  ops.delete     DELETE /circuits/{id}
  ops.read!      POST   /inspections
`;

/** The project's own: as for the kinds that they read. */
const extensions = `
  auditors           GET    /api-tokens
  auditors           GET    /api-tokens/{id}
  administrators     POST   /api-tokens
  administrators     PATCH  /api-tokens/{id}
  administrators     DELETE /api-tokens/{id}
  service.update POST /services/{id}/role-attributes
  service.update DELETE /services/{id}/role-attributes
  identity.update POST /identities/{id}/role-attributes
  identity.update DELETE /identities/{id}/role-attributes
  router.update POST /edge-routers/{id}/role-attributes
  router.update DELETE /edge-routers/{id}/role-attributes
  posture-check.update POST /posture-checks/{id}/role-attributes
  posture-check.update DELETE /posture-checks/{id}/role-attributes
  administrators     POST   /api-tokens/{id}/rotate
  ops.read           GET /health
  auditors           GET /audit
  auditors           GET /audit/export
  auditors           GET /audit/head
  auditors           GET /audit/verify
  auditors           GET /changes
  auditors           GET /changes/follow
  auditors           GET /history/{kind}/{id}
  auditors           GET /history/{kind}/{id}/state
  administrators     POST /history/{kind}/{id}/revert
  administrators     GET /database/snapshot
  identity.read      GET /identities/{identityId}/services/{serviceId}/explain
  identity.read      GET /identities/{identityId}/reach
  identity.read      GET /services/{serviceId}/who-can
  identity.read      GET /access/matrix
  auditors           GET    /policy-tests
  auditors           GET    /policy-tests/{id}
  administrators     POST   /policy-tests
  administrators     PUT    /policy-tests/{id}
  administrators     PATCH  /policy-tests/{id}
  administrators     DELETE /policy-tests/{id}
  identity.read      POST /access/preview
  auditors           GET /access/compare
  service-policy.read GET /posture-checks/{id}/service-policies
  auditors           GET  /state
  auditors           POST /state/plan
  auditors           POST /state/apply
`;

const linesOf = (api: ApiName, lines: string): readonly (readonly [string, Needed])[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/))
    .map(([needed = '', method, path]) => [`${api} ${method} ${path}`, needed]);

const byHand: ReadonlyMap<string, Needed> = new Map([
  ...Object.values(others).flatMap((lines) => linesOf('management', lines)),
  ...linesOf('fabric', fabric),
  ...linesOf('extensions', extensions),
]);

const neededFor = ({
  api,
  method,
  path,
}: {
  readonly api: ApiName;
  readonly method: string;
  readonly path: string;
}): Needed | undefined => {
  const entity = api === 'management' ? crud[path.replace(/\/\{id\}$/, '')] : undefined;
  return byHand.get(`${api} ${method} ${path}`) ?? (entity === undefined ? undefined : `${entity}.${ACTIONS[method]}`);
};

/** Whether a permission allows what needs this. */
export const allows = (permission: string, needed: Needed): boolean => {
  if (needed === 'auditors') return permission === 'admin_readonly';
  const [right = '', isStrict] = needed.endsWith('!') ? [needed.slice(0, -1), true] : [needed];
  const [entity, action] = right.split('.');
  if (permission === 'admin_readonly') return action === 'read' && !isStrict;
  return permission === entity || permission === right;
};

/** The operations that take a right, and what they need. */
export const needed = rights
  .filter(({ right }) => right === 'administrator')
  .map((operation) => ({ ...operation, needs: neededFor(operation) }));

/** Every name, as published. */
export const names: readonly string[] = [
  'admin_readonly',
  ...[...new Set(Object.values(crud))]
    .filter((entity) => entity !== 'ops')
    .flatMap((entity) => [entity, ...['read', 'create', 'update', 'delete'].map((action) => `${entity}.${action}`)]),
  ...['ops', 'ops.read', 'ops.update', 'ops.delete', 'controllers', 'controllers.read'],
];
