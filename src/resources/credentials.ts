/** Decides which credentials answers show: the fields that field tables mark as `credential`. */
import { identity } from '../api/identities.ts';
import type { Kind } from '../api/kit/resource.ts';
import { protectedFrom } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import type { Entities } from '../entities/entities.ts';
import type { Row } from '../storage/port.ts';
import { credentialsOf } from './credential-fields.ts';
import { bound, fitting, idsWithin, isFilterOn } from './granted.ts';
import { ownerIn, ownersOf } from './owners.ts';

/** True if the details of a kind depend on the credentials that the call may show. */
export const withholdsCredentials = (kind: Kind, { grant, actor, isPast }: Pick<Call, 'grant' | 'actor' | 'isPast'>): boolean =>
  (isPast || grant.isDelegated || actor.kind === 'token') && credentialsOf(kind).length > 0;

/**
 * Removes the credentials that the caller may not see from details. An optional field is removed, any other becomes empty.
 * @param details the details of the rows, in the same order
 */
export const withholdCredentials = async (
  entities: Entities,
  kind: Kind,
  rows: readonly Row[],
  details: readonly Record<string, unknown>[],
  call: Call,
): Promise<void> => {
  if (!withholdsCredentials(kind, call)) return;
  const shown = await idsWithShownCredentials(entities, kind, rows, call);
  if (call.actor.kind === 'token') for (const id of ownedBy(call.actor.identity.id, kind, rows)) shown.delete(id);
  for (const [i, row] of rows.entries()) {
    const detail = details[i];
    if (!detail || shown.has(row.id)) continue;
    for (const name of credentialsOf(kind)) {
      if (kind.fields[name]?.absent) delete detail[name];
      else detail[name] = '';
    }
  }
};

/** The ids of the rows that belong to an identity: an API token must not be turned into a login of its own one. */
const ownedBy = (identityId: string, kind: Kind, rows: readonly Row[]): readonly string[] => {
  const owners = ownersOf(kind).filter(({ target }) => target === identity);
  return rows.flatMap((row) => (owners.some((owner) => ownerIn(row, owner) === identityId) ? [row.id] : []));
};

/** The ids of the rows whose credentials the call may show, but for those of the caller's own identity. */
const idsWithShownCredentials = async (entities: Entities, kind: Kind, rows: readonly Row[], call: Call): Promise<Set<string>> => {
  if (call.isPast) return new Set();
  return call.grant.isDelegated ? idsShownToDelegate(entities, kind, rows, call) : new Set(rows.map(({ id }) => id));
};

/**
 * The ids of the rows whose credentials a delegated caller may see. The caller must have the right to create or update them. Their owner must be within
 * the caller's limits and must not be an administrator. If owners have credentials themselves, as routers do, the caller must be allowed to see those.
 */
const idsShownToDelegate = async (entities: Entities, kind: Kind, rows: readonly Row[], call: Call): Promise<Set<string>> => {
  const ids = rows.map(({ id }) => id);
  const filters = call.grant.credentials.get(kind.kind) ?? [];
  // Enrollments have no role attributes: a scope applies to the identities that they belong to.
  const isOnOwners = filters !== true && filters.length > 0 && filters.every((filter) => !isFilterOn(filter, kind));
  const shown = new Set(isOnOwners ? ids : await matchingIds(entities, kind, ids, filters, call));
  const owners = ownersOf(kind);
  for (const owner of owners) {
    const { target } = owner;
    const ownedRows = rows.filter((row) => owners.find((each) => ownerIn(row, each) !== undefined) === owner);
    if (ownedRows.length === 0) continue;
    const ownerIds = ownedRows.map((row) => String(row[owner.field]));
    const changeable = await idsWithin(entities, target, call.grant.changeable, ownerIds, call);
    const within = isOnOwners ? await matchingIds(entities, target, changeable, filters, call) : changeable;
    const ofOwner = call.grant.credentials.get(target.kind) ?? [];
    const allowed = new Set(credentialsOf(target).length > 0 ? await matchingIds(entities, target, within, ofOwner, call) : within);
    const beyond = protectedFrom(call.grant.permissions ?? []);
    const outOfReach = new Set(target === identity ? await entities.referenced(identity, 'id', ownerIds, beyond) : []);
    for (const [i, row] of ownedRows.entries()) {
      const id = ownerIds[i] ?? '';
      if (!allowed.has(id) || outOfReach.has(id)) shown.delete(row.id);
    }
  }
  return shown;
};

/** The ids of entities that satisfy one of the filters on their kind. */
const matchingIds = async (
  entities: Entities,
  kind: Kind,
  ids: readonly string[],
  filters: true | readonly string[],
  call: Call,
): Promise<readonly string[]> => {
  if (filters === true) return ids;
  const found: string[] = [];
  for (const filter of filters) {
    const filtered = fitting(kind, [filter]);
    found.push(...(await entities.referenced(filtered, 'id', [...new Set(ids)], await bound(entities, filtered, [filter], call))));
  }
  return found;
};
