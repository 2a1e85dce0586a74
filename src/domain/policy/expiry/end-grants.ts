/** Takes grants out of effect at their end, and marks those whose end comes near, so that the change records of both are events. */
import { openGrants } from '../../../api/grants-with-end.ts';
import { identity, servicePolicy, sessionReview } from '../../../api/kinds.ts';
import { withDerived } from '../../../api/kit/derived.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { createTimeSlice } from '../../../concurrency/event-loop.ts';
import type { Entities } from '../../../entities/entities.ts';
import { listing } from '../../../entities/reads.ts';
import { dateField, oneOf, or, type Predicate, stringField } from '../../../query/index.ts';
import type { Row } from '../../../storage/port.ts';

/** Maximum number of identities, and of policies, that one transaction changes: others get their turn after each. */
const BATCH = 25;
/** Number of writes before yielding to the event loop. */
const WRITES_PER_SLICE = 10;

type Identity = RowOf<typeof identity>;
type Policy = RowOf<typeof servicePolicy>;
type TimeField = 'grantsEndAt' | 'unannouncedEndAt';

/** The identities and policies whose time has come, earliest first. @param until ISO text */
const dueBy = (entities: Entities, field: TimeField, until: string, limit = BATCH) => {
  const time = dateField(field);
  const query = {
    where: { op: 'compare', field: time, is: '<=', value: until },
    sort: [{ field: time, descending: false }],
    limit,
  } as const;
  return entities.readAll([listing(identity, query), listing(servicePolicy, query)]);
};

/** An identity without the role attributes that have ended. Their grants remain, so that writes by older clients cannot restore the attributes. */
export const withoutEnded = (row: Identity, now: string): Pick<Identity, 'roleAttributes'> => {
  const ended = new Set(openGrants(row).flatMap(([attribute, { validUntil }]) => (validUntil <= now ? [attribute] : [])));
  return { roleAttributes: row.roleAttributes.filter((attribute) => !ended.has(attribute)) };
};

/** A policy that has ended: it selects no identity. */
export const endedPolicy = (identityRoles: readonly string[]): Pick<Policy, 'identityRoles' | 'endedIdentityRoles'> => ({
  identityRoles: [],
  endedIdentityRoles: [...identityRoles],
});

/** Writes row by row. Thousands of grants may end at once, and others need turns in between. */
const inSlices = async <R>(rows: readonly R[], write: (row: R) => Promise<unknown>): Promise<void> => {
  const yieldIfDue = createTimeSlice(WRITES_PER_SLICE);
  for (const row of rows) {
    await write(row);
    const pause = yieldIfDue();
    if (pause) await pause;
  }
};

/** Takes a batch of ended grants out of effect. @param now ISO text. @returns true if there may be more */
export const endGrants = async (entities: Entities, now: string): Promise<boolean> => {
  const [identities, policies] = await dueBy(entities, 'grantsEndAt', now);
  await inSlices(identities, (row) => entities.update(identity, row, withoutEnded(row, now)));
  await inSlices(policies, (row) => entities.update(servicePolicy, row, endedPolicy(row.identityRoles)));
  return identities.length === BATCH || policies.length === BATCH;
};

/** The rows in which a state without the ended grants differs from that of the store. */
export interface EndedRows {
  /** By table and id. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, Row>>;
  /** The number of identities and policies. */
  readonly size: number;
  /** When the next grant ends. ms since 1970 */
  readonly until: number;
}

/**
 * The rows that `endGrants` would write for all ended grants. Sessions that may have lost their grant are in doubt in this state, so each use checks them.
 * @param limit of identities, and of policies: if there are more, `size` exceeds it, and the rows are incomplete
 */
export const endedRows = async (entities: Entities, now: string, limit: number): Promise<EndedRows> => {
  const [identities, policies] = await dueBy(entities, 'grantsEndAt', now, limit + 1);
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
    ...{ lastId: '', isInDoubt: true, sessions: grantedTo(identities, policies) },
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

/** Selects the sessions of some identities, and those that some policies grant. */
const grantedTo = (identities: readonly Row[], policies: readonly Row[]): Predicate => {
  const values = policies.map(({ id }) => id);
  const ofIdentities = oneOf(
    stringField('identityId'),
    identities.map(({ id }) => id),
  );
  return values.length === 0 ? ofIdentities : or(ofIdentities, { op: 'overlaps', set: 'grantedBy', values });
};

/** Marks a batch of grants that end by a time. @param until ISO text */
export const announceEnds = async (entities: Entities, until: string): Promise<void> => {
  const [identities, policies] = await dueBy(entities, 'unannouncedEndAt', until);
  await inSlices(identities, (row) => {
    const near = openGrants(row).filter(([, { validUntil }]) => validUntil <= until);
    const announcedGrantEnds = {
      ...row.announcedGrantEnds,
      ...Object.fromEntries(near.map(([name, { validUntil }]) => [name, validUntil])),
    };
    return entities.update(identity, row, { announcedGrantEnds });
  });
  await inSlices(policies, (row) => entities.update(servicePolicy, row, { announcedEnd: row.validUntil }));
};
