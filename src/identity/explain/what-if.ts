/** The effect of a write on access, before it is committed. */

import { brokenTests } from '../../access/policy-tests/broken-tests.ts';
import { type NetChanges, netChanges } from '../../access/report/net-changes.ts';
import { differenceOf, type PairDifference, type RelationDifference } from '../../access/report/pairs.ts';
import { relatedStates } from '../../access/report/related-states.ts';
import { accessRelation } from '../../access/report/relations.ts';
import { gatherAccess } from '../../access/report/report.ts';
import type { ReportPage } from '../../access/report/report-page.ts';
import { nameOf } from '../../access/report/selected-side.ts';
import { visibleSides } from '../../access/report/visible.ts';
import { isAdministrator } from '../../call/actor.ts';
import { checkBatch, runBatch } from '../../call/batch.ts';
import type { Call } from '../../call/call.ts';
import { isUnlimited } from '../../call/grant.ts';
import { referenceTo } from '../../call/resources/links.ts';
import type { AccessReport } from '../../contract/api/access-report.ts';
import type { OverriddenTests } from '../../contract/api/changes.ts';
import type { access } from '../../contract/api/explain.ts';
import { policyTest } from '../../contract/api/kinds.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { ApiError, invalidField, unauthorized } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { continueReview } from '../sessions/reviews.ts';

type Preview = (typeof access)['operations']['preview'];

/** Maximum number of entries that an error lists. Its count includes all of them. */
const MAX_LISTED = 100;
/**
 * Maximum total number of overridden tests in the change records of a transaction. Each record has at least one and at most `MAX_LISTED`.
 */
const MAX_RECORDED = 2000;

/** Previews the effect of operations on access: performs them, and rolls them back. */
export const previewAccess = (call: Call, { body: { operations, ...page } }: DecodedOf<Preview>): Promise<OutputOf<Preview>> => {
  checkBatch(operations);
  return call.rehearse(
    () => call.write((entities) => runBatch(call, entities, operations)),
    async (entities) => {
      const report = await gatherReport(entities, call, page);
      const revision = (await entities.revision()) - entities.changes.length;
      return async () => ({ ...(await report()), revision });
    },
  );
};

/**
 * Reads the effect on access of a transaction that will be rolled back.
 * @param entities the state after the writes
 * @param page default: the first
 * @returns a function that reports the page, also after the transaction
 */
export const gatherReport = async (entities: Entities, call: Call, page?: ReportPage): Promise<() => Promise<AccessReport>> => {
  // A write reviews only a first batch of sessions, and leaves the others to later steps.
  while (await continueReview(entities, call.now()));
  const changes = netChanges(entities.changes);
  const circuits = call.core.traffic.circuits().map(({ clientId, ...circuit }) => ({ ...circuit, identityId: clientId }));
  // Only administrators and auditors may read policy tests.
  const broken = !isUnlimited(call) ? [] : (await brokenTests(entities)).map((test) => referenceTo(policyTest, test));
  return gatherAccess(entities, call, { changes, circuits, brokenTests: broken }, page);
};

/**
 * Refuses writes that remove more access than their author expects.
 * @param entities the state after the writes
 * @throws ApiError `ACCESS_LOST` with the list
 */
export const assertLostWithin = async (entities: Entities, call: Call, maxLost: number): Promise<void> => {
  const changes = netChanges(entities.allChanges);
  const difference = await differenceOf(await relatedStates(entities, accessRelation, changes));
  const lostCount = difference.counts.lost;
  if (lostCount <= maxLost) return;
  const message = `${lostCount} identities would lose access to a service, counted for each service and type: the author expects at most ${maxLost}`;
  throw new ApiError('ACCESS_LOST', { cause: { message, lostCount, lost: await lostList(entities, call, changes) } });
};

/**
 * Refuses writes that break policy tests, unless an administrator overrides them with a reason.
 * @param entities the state after the writes
 * @returns the tests that are overridden, for the change records; undefined if there are none
 * @throws ApiError `POLICY_TESTS_BROKEN` with the list; `UNAUTHORIZED` or `COULD_NOT_VALIDATE` for an override that is not permitted
 */
export const assertTestsPass = async (entities: Entities, call: Call, isOverridden: boolean): Promise<OverriddenTests | undefined> => {
  const broken = await brokenTests(entities);
  if (broken.length === 0) return undefined;
  if (!isOverridden) {
    const message = `${broken.length} policy tests would fail: change them in the same batch, or override them with a reason`;
    const shown = isUnlimited(call) ? broken.slice(0, MAX_LISTED).map(({ id, name }) => ({ id, name })) : [];
    throw new ApiError('POLICY_TESTS_BROKEN', { cause: { message, brokenCount: broken.length, brokenTests: shown } });
  }
  if (!isUnlimited(call)) throw unauthorized('only administrators with unlimited rights may override policy tests');
  if (!call.attribution.reason)
    throw invalidField('reason', 'overriding policy tests requires a reason: the option reason, or the header x-change-reason', '');
  const shown = Math.max(1, Math.min(MAX_LISTED, Math.floor(MAX_RECORDED / entities.changes.length)));
  return { count: broken.length, tests: broken.slice(0, shown).map(({ id, name }) => ({ id, name })) };
};

/** The part of the lost access that the caller may see. */
const lostList = async (entities: Entities, call: Call, changes: NetChanges) => {
  if (call.grant.isDelegated || !isAdministrator(call.actor)) return [];
  const sides = await visibleSides(entities, call, accessRelation);
  const visible = await differenceOf(await relatedStates(entities, accessRelation, changes, sides));
  return (await firstLost(visible)).map(({ left, right, type }) => ({
    identityId: left.before?.id ?? '',
    identity: nameOf(left),
    serviceId: right.before?.id ?? '',
    service: nameOf(right),
    type,
  }));
};

const firstLost = async (difference: RelationDifference): Promise<readonly PairDifference[]> => {
  const lost: PairDifference[] = [];
  for await (const pair of difference.pairs()) {
    if (pair.effect === 'lost') lost.push(pair);
    if (lost.length === MAX_LISTED) break;
  }
  return lost;
};
