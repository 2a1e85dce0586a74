import type { Call } from '../../call/call.ts';
import { presentRows } from '../../call/resources/present.ts';
import { type IdentityMethodName, neededBy, outstandingFieldsOf, requestableMethod } from '../../contract/api/enrollment-methods.ts';
import { ca, enrollment, type identity } from '../../contract/api/kinds.ts';
import type { CreateBody, RowOf } from '../../contract/api/kit/index.ts';
import { notFoundField } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { checkUsername } from '../authenticators/usernames.ts';
import { addEnrollment } from '../enrollment/behaviour.ts';

type Identity = RowOf<typeof identity>;
type Request = CreateBody<(typeof identity)['fields']>['enrollment'];

/**
 * Adds the enrollment of a new identity, with the first requested method.
 * @throws ApiError `NOT_FOUND` for an unknown CA
 */
export const enrollNew = async (entities: Entities, { id }: Identity, request: Request, call: Call): Promise<void> => {
  const method = requestableMethod.options.find((name) => request?.[name]);
  if (!method) return;
  const needed = neededBy(method);
  const value = needed && String(request?.[method]); // a string if a field is needed
  if (needed === 'caId' && !(await entities.get(ca, value ?? ''))) throw notFoundField('caId', 'ca', value ?? '');
  if (needed === 'username') checkUsername(value ?? '', `enrollment.${method}`);
  await addEnrollment(entities, call, { identityId: id, method, ...(needed ? { [needed]: value } : {}) });
};

/** Outstanding enrollments of a page of identities, by identity and method, as shown in the details of an identity. */
export const outstandingByIdentity = async (
  entities: Entities,
  rows: readonly RowOf<typeof enrollment>[],
  call: Call,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> => {
  const details = await presentRows(entities, enrollment, rows, call);
  const byIdentity = new Map<string, Record<string, unknown>>();
  rows.forEach(({ identityId, method }, i) => {
    const byMethod = byIdentity.get(identityId ?? '') ?? {};
    byIdentity.set(identityId ?? '', byMethod);
    const fields = outstandingFieldsOf(method as IdentityMethodName); // enrollments of identities only
    byMethod[method] = Object.fromEntries(fields.map((field) => [field, details[i]?.[field]]));
  });
  return byIdentity;
};
