import { catalog, type ErrorCode } from '../../errors/catalog.ts';
import type { Fields } from './field.ts';
import type { Operation } from './operation.ts';

type Declaration = Pick<
  Operation,
  | 'method'
  | 'path'
  | 'query'
  | 'surfaces'
  | 'body'
  | 'permission'
  | 'denied'
  | 'needsCertificate'
  | 'answer'
  | 'isConditional'
  | 'isBatch'
  | 'standalone'
  | 'errors'
>;
type Refusal = readonly [status: number, code: ErrorCode];

/** Errors of all operations: for an `Accept` header that no answer satisfies, an unavailable store, and a timeout. */
export const REFUSALS_OF_ALL: readonly Refusal[] = [
  [406, 'COULD_NOT_VALIDATE'],
  [503, 'SERVER_UNAVAILABLE'],
  [503, 'TIMEOUT'],
];
export const REFUSALS_OF_BODIES: readonly Refusal[] = [
  [400, 'COULD_NOT_PARSE_BODY'],
  [400, 'COULD_NOT_VALIDATE'],
  [408, 'TIMEOUT'],
  [413, 'REQUEST_ENTITY_TOO_LARGE'],
];
/** Errors of all changes. 400 is for headers that are invalid, or that the operation does not support, e.g. for a preview. */
export const REFUSALS_OF_CHANGES: readonly Refusal[] = [
  [400, 'COULD_NOT_VALIDATE'],
  [409, 'ACCESS_LOST'],
  [409, 'POLICY_TESTS_BROKEN'],
  [409, 'CONFLICT'],
  [409, 'QUOTA_EXCEEDED'],
  [429, 'SERVER_TOO_MANY_REQUESTS'],
];
export const REFUSALS_OF_FILTERS: readonly Refusal[] = [
  [400, 'INVALID_FILTER'],
  [400, 'INVALID_SORT_IDENTIFIER'],
];
/** Errors of all lists: 429 if too many answers to the client are unread (`http/unread-answers.ts`). */
export const REFUSALS_OF_PAGES: readonly Refusal[] = [[429, 'SERVER_TOO_MANY_REQUESTS']];

/** All error codes of an operation, by status: the declared ones, and those that follow from its input and permission. */
export const refusalsOf = (operation: Declaration): ReadonlyMap<number, readonly ErrorCode[]> => {
  const { method, path, query, surfaces, body, permission, denied, needsCertificate, answer, isBatch, standalone, errors = [] } = operation;
  const all: readonly Refusal[] = [
    ...(body ? [...REFUSALS_OF_BODIES, [415, body.unsupported ?? 'COULD_NOT_VALIDATE'] as const] : []),
    ...(query || surfaces.some(({ refusesUnknown }) => refusesUnknown) ? [[400, 'COULD_NOT_VALIDATE'] as const] : []),
    ...(query && 'filter' in query.shape ? REFUSALS_OF_FILTERS : []),
    ...(permission === 'open' && !needsCertificate ? [] : [[401, 'UNAUTHORIZED'] as const]),
    ...(denied ? [[denied, 'UNAUTHORIZED'] as const] : []),
    ...(path.includes('{') ? [[404, 'NOT_FOUND'] as const] : []),
    ...(operation.isConditional ? [[412, 'PRECONDITION_FAILED'] as const] : []),
    ...(method === 'GET' ? [] : REFUSALS_OF_CHANGES),
    ...(answer.is === 'page' ? REFUSALS_OF_PAGES : []),
    ...(method === 'POST' && (isBatch || (permission.includes('.') && standalone === undefined))
      ? [[422, 'COULD_NOT_VALIDATE'] as const]
      : []),
    ...REFUSALS_OF_ALL,
    ...errors.map((code) => [catalog[code].status, code] as const),
  ];
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const [status, code] of all.toSorted(([a], [b]) => a - b)) byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  return new Map([...byStatus].map(([status, codes]) => [status, [...codes]]));
};

/** All error codes of an operation, each once. */
export const codesOf = (operation: Declaration): readonly ErrorCode[] => [...new Set([...refusalsOf(operation).values()].flat())];

/** Error codes that follow from the fields of a kind: for references to missing entities, and for system entities. */
export const writeErrors = (verb: 'create' | 'replace' | 'patch' | 'delete', fields: Fields): readonly ErrorCode[] => {
  if (verb === 'delete') return fields.isSystem ? ['ENTITY_CAN_NOT_BE_DELETED'] : [];
  return [...unknownReferences(fields), ...(fields.isSystem && verb !== 'create' ? (['ENTITY_CAN_NOT_BE_UPDATED'] as const) : [])];
};

const unknownReferences = (fields: Fields): readonly ErrorCode[] => {
  const unknown = Object.values(fields).flatMap(({ reference, set, keys }) => [
    reference?.unknown === 'notFound' || set?.of === 'references' || keys !== undefined ? ('NOT_FOUND' as const) : undefined,
    reference?.unknown === 'unresolved' ? ('REFERENCED_ENTITY_NOT_FOUND' as const) : undefined,
  ]);
  return [...new Set(unknown.filter((code) => code !== undefined))];
};
