/** The suggestions of an explanation, in words, and the operations that carry them out. */
import {
  type AccessExplanation,
  type AccessSuggestion,
  ApiError,
  type BatchedOperation,
  type ExplainedSide,
  versionOf,
} from '../../client/index.ts';
import { type Entity, entityApi } from './kinds.ts';
import { literal } from './literal.ts';
import { texts } from './texts.ts';
import { nameOf } from './words.ts';

const t = texts.access.suggested;

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

/** A suggestion as a sentence in the language of the page, or as the sentence of the API if the explanation does not show its policy. */
export const sentenceOf = (suggestion: AccessSuggestion, { type, identity, service, policies }: AccessExplanation): string => {
  const { operationId, id, body = {}, size, postureChecks = [], description } = suggestion;
  if (operationId === 'createServicePolicy') return t.policy(type);
  const [side, subject] =
    operationId === 'patchIdentity' || 'identityRoles' in body ? (['identity', identity] as const) : (['service', service] as const);
  const given = entriesOf(body['roleAttributes']).slice(-size).join(', ');
  const policy = policies.find((each) => {
    if (operationId === 'patchServicePolicy') return each.policy.id === id;
    if (operationId) return missingIn(each[side], each.semantic) === given;
    return each.postureChecks.some(({ check, isPassing }) => check.id === postureChecks[0]?.id && !isPassing);
  })?.policy;
  if (!policy) return description;
  if (!operationId) return t.checks(nameOf(identity), postureChecks.map(nameOf).join(', '), nameOf(policy));
  return operationId === 'patchServicePolicy'
    ? t.selector(nameOf(subject), `${side}Roles`, nameOf(policy))
    : t.attributes(nameOf(subject), given, nameOf(policy));
};

/** The role attributes that an entity would need to be selected by a side. */
const missingIn = ({ isSelected, selectors }: ExplainedSide, semantic: string): string => {
  const missing = selectors.flatMap(({ selector, isMatching }) => (isMatching || selector[0] !== '#' ? [] : [selector.slice(1)]));
  return isSelected ? '' : missing.slice(0, semantic === 'AnyOf' ? 1 : undefined).join(', ');
};
