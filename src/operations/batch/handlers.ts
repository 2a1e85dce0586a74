import { checkBatch, runBatch } from '../../call/batch.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { allKinds } from '../../call/resources/kinds.ts';
import { batch } from '../../contract/api/batch.ts';
import { change } from '../../contract/api/changes.ts';
import { declaredKinds } from '../../contract/api/declared-kinds.ts';
import { edgeRouter, router } from '../../contract/api/kinds.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/operation.ts';
import { namedOperations } from '../../contract/api/named-operations.ts';
import { changeId, isLogOnly } from '../../contract/changes/events.ts';
import { explained } from '../../contract/errors/index.ts';
import { and, equals, not, oneOf, or, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

type Run = typeof batch.operations.run;

const run = async (call: Call, { body: { operations, ifRevision } }: DecodedOf<Run>): Promise<OutputOf<Run>> => {
  checkBatch(operations);
  return call.write(async (entities) => {
    if (ifRevision !== undefined) await assertUnchanged(entities, ifRevision);
    return runBatch(call, entities, operations);
  });
};

/** Maximum number of later changes that are examined. */
const MAX_CHANGES = 10_000;

/** @throws ApiError `PRECONDITION_FAILED` if the configuration of the network has changed since a revision */
const assertUnchanged = async (entities: Entities, expected: number): Promise<void> => {
  const revision = await entities.revision();
  if (revision === expected) return;
  const since = revision - expected;
  const later = { op: 'compare', field: stringField('id'), is: '>', value: changeId(expected) } as const;
  // Records may have left the log.
  const isComplete = since > 0 && since <= MAX_CHANGES && (await entities.count(change, later)) === since;
  if (isComplete && !(await entities.find(change, and(later, OF_CONFIGURATION)))) return;
  throw explained(
    'PRECONDITION_FAILED',
    `the batch expects revision ${expected}, but the configuration has changed since, up to revision ${revision}`,
  );
};

const [ENTITY, OPERATION] = [stringField('entity'), stringField('operation')];
const BY_RIGHT = namedOperations.flatMap(({ name, operation }) => (operation.permission.includes('.') ? [name] : []));
const LOG_ONLY = allKinds.flatMap(({ kind }) => (isLogOnly(kind) ? [kind] : []));
const DECLARED = Object.values(declaredKinds).map(({ kind }) => kind);
const ROUTERS = [router.kind, edgeRouter.kind];
/** The changed fields of records about announcements of ends and about logins. */
const NOT_CONFIGURATION = ['announcedGrantEnds', 'announcedEnd', 'envInfo', 'sdkInfo', 'envInfo,sdkInfo', 'sdkInfo,envInfo'].map(
  (names) => `,${names},`,
);

/**
 * Selects changes of the configuration: by operations that require a right, and of entities that state documents declare, by any actor.
 * Other changes have revisions, too: logins, sessions, refused attempts, announcements of ends, and reports of routers and endpoints.
 */
const OF_CONFIGURATION = or(
  and(oneOf(OPERATION, BY_RIGHT), not(oneOf(ENTITY, LOG_ONLY))),
  and(
    oneOf(ENTITY, DECLARED),
    not(and(equals(stringField('action'), 'update'), or(oneOf(ENTITY, ROUTERS), oneOf(stringField('changedFields'), NOT_CONFIGURATION)))),
  ),
);

export const batchEntries = implement(batch, { run });
