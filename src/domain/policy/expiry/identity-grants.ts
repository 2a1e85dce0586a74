import { openGrants, type RoleAttributeGrant } from '../../../api/grants-with-end.ts';
import type { identity } from '../../../api/kinds.ts';
import { MAX_ATTRIBUTES, type RowOf } from '../../../api/kit/index.ts';
import { invalidField } from '../../../errors/index.ts';
import { sortedSet } from '../../../query/order.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { withoutEnded } from './end-grants.ts';

type Identity = RowOf<typeof identity>;
type Granted = Pick<Identity, 'roleAttributes' | 'roleAttributeGrants' | 'announcedGrantEnds'>;

/**
 * Reconciles the role attributes and the grants of an identity that is written. Only a body with `roleAttributeGrants` extends a grant: without it, the
 * attributes that remain keep their ends, and those that have ended are refused.
 * @param after the row with the fields of the body. A field that the body does not have is the one of `before`
 * @param now ISO text
 * @throws ApiError `COULD_NOT_VALIDATE` with the field
 */
export const reconciledGrants = (after: Identity, before: Identity | undefined, now: string): Granted | undefined => {
  const held = new Map(Object.entries(before?.roleAttributeGrants ?? {}));
  const isGiven = after.roleAttributeGrants !== before?.roleAttributeGrants;
  if (!after.roleAttributeGrants && held.size === 0) return undefined;
  const open = new Set(before ? openGrants({ ...before, ...withoutEnded(before, now) }).map(([attribute]) => attribute) : []);
  const attributes = new Set(
    after.roleAttributes === before?.roleAttributes
      ? withoutEnded(after, now).roleAttributes.filter((each) => !isGiven || !open.has(each))
      : after.roleAttributes,
  );
  const grants = new Map<string, RoleAttributeGrant>();
  for (const [attribute, grant] of isGiven ? Object.entries(after.roleAttributeGrants ?? {}) : held) {
    const isKept = isSameJson(held.get(attribute), grant);
    if (isKept && !open.has(attribute)) refuseEnded(attribute, grant, attributes);
    else if (isKept && !isGiven && !attributes.has(attribute)) continue;
    else if (grant.validUntil <= now) throw notInFuture(attribute, grant, now);
    else attributes.add(attribute);
    grants.set(attribute, grant);
  }
  if (attributes.size > MAX_ATTRIBUTES)
    throw invalidField(
      'roleAttributes',
      `an identity has at most ${MAX_ATTRIBUTES} role attributes, also with those granted`,
      attributes.size,
    );
  return {
    roleAttributes: sortedSet([...attributes]),
    roleAttributeGrants: grants.size === 0 ? null : Object.fromEntries(grants),
    announcedGrantEnds: stillAnnounced(before?.announcedGrantEnds, grants),
  };
};

/** @throws ApiError `COULD_NOT_VALIDATE` if the body has an attribute whose grant has ended */
const refuseEnded = (attribute: string, { validUntil }: RoleAttributeGrant, attributes: ReadonlySet<string>): void => {
  if (attributes.has(attribute))
    throw invalidField(
      'roleAttributes',
      `the role attribute ${attribute.slice(0, 256)} of this identity ended at ${validUntil}: to grant it again, change or remove its entry in roleAttributeGrants`,
      attribute,
    );
};

const notInFuture = (attribute: string, { validUntil }: RoleAttributeGrant, now: string) =>
  invalidField('roleAttributeGrants', `validUntil of ${attribute.slice(0, 256)} must be later than now, ${now}`, validUntil);

/** An extended grant is announced again. */
const stillAnnounced = (announced: Identity['announcedGrantEnds'] | undefined, grants: ReadonlyMap<string, RoleAttributeGrant>) => {
  const still = Object.entries(announced ?? {}).filter(([attribute, end]) => grants.get(attribute)?.validUntil === end);
  return still.length === 0 ? null : Object.fromEntries(still);
};
