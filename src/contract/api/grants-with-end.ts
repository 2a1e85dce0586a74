/**
 * Grants with an end: role attributes of identities, and service policies. In both kinds, `grantsEndAt` is the earliest end that has not
 * taken effect yet, and `unannouncedEndAt` the earliest of these ends that no event has announced yet.
 */
import * as z from 'zod';
import { attributeFault, type FieldOptions, MAX_ATTRIBUTES, mapOf, optional, readOnly, textUpTo, timestamp } from './kit/index.ts';
import { dateTime } from './shared.ts';

export const grantReason = textUpTo(1000);

/** The end of a grant, truncated to seconds: calls wait for a write at each distinct end, so there should be few of them. */
export const grantEnd = dateTime.transform((given): string => given.replace(/\.\d+Z$/, '.000Z'));

/**
 * Maximum number of role attributes of an identity that have an end, including those that have already ended. Each end writes the identity
 * twice: when it is announced, and when it takes effect.
 */
const MAX_GRANTS = 100;

const roleAttributeGrant = z
  .object({
    /** When the identity loses the role attribute; fractions of a second are dropped. */
    validUntil: grantEnd,
    /** The reason for the grant; at most 1,000 characters. */
    reason: grantReason.optional(),
  })
  .meta({ id: 'RoleAttributeGrant', description: 'The end of a role attribute, and the reason for the grant.' });

export type RoleAttributeGrant = z.infer<typeof roleAttributeGrant>;

/** Grants by role attribute. A grant has ended if the identity no longer has the attribute. */
export type RoleAttributeGrants = Readonly<Record<string, RoleAttributeGrant>>;

/** Role attributes with an end. A PUT without the field keeps its value, because clients of the published API do not know the field. */
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
          'An extension: the role attributes that have an end, by attribute; at most 100. Until its end, each is also in `roleAttributes`.',
      }),
    { absent: true, keptByReplace: true, endsOf: 'roleAttributes' },
  );

export const announcedGrantEnds = mapOf(timestamp, MAX_ATTRIBUTES);

/** A hidden, indexed time that is computed at every write. */
export const endOfGrants = (derivedFrom: FieldOptions['derivedFrom']) =>
  readOnly(timestamp, { keep: 'hidden', index: true, ...(derivedFrom && { derivedFrom }) });

type GrantedAttributes = {
  readonly roleAttributes: readonly string[];
  readonly roleAttributeGrants?: RoleAttributeGrants | null | undefined;
  readonly announcedGrantEnds?: Readonly<Record<string, string>> | null | undefined;
};

/** The grants of an identity that have not ended yet, as pairs of role attribute and grant. */
export const openGrants = ({ roleAttributes, roleAttributeGrants }: GrantedAttributes) => {
  if (!roleAttributeGrants) return [];
  const held = new Set(roleAttributes);
  return Object.entries(roleAttributeGrants).filter(([attribute]) => held.has(attribute));
};

const earliest = (grants: readonly (readonly [string, RoleAttributeGrant])[]): string | null =>
  grants.map(([, { validUntil }]) => validUntil).toSorted()[0] ?? null;

// Every write of an identity computes both ends, and most identities have no grants with an end.
export const nextAttributeEnd = (row: GrantedAttributes): string | null => (row.roleAttributeGrants ? earliest(openGrants(row)) : null);

export const nextUnannouncedAttributeEnd = (row: GrantedAttributes): string | null =>
  row.roleAttributeGrants
    ? earliest(openGrants(row).filter(([attribute, { validUntil }]) => row.announcedGrantEnds?.[attribute] !== validUntil))
    : null;

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
