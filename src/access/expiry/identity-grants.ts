import { openGrants, type RoleAttributeGrant } from '../../contract/api/grants-with-end.ts';
import type { identity } from '../../contract/api/kinds.ts';
import { MAX_ATTRIBUTES, type RowOf } from '../../contract/api/kit/index.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { sortedSet } from '../../query/order.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import { withoutEnded } from './end-grants.ts';

type Identity = RowOf<typeof identity>;
type GrantFields = Pick<Identity, 'roleAttributes' | 'roleAttributeGrants' | 'announcedGrantEnds'>;

/**
 * Makes the role attributes and the grants of a written identity consistent. Only a body with `roleAttributeGrants` extends a grant.
 * Without it, attributes keep their ends, and attributes whose grant has ended are refused.
 * @param after the row with the fields of the body; a field that the body omits is identical to that of `before`
 * @param now ISO text
 * @throws ApiError `COULD_NOT_VALIDATE` with the field
 */
export const reconcileGrants = (after: Identity, before: Identity | undefined, now: string): GrantFields => {
  const held = new Map(Object.entries(before?.roleAttributeGrants ?? {}));
  const setsGrants = after.roleAttributeGrants !== before?.roleAttributeGrants;
  const open = new Set(before ? openGrants({ ...before, ...withoutEnded(before, now) }).map(([attribute]) => attribute) : []);
  const attributes = new Set(
    after.roleAttributes === before?.roleAttributes
      ? withoutEnded(after, now).roleAttributes.filter((each) => !setsGrants || !open.has(each))
      : after.roleAttributes,
  );
  const grants = new Map<string, RoleAttributeGrant>();
  for (const [attribute, grant] of setsGrants ? Object.entries(after.roleAttributeGrants ?? {}) : held) {
    const isKept = isSameJson(held.get(attribute), grant);
    if (isKept && !open.has(attribute)) refuseEnded(attribute, grant, attributes);
    else if (isKept && !setsGrants && !attributes.has(attribute)) continue;
    else if (grant.validUntil <= now) throw notInFuture(attribute, grant, now);
    else attributes.add(attribute);
    grants.set(attribute, grant);
  }
  if (attributes.size > MAX_ATTRIBUTES)
    throw invalidField(
      'roleAttributes',
      `an identity has at most ${MAX_ATTRIBUTES} role attributes, including granted ones`,
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

/** Drops the announced ends of grants that were extended or removed, so that the new ends are announced. */
const stillAnnounced = (announced: Identity['announcedGrantEnds'] | undefined, grants: ReadonlyMap<string, RoleAttributeGrant>) => {
  const current = Object.entries(announced ?? {}).filter(([attribute, end]) => grants.get(attribute)?.validUntil === end);
  return current.length === 0 ? null : Object.fromEntries(current);
};
