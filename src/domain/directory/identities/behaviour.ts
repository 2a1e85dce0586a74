import { apiSession } from '../../../api/api-sessions.ts';
import { authPolicy } from '../../../api/auth-policies.ts';
import { authenticator } from '../../../api/authenticators.ts';
import { enrollment } from '../../../api/enrollments.ts';
import { identity } from '../../../api/identities.ts';
import type { CreateBody, RowOf } from '../../../api/kit/resource.ts';
import { mfa } from '../../../api/mfa.ts';
import { isDisabled } from '../../../authentication/actors.ts';
import { LISTED, liveSessions } from '../../../authentication/lifetime.ts';
import { behaviour } from '../../../call/behaviour.ts';
import type { Call } from '../../../call/call.ts';
import { listing, referencing } from '../../../changes/reads.ts';
import { ApiError, invalidField } from '../../../errors/index.ts';
import { and, booleanField, equals, oneOf, stringField } from '../../../query/index.ts';
import { authenticatorMethods } from '../authenticators/methods.ts';
import { keepAdministration } from './administration.ts';
import { requireAdministratorLogin } from './administrator-login.ts';
import { enrollNew, outstandingByIdentity } from './enrollments.ts';

type Identity = RowOf<typeof identity>;

export const identityBehaviour = behaviour(identity, {
  prepare: async (call, verb, body, id) => {
    // Identities of type Router exist only as companions of edge routers, and only a router makes one: no type ever changes.
    if (verb === 'replace' && body.type === 'Router' && !(await mayBeRouter(call, id)))
      throw invalidField('typeId', 'may not change the type of an identity to Router', body.type);
    return {};
  },
  check: async (entities, after, before) => {
    if (before?.typeId === 'Router' && after.name !== before.name)
      throw invalidField('name', 'may not change name of router identities', after.name);
    if (!before?.isDefaultAdmin) return undefined;
    if (!after.isAdmin) throw invalidField('isAdmin', 'the default administrator cannot be demoted', false);
    if (after.authPolicyId !== before.authPolicyId)
      await requireAdministratorLogin(entities, before.id, await entities.require(authPolicy, after.authPolicyId), 'authPolicyId');
    return undefined;
  },
  write: async (entities, after, before, call, body) => {
    if (!before)
      await enrollNew(entities, after, body.enrollment as EnrollmentRequest, call); // decoded by the kind's own schema
    else if (after.authPolicyId !== before.authPolicyId) await keepAdministration(entities, call, 'authPolicyId', after.authPolicyId);
  },
  guard: async (_entities, row) => {
    if (row.typeId === 'Router')
      throw new ApiError('ENTITY_CAN_NOT_BE_DELETED', {
        cause: { code: 'ENTITY_CAN_NOT_BE_DELETED', message: 'the identity of an edge router goes with its tunneler' },
      });
    if (row.isDefaultAdmin)
      throw new ApiError('ENTITY_CAN_NOT_BE_DELETED', {
        cause: { code: 'ENTITY_CAN_NOT_BE_DELETED', message: 'the default administrator cannot be deleted' },
      });
  },
  present: async (entities, rows, call) => {
    const ids = rows.map((row) => row.id);
    const now = call.now();
    const live = and(LISTED, liveSessions(call.core.settings, now));
    const ofThese = { where: oneOf(stringField('identityId'), ids) };
    const [authenticators, enrollments, withSession, withMfa] = await entities.readAll([
      listing(authenticator, ofThese),
      listing(enrollment, ofThese),
      referencing(apiSession, 'identityId', ids, live),
      referencing(mfa, 'identityId', ids, equals(booleanField('isVerified'), true)),
    ]);
    const outstanding = await outstandingByIdentity(entities, enrollments, call);
    const byIdentity = Map.groupBy(authenticators, (row) => row.identityId);
    const logged = new Set(withSession);
    const enrolled = new Set(withMfa);
    const { presence } = call.core;
    const statuses = rows.map(({ id }) => presence.statusOf(id));
    return rows.map((row, i) => ({
      disabled: isDisabled(row, now),
      // A disabling that is over by itself leaves nothing to be seen.
      ...(isDisabled(row, now) ? {} : NOT_DISABLED),
      authenticators: summaries(byIdentity.get(row.id) ?? []),
      enrollment: outstanding.get(row.id) ?? {},
      hasApiSession: logged.has(row.id),
      hasEdgeRouterConnection: statuses[i] === 'online',
      edgeRouterConnectionStatus: statuses[i],
      isMfaEnabled: enrolled.has(row.id),
      interfaces: null,
    }));
  },
});

const NOT_DISABLED = { disabledAt: undefined, disabledUntil: undefined };

/** Whether an identity is the companion of a router; one that is not there is found missing later. */
const mayBeRouter = async (call: Call, id = ''): Promise<boolean> => {
  const row = await call.read((entities) => entities.get(identity, id));
  return row === undefined || row.typeId === 'Router';
};

type EnrollmentRequest = CreateBody<(typeof identity)['fields']>['enrollment'];

const summaries = (rows: readonly RowOf<typeof authenticator>[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(rows.map((row) => [row.method, authenticatorMethods[row.method].summary(row)]));

/** Fields of an enabled identity. */
export const enabled: Pick<Identity, 'disabledAt' | 'disabledUntil'> = { disabledAt: null, disabledUntil: null };
