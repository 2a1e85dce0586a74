import { ca } from '../../../api/cas.ts';
import { enrollment } from '../../../api/enrollments.ts';
import type { identity } from '../../../api/identities.ts';
import type { CreateBody, RowOf } from '../../../api/kit/resource.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../changes/entities.ts';
import { notFoundField } from '../../../errors/index.ts';
import { oneOf, text } from '../../../query/index.ts';
import { presentRows } from '../../../resources/present.ts';
import type { Row } from '../../../storage/port.ts';
import { checkUsername } from '../authenticators/usernames.ts';
import { addEnrollment } from '../enrollment/behaviour.ts';

type Identity = RowOf<typeof identity>;
type Request = CreateBody<(typeof identity)['fields']>['enrollment'];

/** The enrollment that a new identity is created with: the first of ott, ottca and updb that is asked for. @throws ApiError `NOT_FOUND` for an unknown authority */
export const enrollNew = async (entities: Entities, { id }: Identity, request: Request, call: Call): Promise<void> => {
  const asked = askedFor(request);
  if (!asked) return;
  if (asked.caId !== undefined && !(await entities.get(ca, asked.caId))) throw notFoundField('caId', 'ca', asked.caId);
  if (asked.username !== undefined) checkUsername(asked.username, 'enrollment.updb');
  await addEnrollment(entities, call, { identityId: id, ...asked });
};

const askedFor = (
  request: Request,
): { readonly method: 'ott' | 'ottca' | 'updb'; readonly caId?: string; readonly username?: string } | undefined => {
  if (request?.ott) return { method: 'ott' };
  if (request?.ottca) return { method: 'ottca', caId: request.ottca };
  return request?.updb ? { method: 'updb', username: request.updb } : undefined;
};

/** What the identities of a page may still enroll by, by method, as their details show it. */
export const outstandingOf = async (
  entities: Entities,
  ids: readonly string[],
  call: Call,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> => {
  const rows = await entities.list(enrollment, { where: oneOf(text('identityId'), ids) });
  // A kind and rows like any other.
  const details = await presentRows(entities, enrollment as never, rows as unknown as readonly Row[], call);
  const byIdentity = new Map<string, Record<string, unknown>>();
  rows.forEach(({ id, identityId, method, expiresAt }, i) => {
    const { token, jwt, ca, caId } = details[i] ?? {};
    const own = byIdentity.get(identityId ?? '') ?? {};
    byIdentity.set(identityId ?? '', own);
    own[method] = { id, token, jwt, expiresAt, ...(method === 'ottca' ? { ca, caId } : {}) };
  });
  return byIdentity;
};
