/** Takes grants out of effect at their end, and marks those whose end comes near, so that the change records of both are events. */
import { openGrants } from '../../../api/grants-with-end.ts';
import { identity, servicePolicy } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { createTimeSlice } from '../../../concurrency/event-loop.ts';
import type { Entities } from '../../../entities/entities.ts';
import { listing } from '../../../entities/reads.ts';
import { dateField } from '../../../query/index.ts';

/** Maximum number of identities, and of policies, that one transaction changes. */
const BATCH = 200;
/** Number of writes before yielding to the event loop. */
const WRITES_PER_SLICE = 10;

type Identity = RowOf<typeof identity>;
type Policy = RowOf<typeof servicePolicy>;
type TimeField = 'grantsEndAt' | 'unannouncedEndAt';

/** The identities and policies whose time has come, earliest first. @param until ISO text */
const dueBy = (entities: Entities, field: TimeField, until: string) => {
  const time = dateField(field);
  const query = {
    where: { op: 'compare', field: time, is: '<=', value: until },
    sort: [{ field: time, descending: false }],
    limit: BATCH,
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
