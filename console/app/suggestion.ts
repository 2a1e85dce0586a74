/** The operations that carry out the suggestions of an explanation. */
import { type AccessSuggestion, ApiError, type BatchedOperation, versionOf } from '../../client/index.ts';
import { type Entity, entityApi } from './kinds.ts';
import { literal } from './literal.ts';

const OPERATIONS = {
  patchIdentity: ['identities', 'patch'],
  patchService: ['services', 'patch'],
  patchServicePolicy: ['servicePolicies', 'patch'],
  createServicePolicy: ['servicePolicies', 'create'],
} as const;

/** The group and the verb of a suggestion; undefined if the endpoint itself must change. */
export const operationOf = ({ operationId }: AccessSuggestion) => operationId && OPERATIONS[operationId];

/**
 * The operation that carries out a suggestion. A suggestion to change an entity has whole lists, so that it applies only to the state that
 * was explained.
 * @throws ApiError `PRECONDITION_FAILED` if the entity has changed since
 */
export const batchedOperation = async (suggestion: AccessSuggestion): Promise<BatchedOperation> => {
  const { id, body = {}, size } = suggestion;
  const [group = '', verb = ''] = operationOf(suggestion) ?? [];
  const operation = `${group}.${verb}`;
  if (id === undefined) return { operation, input: { body: literal(body) } };
  const entity = await entityApi(group).get({ id });
  if (!addsOnly(entity, body, size)) throw new ApiError('PRECONDITION_FAILED');
  const version = versionOf(entity);
  return { operation, input: { id, body: literal(body) }, ...(version === undefined ? {} : { ifVersion: version }) };
};

/** True if the lists of a body are those of an entity, and `size` entries more. */
const addsOnly = (entity: Entity, body: Readonly<Record<string, unknown>>, size: number): boolean => {
  const lists = Object.entries(body).map(([name, list]) => [entriesOf(list), entriesOf(entity[name])] as const);
  const added = lists.reduce((count, [next, now]) => count + next.length - now.length, 0);
  return added === size && lists.every(([next, now]) => now.every((entry) => next.includes(entry)));
};

const entriesOf = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
