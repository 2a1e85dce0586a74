/** The fields that the evaluator of permissions reads. Creations, deletions and changes of these fields can change permissions. */
import { identity, service, servicePolicy } from '../../contract/api/kinds.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import type { Selectable } from '../roles/membership.ts';
import type { AccessPolicy } from './evaluate.ts';

/** The names of all fields of a type: an omitted one is a compile-time error. */
const fieldsOf = <F extends string>(fields: Readonly<Record<F, true>>) => Object.keys(fields);

const selectableFields = fieldsOf<Exclude<keyof Selectable, 'id'>>({ roleAttributes: true });

/** The fields that determine permissions, ignoring posture, by kind. Ids are not included, because they never change. */
export const decidingFields: Readonly<Record<string, readonly string[] | undefined>> = {
  [identity.kind]: selectableFields,
  [service.kind]: selectableFields,
  [servicePolicy.kind]: fieldsOf<Exclude<keyof AccessPolicy, 'id' | 'postureCheckRoles'>>({
    type: true,
    semantic: true,
    identityRoles: true,
    serviceRoles: true,
  }),
};

type State = Readonly<Record<string, unknown>> | null;

/** True if an entity was created or deleted, or if the value of one of the fields has changed. */
export const differsIn = (fields: readonly string[], { before, after }: { readonly before: State; readonly after: State }): boolean =>
  before === null || after === null || fields.some((field) => !isSameJson(before[field] ?? null, after[field] ?? null));
