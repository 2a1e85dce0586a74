import type * as z from 'zod';
import type { Call } from '../../call/call.ts';
import { affordable } from '../../call/resources/budget.ts';
import { shownRecords } from '../../call/resources/granted.ts';
import { type ListPlan, planList } from '../../call/resources/lists.ts';
import { symbolsOfList } from '../../call/resources/symbols.ts';
import type { auditQuestions } from '../../contract/api/audit.ts';
import { change } from '../../contract/api/changes.ts';
import { isChangedKind } from '../../contract/changes/events.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { and, dateField, equals, type Predicate, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { byRevision } from './page.ts';

/** Questions about the change log, as decoded. */
export type Questions = z.output<typeof auditQuestions>;

/** A question that equals a field of the record, by name. */
const FIELDS = { actor: 'actor', onBehalfOf: 'onBehalfOf', kind: 'entity', entityId: 'entityId', operation: 'operation' } as const;

/**
 * The records that answer some questions.
 * @param order that of the records unless the questions or the filter say another
 * @throws ApiError `INVALID_FILTER` also for questions that cost too much; `COULD_NOT_VALIDATE` for an unknown kind
 */
export const planQuestions = async (
  entities: Entities,
  questions: Questions & { readonly limit?: number | undefined; readonly offset?: number | undefined },
  call: Call,
  order: 'newest' | 'oldest' = 'newest',
): Promise<ListPlan> => {
  const { filter, limit, offset } = questions;
  const plan = planList(symbolsOfList(change, call), { filter, limit, offset, sort: undefined });
  const where = and(...termsOf(questions), plan.where, await shownRecords(entities, call));
  const sort = plan.sort.length > 0 ? plan.sort : byRevision((questions.order ?? order) === 'newest');
  await affordable(entities, change, { filter, limit, offset, sort: undefined }, { where, sort: plan.sort }, call);
  return { ...plan, where, sort };
};

const termsOf = ({ kind, field, from, to, ...others }: Questions): readonly Predicate[] => {
  if (kind !== undefined && !isChangedKind(kind))
    throw invalidField('kind', 'kind must be a kind of entities that have changes, e.g. identity', kind);
  const asked = { ...others, kind };
  const names = Object.keys(FIELDS) as (keyof typeof FIELDS)[]; // the keys of FIELDS
  return [
    ...names.flatMap((name) => (asked[name] === undefined ? [] : [equals(stringField(FIELDS[name]), asked[name])])),
    ...(field === undefined ? [] : [{ op: 'contains', field: stringField('changedFields'), value: `,${field},`, fold: false } as const]),
    ...(from === undefined ? [] : [{ op: 'compare', field: dateField('createdAt'), is: '>=', value: from } as const]),
    ...(to === undefined ? [] : [{ op: 'compare', field: dateField('createdAt'), is: '<', value: to } as const]),
  ];
};
