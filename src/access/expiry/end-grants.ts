/** Ends grants at their time, and marks grants that end soon. The change records of both are events. */

import { openGrants } from '../../contract/api/grants-with-end.ts';
import { identity, servicePolicy, sessionReview } from '../../contract/api/kinds.ts';
import { withDerived } from '../../contract/api/kit/derived.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { dateField, oneOf, or, type Predicate, stringField } from '../../query/index.ts';
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { listing } from '../../store/entities/reads.ts';
import type { Row } from '../../store/storage/port.ts';

/** Maximum number of identities, and of policies, that one transaction changes, so that other writers do not wait for long. */
const BATCH_SIZE = 25;
/** Number of writes before yielding to the event loop. */
const WRITES_PER_SLICE = 10;

type Identity = RowOf<typeof identity>;
type Policy = RowOf<typeof servicePolicy>;
type TimeField = 'grantsEndAt' | 'unannouncedEndAt';

/**
 * Reads the identities and policies whose `field` is not after a time, earliest first.
 * @param until ISO text
 */
const readDue = (entities: Entities, field: TimeField, until: string, limit = BATCH_SIZE) => {
  const time = dateField(field);
  const query = {
    where: { op: 'compare', field: time, is: '<=', value: until },
    sort: [{ field: time, descending: false }],
    limit,
  } as const;
  return entities.readAll([listing(identity, query), listing(servicePolicy, query)]);
};

/** The role attributes whose grant has not ended. Ended grants remain stored, so that writes of older clients cannot restore them. */
export const withoutEnded = (row: Identity, now: string): Pick<Identity, 'roleAttributes'> => {
  const ended = new Set(openGrants(row).flatMap(([attribute, { validUntil }]) => (validUntil <= now ? [attribute] : [])));
  return { roleAttributes: row.roleAttributes.filter((attribute) => !ended.has(attribute)) };
};

/** The fields of a policy that has ended: it selects no identities. */
export const endedPolicy = (identityRoles: readonly string[]): Pick<Policy, 'identityRoles' | 'endedIdentityRoles'> => ({
  identityRoles: [],
  endedIdentityRoles: [...identityRoles],
});

/** Writes row by row, and yields to the event loop in between: thousands of grants may end at the same time. */
const writeInSlices = async <R>(rows: readonly R[], write: (row: R) => Promise<unknown>): Promise<void> => {
  const yieldIfDue = createTimeSlice(WRITES_PER_SLICE);
  for (const row of rows) {
    await write(row);
    const pause = yieldIfDue();
    if (pause) await pause;
  }
};

/**
 * Ends a batch of due grants.
 * @param now ISO text
 * @returns true if more may be due
 */
export const endGrants = async (entities: Entities, now: string): Promise<boolean> => {
  const [identities, policies] = await readDue(entities, 'grantsEndAt', now);
  await writeInSlices(identities, (row) => entities.update(identity, row, withoutEnded(row, now)));
  await writeInSlices(policies, (row) => entities.update(servicePolicy, row, endedPolicy(row.identityRoles)));
  return identities.length === BATCH_SIZE || policies.length === BATCH_SIZE;
};

/** The rows that differ between the stored state and the state without ended grants. */
export interface EndedRows {
  /** By table and id. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, Row>>;
  /** The number of identities and policies. */
  readonly size: number;
  /** When the next grant ends. ms since 1970 */
  readonly until: number;
}

/**
 * The rows that `endGrants` would write for all ended grants. In this state, sessions that may have lost their grant are under review, so
 * that each use checks them.
 * @param limit maximum number of identities, and of policies; if there are more, `size` exceeds it, and the rows are incomplete
 */
export const endedRows = async (entities: Entities, now: string, limit: number): Promise<EndedRows> => {
  const [identities, policies] = await readDue(entities, 'grantsEndAt', now, limit + 1);
  const next = {
    where: { op: 'compare', field: dateField('grantsEndAt'), is: '>', value: now },
    sort: [{ field: dateField('grantsEndAt'), descending: false }],
    limit: 1,
  } as const;
  const later = await entities.readAll([listing(identity, next), listing(servicePolicy, next)]);
  const ended = identities.map((row) => withDerived<Identity>(identity.fields, { ...row, ...withoutEnded(row, now) }));
  const endedPolicies = policies.map((row) => withDerived<Policy>(servicePolicy.fields, { ...row, ...endedPolicy(row.identityRoles) }));
  const inDoubt: Row = {
    ...{ id: 'ended', version: 0, createdAt: now, updatedAt: now, tags: {} },
    ...{ lastId: '', isInDoubt: true, sessions: sessionsOf(identities, policies) },
  };
  const ends = [...ended, ...later.flat()].flatMap(({ grantsEndAt }) => (grantsEndAt ? [Date.parse(grantsEndAt)] : []));
  return {
    tables: new Map([
      [identity.kind, byId(ended)],
      [servicePolicy.kind, byId(endedPolicies)],
      [sessionReview.kind, byId([inDoubt])],
    ]),
    size: identities.length + policies.length,
    until: Math.min(...ends),
  };
};

const byId = (rows: readonly Row[]): ReadonlyMap<string, Row> => new Map(rows.map((row) => [row.id, row]));

/** Selects the sessions of the identities, and the sessions that the policies grant. */
const sessionsOf = (identities: readonly Row[], policies: readonly Row[]): Predicate => {
  const policyIds = policies.map(({ id }) => id);
  const ofIdentities = oneOf(
    stringField('identityId'),
    identities.map(({ id }) => id),
  );
  return policyIds.length === 0 ? ofIdentities : or(ofIdentities, { op: 'overlaps', set: 'grantedBy', values: policyIds });
};

/**
 * Marks a batch of grants that end by a time as announced.
 * @param until ISO text
 */
export const announceEnds = async (entities: Entities, until: string): Promise<void> => {
  const [identities, policies] = await readDue(entities, 'unannouncedEndAt', until);
  await writeInSlices(identities, (row) => {
    const endingSoon = openGrants(row).filter(([, { validUntil }]) => validUntil <= until);
    const announcedGrantEnds = {
      ...row.announcedGrantEnds,
      ...Object.fromEntries(endingSoon.map(([name, { validUntil }]) => [name, validUntil])),
    };
    return entities.update(identity, row, { announcedGrantEnds });
  });
  await writeInSlices(policies, (row) => entities.update(servicePolicy, row, { announcedEnd: row.validUntil }));
};
