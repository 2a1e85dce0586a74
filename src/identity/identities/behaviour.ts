import { attributeEnds, countEnds } from '../../access/expiry/end-counts.ts';
import { reconcileGrants } from '../../access/expiry/identity-grants.ts';
import { gainsRights, isPrivileged } from '../../call/actor.ts';
import { isDisabled } from '../../call/authentication/actors.ts';
import { LISTED, liveSessions } from '../../call/authentication/lifetime.ts';
import { endVouchedFor } from '../../call/authentication/vouching.ts';
import { behaviour } from '../../call/behaviour.ts';
import type { Call } from '../../call/call.ts';
import { apiSession, authenticator, authPolicy, enrollment, identity, mfa, session } from '../../contract/api/kinds.ts';
import type { CreateBody, RowOf } from '../../contract/api/kit/index.ts';
import { ApiError, administratorsOnly, invalidField } from '../../contract/errors/index.ts';
import { and, booleanField, equals, oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { listing, referencing } from '../../store/entities/reads.ts';
import { authenticatorMethods } from '../authenticators/methods.ts';
import { assertAdministrable, requireAdministratorLogin } from './administration.ts';
import { enrollNew, outstandingByIdentity } from './enrollments.ts';

/** Marks the API sessions of an identity that have sessions as known to routers: routers have received their tokens. */
const markKnownToRouters = async (entities: Entities, identityId: string): Promise<void> => {
  const sessions = await entities.list(session, { where: equals(stringField('identityId'), identityId) });
  const ids = [...new Set(sessions.map(({ apiSessionId }) => apiSessionId))];
  if (ids.length === 0) return;
  for (const row of await entities.list(apiSession, { where: oneOf(stringField('id'), ids) }))
    await entities.update(apiSession, row, { isKnownToRouters: true });
};

type Identity = RowOf<typeof identity>;

/** The fields that determine the time-dependent state of an identity. */
type TimeDependent = Pick<Identity, 'id' | 'disabledAt' | 'disabledUntil'>;

export const identityBehaviour = behaviour(identity, {
  prepare: async (call, verb, body, id) => {
    if (call.grant.permissions && verb === 'replace')
      throw administratorsOnly('only administrators may replace an identity: use PATCH to change fields');
    // Identities of type Router exist only as companions of edge routers, which create them. The type of an identity never changes.
    if (verb === 'replace' && body.type === 'Router' && !(await mayBeRouter(call, id)))
      throw invalidField('typeId', 'may not change the type of an identity to Router', body.type);
    return {};
  },
  check: async (entities, after, before, call) => {
    if (before?.typeId === 'Router' && after.name !== before.name)
      throw invalidField('name', 'may not change name of router identities', after.name);
    const hasGrants = Boolean(after.roleAttributeGrants ?? before?.roleAttributeGrants);
    const granted = hasGrants ? reconcileGrants(after, before, call.now()) : undefined;
    if (!before?.isDefaultAdmin) return granted;
    if (!after.isAdmin) throw invalidField('isAdmin', 'the default administrator cannot be demoted', false);
    if (after.authPolicyId !== before.authPolicyId)
      await requireAdministratorLogin(entities, before.id, await entities.require(authPolicy, after.authPolicyId), 'authPolicyId');
    return granted;
  },
  write: async (entities, after, before, call, body) => {
    if (after.roleAttributeGrants) await countEnds(entities, call, 'roleAttributeGrants', attributeEnds(after), attributeEnds(before));
    if (!before)
      await enrollNew(entities, after, body.enrollment as EnrollmentRequest, call); // decoded by the kind's own schema
    else if (after.authPolicyId !== before.authPolicyId) await assertAdministrable(entities, call, 'authPolicyId', after.authPolicyId);
    if (!before || !gainsRights(before, after)) return;
    await endVouchedFor(entities, call, after.id);
    if (!isPrivileged(before)) await markKnownToRouters(entities, after.id);
  },
  guard: async (_entities, row) => {
    if (row.typeId === 'Router')
      throw new ApiError('ENTITY_CAN_NOT_BE_DELETED', {
        cause: {
          code: 'ENTITY_CAN_NOT_BE_DELETED',
          message: 'the identity belongs to an edge router: disable the tunneler of the router to delete it',
        },
      });
    if (row.isDefaultAdmin)
      throw new ApiError('ENTITY_CAN_NOT_BE_DELETED', {
        cause: { code: 'ENTITY_CAN_NOT_BE_DELETED', message: 'the default administrator cannot be deleted' },
      });
  },
  present: async (entities, rows, call) => {
    const ids = rows.map((row) => row.id);
    const ofPage = { where: oneOf(stringField('identityId'), ids) };
    const [authenticators, enrollments, withMfa] = await entities.readAll([
      listing(authenticator, ofPage),
      listing(enrollment, ofPage),
      referencing(mfa, 'identityId', ids, equals(booleanField('isVerified'), true)),
      // Prefetched here for `presentNow`.
      referencing(apiSession, 'identityId', othersAmong(rows, call), LISTED),
    ]);
    const outstanding = await outstandingByIdentity(entities, enrollments, call);
    const byIdentity = Map.groupBy(authenticators, (row) => row.identityId);
    const enrolled = new Set(withMfa);
    return rows.map((row) => ({
      authenticators: summaries(byIdentity.get(row.id) ?? []),
      enrollment: outstanding.get(row.id) ?? {},
      isMfaEnabled: enrolled.has(row.id),
      interfaces: null,
      // `presentNow` adds these, because they depend on the time.
      disabledAt: undefined,
      disabledUntil: undefined,
    }));
  },
  presentNow: {
    of: ['disabledAt', 'disabledUntil'],
    present: async (entities, rows: readonly TimeDependent[], call) => {
      const now = call.now();
      const loggedInIds = await loggedIn(entities, rows, call);
      return rows.map((row) => {
        const status = call.core.presence.statusOf(row.id);
        return {
          disabled: isDisabled(row, now),
          // Shown only until the disabling expires.
          ...(isDisabled(row, now) ? { disabledAt: row.disabledAt, disabledUntil: row.disabledUntil ?? undefined } : {}),
          hasApiSession: loggedInIds.has(row.id),
          hasEdgeRouterConnection: status === 'online',
          edgeRouterConnectionStatus: status,
        };
      });
    },
  },
});

/** The ids of identities with an active session. The caller's own session is active; others are queried, if any are stored. */
const loggedIn = async (entities: Entities, rows: readonly TimeDependent[], call: Call): Promise<ReadonlySet<string>> => {
  const stored = await entities.referenced(apiSession, 'identityId', othersAmong(rows, call), LISTED);
  const live = () => and(LISTED, liveSessions(call.core.settings, call.now()));
  const ids = new Set(stored.length === 0 ? stored : await entities.referenced(apiSession, 'identityId', stored, live()));
  const own = callerIdOf(call);
  return own === undefined ? ids : ids.add(own);
};

/** The id of the caller's identity, if its session appears in lists. */
const callerIdOf = ({ actor }: Call): string | undefined =>
  actor.kind === 'session' && !actor.session.isBearer ? actor.identity.id : undefined;

const othersAmong = (rows: readonly TimeDependent[], call: Call): readonly string[] => {
  const own = callerIdOf(call);
  return rows.flatMap(({ id }) => (id === own ? [] : [id]));
};

/** True if the identity is the companion of a router, or does not exist, which is detected later. */
const mayBeRouter = async (call: Call, id = ''): Promise<boolean> => {
  const row = await call.read((entities) => entities.get(identity, id));
  return row === undefined || row.typeId === 'Router';
};

type EnrollmentRequest = CreateBody<(typeof identity)['fields']>['enrollment'];

const summaries = (rows: readonly RowOf<typeof authenticator>[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(rows.map((row) => [row.method, authenticatorMethods[row.method].summary(row)]));

/** Fields of an enabled identity. */
export const enabled: Pick<Identity, 'disabledAt' | 'disabledUntil'> = { disabledAt: null, disabledUntil: null };
