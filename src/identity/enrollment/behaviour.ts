import { behaviour } from '../../call/behaviour.ts';
import type { Call } from '../../call/call.ts';
import { selfLink } from '../../call/resources/links.ts';
import { newRow } from '../../call/resources/merge.ts';
import { neededBy } from '../../contract/api/enrollment-methods.ts';
import { authenticator, enrollment } from '../../contract/api/kinds.ts';
import type { CreateBody, RowOf } from '../../contract/api/kit/index.ts';
import { ApiError, invalidField } from '../../contract/errors/index.ts';
import { and, equals, stringField } from '../../query/index.ts';
import { MINUTE } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { requireFirstOfMethod } from '../authenticators/behaviour.ts';
import type { StoredAuthenticator } from '../authenticators/method.ts';
import { checkUsername } from '../authenticators/usernames.ts';
import { newToken, tokensOf } from './token.ts';

type Row = RowOf<typeof enrollment>;
type Body = CreateBody<(typeof enrollment)['fields']>;

export const enrollmentBehaviour = behaviour(enrollment, {
  prepare: async (call, _verb, body) => {
    const { identityId, method, expiresAt, caId, username } = body as Body; // decoded by the kind's own schema
    requireFuture(expiresAt, call);
    const needed = neededBy(method);
    if (needed && !body[needed]) throw unresolved(needed, `${needed} is needed for method ${method}`, '');
    if (needed === 'username') checkUsername(username ?? '');
    return {
      // Fields of other methods are ignored.
      caId: (needed === 'caId' && caId) || null,
      username: (needed === 'username' && username) || null,
      ...(await newToken(call, { sub: identityId, method, expiresAt })),
    };
  },
  check: async (entities, after) => {
    await requireNoOther(entities, after);
    return undefined;
  },
  present: (_entities, rows, call) => tokensOf(call, rows),
});

/** The identity or router that an enrollment is for. */
export type Enrollee = { readonly identityId: string } | { readonly edgeRouterId: string } | { readonly transitRouterId: string };

const ENROLLEES = ['identityId', 'edgeRouterId', 'transitRouterId'] as const;

/** The field of an enrollment that identifies its enrollee, and the enrollee's id. */
export const enrolleeOf = (row: Partial<Pick<Row, (typeof ENROLLEES)[number]>>): readonly [field: string, id: string] => {
  const field = ENROLLEES.find((name) => row[name]) ?? 'identityId';
  return [field, row[field] ?? ''];
};

/**
 * Adds an enrollment that an administrator did not create directly.
 * @param given `expiresAt` defaults to the end of the configured lifetime
 */
export const addEnrollment = async (
  entities: Entities,
  call: Call,
  given: Enrollee & Pick<Row, 'method'> & Partial<Pick<Row, 'expiresAt' | 'caId' | 'username'>>,
): Promise<Row> => {
  await requireNoOther(entities, given);
  const [, sub] = enrolleeOf(given);
  const { method, expiresAt = defaultExpiry(call) } = given;
  return entities.insert(
    enrollment,
    newRow(enrollment, {}, { ...given, expiresAt, ...(await newToken(call, { sub, method, expiresAt })) }),
  );
};

const defaultExpiry = (call: Call): string =>
  new Date(Date.parse(call.now()) + call.core.settings.enrollmentMinutes * MINUTE).toISOString();

/**
 * Ensures that an identity or a router has only one enrollment of each method, expired or not.
 * @throws ApiError `ENROLLMENT_EXISTS`
 */
const requireNoOther = async (entities: Entities, row: Partial<Row> & Pick<Row, 'method'>): Promise<void> => {
  const [field, id] = enrolleeOf(row);
  const same = and(equals(stringField(field), id), equals(stringField('method'), row.method));
  if ((await entities.count(enrollment, same)) > 0) throw new ApiError('ENROLLMENT_EXISTS');
};

/**
 * Requires an expiry in the future.
 * @throws ApiError `COULD_NOT_VALIDATE`
 */
export const requireLater = (expiresAt: string, call: Call): void => {
  if (expiresAt <= call.now()) throw invalidField('expiresAt', 'expiresAt must be in the future', expiresAt);
};

export const enrollmentLink = (id: string) => ({ _links: selfLink(enrollment, id), id });

/** Like `requireLater`, with the error that the creation of an enrollment has. */
const requireFuture = (expiresAt: string, call: Call): void => {
  if (expiresAt <= call.now()) throw unresolved('expiresAt', 'the end of an enrollment must be in the future', expiresAt);
};

const unresolved = (field: string, reason: string, value: string): ApiError =>
  new ApiError('REFERENCED_ENTITY_NOT_FOUND', { cause: { field, reason, value } });

/**
 * Creates the authenticator that results from an enrollment.
 * @throws ApiError `MAX_AUTHENTICATOR_METHODS_REACHED`; `COULD_NOT_VALIDATE` with the field if the username or certificate is already in
 * use
 */
export const addAuthenticator = async (
  entities: Entities,
  enrollee: Parameters<typeof enrolleeOf>[0],
  method: StoredAuthenticator['method'],
  given: Partial<StoredAuthenticator>,
  computed: Partial<StoredAuthenticator>,
): Promise<void> => {
  const [, identityId] = enrolleeOf(enrollee);
  await requireFirstOfMethod(entities, { identityId, method });
  await entities.insert(authenticator, newRow(authenticator, { identityId, method, ...given }, computed));
};
