/** Which writes can change what policies permit: creations, deletions, and changes of the fields that the evaluator reads. */
import { identity, service, servicePolicy } from '../../../api/kinds.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import type { Selectable } from '../roles/membership.ts';
import type { AccessPolicy } from './evaluate.ts';

/** Names each field of a type that counts; one that is left out does not compile. */
const fieldsOf = <F extends string>(fields: Readonly<Record<F, true>>) => Object.keys(fields);

const selectedBy = fieldsOf<Exclude<keyof Selectable, 'id'>>({ roleAttributes: true });

/** The fields that decide what policies permit, posture aside, by kind. An entity keeps its id. */
export const decidingFields: Readonly<Record<string, readonly string[] | undefined>> = {
  [identity.kind]: selectedBy,
  [service.kind]: selectedBy,
  [servicePolicy.kind]: fieldsOf<Exclude<keyof AccessPolicy, 'id' | 'postureCheckRoles'>>({
    type: true,
    semantic: true,
    identityRoles: true,
    serviceRoles: true,
  }),
};

type State = Readonly<Record<string, unknown>> | null;

/** True if an entity was created or deleted, or if one of the fields has another value than before. */
export const differsIn = (fields: readonly string[], { before, after }: { readonly before: State; readonly after: State }): boolean =>
  before === null || after === null || fields.some((field) => !isSameJson(before[field] ?? null, after[field] ?? null));
