/**
 * Grants with an end: role attributes of identities, and service policies. In both kinds, `grantsEndAt` is the earliest end that has yet to take effect, and
 * `unannouncedEndAt` the earliest of these that no event has announced.
 */
import * as z from 'zod';
import { attributeFault, type FieldOptions, MAX_ATTRIBUTES, mapOf, optional, readOnly, textUpTo, timestamp } from './kit/index.ts';
import { dateTime } from './shared.ts';

export const grantReason = textUpTo(1000);

/** The end of a grant, without fractions of a second: at each moment at which one ends, calls wait for a write. */
export const grantEnd = dateTime.transform((given): string => given.replace(/\.\d+Z$/, '.000Z'));

/** Maximum number of role attributes of an identity with an end, including those that have ended: each end, and its announcement, is a write of the identity. */
const MAX_GRANTS = 100;

const roleAttributeGrant = z
  .object({
    /** The time at which the identity loses the role attribute; fractions of a second are dropped. */
    validUntil: grantEnd,
    /** Why the identity has it; up to 1,000 characters. */
    reason: grantReason.optional(),
  })
  .meta({ id: 'RoleAttributeGrant', description: 'A role attribute that an identity has until a time.' });

export type RoleAttributeGrant = z.infer<typeof roleAttributeGrant>;

/** By role attribute. A grant whose attribute the identity does not have has ended. */
export type RoleAttributeGrants = Readonly<Record<string, RoleAttributeGrant>>;

/** Role attributes with an end. PUT without it keeps it, because clients of the published API do not know it. */
export const roleAttributeGrants = () =>
  optional(
    mapOf(roleAttributeGrant, MAX_GRANTS)
      .superRefine((grants, context) => {
        const invalid = Object.keys(grants).find((attribute) => attributeFault(attribute) !== undefined);
        if (invalid !== undefined) context.addIssue({ code: 'custom', message: attributeFault(invalid), path: [] });
      })
      .transform((grants): RoleAttributeGrants | null => (Object.keys(grants).length === 0 ? null : grants))
      .meta({
        description:
          'An extension: role attributes that end, by attribute, at most 100. The identity has them until then, also in `roleAttributes`.',
      }),
    { absent: true, keptByReplace: true },
  );

export const announcedGrantEnds = mapOf(timestamp, MAX_ATTRIBUTES);

/** A hidden, indexed time that every write computes. */
export const endOfGrants = (derivedFrom: FieldOptions['derivedFrom']) =>
  readOnly(timestamp, { keep: 'hidden', index: true, ...(derivedFrom && { derivedFrom }) });

type GrantedAttributes = {
  readonly roleAttributes: readonly string[];
  readonly roleAttributeGrants?: RoleAttributeGrants | null | undefined;
  readonly announcedGrantEnds?: Readonly<Record<string, string>> | null | undefined;
};

/** The grants of an identity that have not taken their end yet, by role attribute. */
export const openGrants = ({ roleAttributes, roleAttributeGrants }: GrantedAttributes) => {
  if (!roleAttributeGrants) return [];
  const held = new Set(roleAttributes);
  return Object.entries(roleAttributeGrants).filter(([attribute]) => held.has(attribute));
};

const earliest = (grants: readonly (readonly [string, RoleAttributeGrant])[]): string | null =>
  grants.map(([, { validUntil }]) => validUntil).toSorted()[0] ?? null;

export const nextAttributeEnd = (row: GrantedAttributes): string | null => earliest(openGrants(row));

export const nextUnannouncedAttributeEnd = (row: GrantedAttributes): string | null =>
  earliest(openGrants(row).filter(([attribute, { validUntil }]) => row.announcedGrantEnds?.[attribute] !== validUntil));

type EndingPolicy = {
  readonly validUntil?: string | null | undefined;
  readonly endedIdentityRoles?: readonly string[] | null | undefined;
  readonly announcedEnd?: string | null | undefined;
};

export const nextPolicyEnd = ({ validUntil, endedIdentityRoles }: EndingPolicy): string | null =>
  endedIdentityRoles ? null : (validUntil ?? null);

export const nextUnannouncedPolicyEnd = (row: EndingPolicy): string | null => {
  const end = nextPolicyEnd(row);
  return end === row.announcedEnd ? null : end;
};
