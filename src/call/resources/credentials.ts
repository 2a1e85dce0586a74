/** Decides which credentials answers show: the fields that field tables mark as `credential`. */

import { identity } from '../../contract/api/identities.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { protectedFrom } from '../actor.ts';
import type { Call } from '../call.ts';
import { type Limit, limitIn, NO_ENTITY } from '../limit.ts';
import { credentialsOf } from './credential-fields.ts';
import { fits, idsIn } from './granted.ts';
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
 * The ids of the rows whose credentials a delegated caller may see. The caller must have the right to create or update them. Their owner
 * must be within the caller's limits and must not be an administrator. If owners have credentials themselves, as routers do, the caller
 * must be allowed to see those.
 */
const idsShownToDelegate = async (entities: Entities, kind: Kind, rows: readonly Row[], call: Call): Promise<Set<string>> => {
  const ids = rows.map(({ id }) => id);
  const { changeable, credentials, permissions = [] } = call.grant;
  const credentialLimit = ({ kind }: Kind): Limit => credentials.get(kind) ?? NO_ENTITY;
  const limit = credentialLimit(kind);
  // Enrollments have no role attributes: a scope applies to the identities that they belong to.
  const isOnOwners = !fits(limit, kind);
  const shown = new Set(isOnOwners ? ids : await idsIn(entities, kind, limit, ids, call));
  const owners = ownersOf(kind);
  for (const owner of owners) {
    const { target } = owner;
    const ownedRows = rows.filter((row) => owners.find((each) => ownerIn(row, each) !== undefined) === owner);
    if (ownedRows.length === 0) continue;
    const ownerIds = ownedRows.map((row) => String(row[owner.field]));
    const limits = [
      limitIn(changeable, target),
      ...(isOnOwners ? [limit] : []),
      ...(credentialsOf(target).length > 0 ? [credentialLimit(target)] : []),
    ];
    let within: readonly string[] = ownerIds;
    for (const each of limits) within = await idsIn(entities, target, each, within, call);
    const allowed = new Set(within);
    const outOfReach = new Set(target === identity ? await entities.referenced(identity, 'id', ownerIds, protectedFrom(permissions)) : []);
    for (const [i, row] of ownedRows.entries()) {
      const id = ownerIds[i] ?? '';
      if (!allowed.has(id) || outOfReach.has(id)) shown.delete(row.id);
    }
  }
  return shown;
};
