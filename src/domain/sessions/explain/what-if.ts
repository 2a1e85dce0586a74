/** What a write means for access, before it is committed. */

import type { AccessReport } from '../../../api/access-report.ts';
import type { OverriddenTests } from '../../../api/changes.ts';
import type { access } from '../../../api/explain.ts';
import { policyTest } from '../../../api/kinds.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import { isAdministrator } from '../../../call/actor.ts';
import { checkBatch, runBatch } from '../../../call/batch.ts';
import type { Call } from '../../../call/call.ts';
import { isLimited } from '../../../call/grant.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError, invalidField, unauthorized } from '../../../errors/index.ts';
import { referenceTo } from '../../../resources/links.ts';
import { type NetChanges, netChanges } from '../../policy/access/net-changes.ts';
import { differenceOf, nameOf, type PairDifference, type RelationDifference } from '../../policy/access/pairs.ts';
import { relatedStates } from '../../policy/access/related-states.ts';
import { accessRelation } from '../../policy/access/relations.ts';
import { gatherAccess } from '../../policy/access/report.ts';
import type { ReportPage } from '../../policy/access/report-page.ts';
import { visibleSides } from '../../policy/access/visible.ts';
import { brokenTests } from '../../policy/tests/failing.ts';
import { continueReview } from '../sessions/reviews.ts';

type Preview = (typeof access)['operations']['preview'];

/** Maximum number of entries that a refusal lists; it counts all of them. */
const MAX_LISTED = 100;
/** Maximum number of overridden tests that all change records of a transaction list together, each record at least one and at most `MAX_LISTED`. */
const MAX_RECORDED = 2000;

/** What the operations would mean for access. They are carried out, and rolled back. */
export const previewAccess = (call: Call, { body: { operations, ...page } }: DecodedOf<Preview>): Promise<OutputOf<Preview>> => {
  checkBatch(operations);
  return call.rehearse(
    () => call.write((entities) => runBatch(call, entities, operations)),
    async (entities) => {
      const report = await gatherReport(entities, call);
      const revision = (await entities.revision()) - entities.changes.length;
      return async () => ({ ...(await report(page)), revision });
    },
  );
};

/**
 * Gathers what the writes of a transaction that will be rolled back mean for access.
 * @param entities the state after the writes
 * @returns reports it, after the transaction
 */
export const gatherReport = async (entities: Entities, call: Call): Promise<(page?: ReportPage) => Promise<AccessReport>> => {
  // A write reviews only a first batch of sessions itself, and leaves the others to later steps.
  while (await continueReview(entities, call.now()));
  const changes = netChanges(entities.changes);
  const circuits = call.core.traffic.circuits().map(({ clientId, ...circuit }) => ({ ...circuit, identityId: clientId }));
  // Only administrators, and auditors, read policy tests.
  const broken = !isUnlimited(call) ? [] : (await brokenTests(entities)).map((test) => referenceTo(policyTest, test));
  return gatherAccess(entities, call, { changes, circuits, brokenTests: broken });
};

/**
 * Refuses writes that take more away than their author expects.
 * @param entities the state after the writes
 * @throws ApiError `ACCESS_LOST` with the list
 */
export const assertLost = async (entities: Entities, call: Call, maxLost: number): Promise<void> => {
  const changes = netChanges(entities.allChanges);
  const difference = await differenceOf(await relatedStates(entities, accessRelation, changes));
  const lostCount = difference.counts.lost;
  if (lostCount <= maxLost) return;
  const message = `${lostCount} identities would lose access to a service, counted for each service and type, and the author expects at most ${maxLost}`;
  throw new ApiError('ACCESS_LOST', { cause: { message, lostCount, lost: await lostList(entities, call, changes) } });
};

/**
 * Refuses writes that break policy tests, unless an administrator overrides them with a reason.
 * @param entities the state after the writes
 * @returns the tests that are overridden, for the change records; undefined if there are none
 * @throws ApiError `POLICY_TESTS_BROKEN` with the list; `UNAUTHORIZED` or `COULD_NOT_VALIDATE` for an override that is not permitted
 */
export const assertTests = async (entities: Entities, call: Call, isOverridden: boolean): Promise<OverriddenTests | undefined> => {
  const broken = await brokenTests(entities);
  if (broken.length === 0) return undefined;
  if (!isOverridden) {
    const message = `${broken.length} policy tests would fail: change them in the same batch, or override them with a reason`;
    const shown = isUnlimited(call) ? broken.slice(0, MAX_LISTED).map(({ id, name }) => ({ id, name })) : [];
    throw new ApiError('POLICY_TESTS_BROKEN', { cause: { message, brokenCount: broken.length, brokenTests: shown } });
  }
  if (!isUnlimited(call)) throw unauthorized('only an administrator whose rights are not limited may override policy tests');
  if (!call.attribution.reason)
    throw invalidField('reason', 'to override policy tests, say why: with the option reason, or the header x-change-reason', '');
  const shown = Math.max(1, Math.min(MAX_LISTED, Math.floor(MAX_RECORDED / entities.changes.length)));
  return { count: broken.length, tests: broken.slice(0, shown).map(({ id, name }) => ({ id, name })) };
};

/** True if an administrator makes the call, and neither the host's rule nor an API token limits it or a part of it. */
const isUnlimited = ({ actor, grant }: Call): boolean => isAdministrator(actor) && !grant.isDelegated && !isLimited(grant);

/** What the caller may see of what is lost. */
const lostList = async (entities: Entities, call: Call, changes: NetChanges) => {
  if (call.grant.isDelegated || !isAdministrator(call.actor)) return [];
  const sides = await visibleSides(entities, call, accessRelation);
  const visible = await differenceOf(await relatedStates(entities, accessRelation, changes, sides));
  return firstLost(visible).map(({ left, right, type }) => ({
    identityId: left.before?.id ?? '',
    identity: nameOf(left),
    serviceId: right.before?.id ?? '',
    service: nameOf(right),
    type,
  }));
};

const firstLost = (difference: RelationDifference): readonly PairDifference[] => {
  const lost: PairDifference[] = [];
  for (const pair of difference.pairs()) {
    if (pair.effect === 'lost') lost.push(pair);
    if (lost.length === MAX_LISTED) break;
  }
  return lost;
};
