import { batch } from '../../../api/batch.ts';
import { change } from '../../../api/changes.ts';
import { declaredKinds } from '../../../api/declared-kinds.ts';
import { edgeRouter, router } from '../../../api/kinds.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/operation.ts';
import { namedOperations } from '../../../api/named-operations.ts';
import { checkBatch, runBatch } from '../../../call/batch.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import { changeId, isLogOnly } from '../../../changelog/events.ts';
import type { Entities } from '../../../entities/entities.ts';
import { explained } from '../../../errors/index.ts';
import { and, equals, not, oneOf, or, stringField } from '../../../query/index.ts';
import { allKinds } from '../../../resources/kinds.ts';

type Run = typeof batch.operations.run;

const run = async (call: Call, { body: { operations, ifRevision } }: DecodedOf<Run>): Promise<OutputOf<Run>> => {
  checkBatch(operations);
  return call.write(async (entities) => {
    if (ifRevision !== undefined) await assertUnchanged(entities, ifRevision);
    return runBatch(call, entities, operations);
  });
};

/** Number of changes that are looked through at most. */
const MAX_CHANGES = 10_000;

/** @throws ApiError `PRECONDITION_FAILED` if the configuration of the network has changed since a revision */
const assertUnchanged = async (entities: Entities, expected: number): Promise<void> => {
  const revision = await entities.revision();
  if (revision === expected) return;
  const since = revision - expected;
  const later = { op: 'compare', field: stringField('id'), is: '>', value: changeId(expected) } as const;
  // Records may have left the log.
  const isKnown = since > 0 && since <= MAX_CHANGES && (await entities.count(change, later)) === since;
  if (isKnown && !(await entities.find(change, and(later, OF_CONFIGURATION)))) return;
  throw explained(
    'PRECONDITION_FAILED',
    `the network has revision ${revision}, and the batch expects ${expected}: something has changed since`,
  );
};

const [ENTITY, OPERATION] = [stringField('entity'), stringField('operation')];
const BY_RIGHT = namedOperations.flatMap(({ name, operation }) => (operation.permission.includes('.') ? [name] : []));
const LOG_ONLY = allKinds.flatMap(({ kind }) => (isLogOnly(kind) ? [kind] : []));
const DECLARED = Object.values(declaredKinds).map(({ kind }) => kind);
const ROUTERS = [router.kind, edgeRouter.kind];
/** The fields that the announcement of an end changes, and those that a login does. */
const APART = ['announcedGrantEnds', 'announcedEnd', 'envInfo', 'sdkInfo', 'envInfo,sdkInfo', 'sdkInfo,envInfo'].map(
  (names) => `,${names},`,
);

/**
 * The changes that count: by operations that take a right, and of what state documents declare, whoever changed it. Logins, sessions, refused attempts,
 * announcements of ends, and the reports of routers and endpoints draw revisions, too, but do not count.
 */
const OF_CONFIGURATION = or(
  and(oneOf(OPERATION, BY_RIGHT), not(oneOf(ENTITY, LOG_ONLY))),
  and(
    oneOf(ENTITY, DECLARED),
    not(and(equals(stringField('action'), 'update'), or(oneOf(ENTITY, ROUTERS), oneOf(stringField('changedFields'), APART)))),
  ),
);

export const batchEntries = implement(batch, { run });
