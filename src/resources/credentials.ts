/** Credentials in answers: fields that the tables of kinds declare so. */
import { identity } from '../api/identities.ts';
import type { Kind } from '../api/kit/resource.ts';
import { ADMINISTRATORS } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import type { Entities } from '../entities/entities.ts';
import type { Row } from '../storage/port.ts';
import { bound, fitting, idsWithin } from './granted.ts';
import { ownerIn, ownersOf } from './owners.ts';

/** The credentials that answers show of a kind: names of fields. */
export const credentialsOf = ({ fields }: Pick<Kind, 'fields'>): readonly string[] =>
  Object.keys(fields).filter((name) => fields[name]?.credential);

/** True if the details of a kind depend on the credentials that the call may show. */
export const withholdsCredentials = (kind: Kind, { grant }: Pick<Call, 'grant'>): boolean =>
  grant.isDelegated && credentialsOf(kind).length > 0;

/**
 * Takes the credentials out of details that the call may not show. They are left out where the field may be missing, and empty otherwise.
 * @param details of the rows, in their order
 */
export const withholdCredentials = async (
  entities: Entities,
  kind: Kind,
  rows: readonly Row[],
  details: readonly Record<string, unknown>[],
  call: Call,
): Promise<void> => {
  if (!withholdsCredentials(kind, call)) return;
  const shown = await showing(entities, kind, rows, call);
  for (const [i, row] of rows.entries()) {
    const detail = details[i];
    if (!detail || shown.has(row.id)) continue;
    for (const name of credentialsOf(kind)) {
      if (kind.fields[name]?.absent) delete detail[name];
      else detail[name] = '';
    }
  }
};

/**
 * The ids of those whose credentials a delegated call may show: it may create or update them; and what they are for is within its limits, no administrator, and
 * if it has credentials itself, as routers have, the call may show those, too.
 */
const showing = async (entities: Entities, kind: Kind, rows: readonly Row[], call: Call): Promise<ReadonlySet<string>> => {
  const ids = rows.map(({ id }) => id);
  const shown = new Set(await grantedAmong(entities, kind, ids, call));
  const owners = ownersOf(kind);
  for (const owner of owners) {
    const { target } = owner;
    const its = rows.filter((row) => owners.find((each) => ownerIn(row, each) !== undefined) === owner);
    const owned = its.map((row) => String(row[owner.field]));
    const within = await idsWithin(entities, target, call.grant.changeable, owned, call);
    const allowed = new Set(credentialsOf(target).length > 0 ? await grantedAmong(entities, target, within, call) : within);
    const administrators = new Set(target === identity ? await entities.referenced(identity, 'id', owned, ADMINISTRATORS) : []);
    for (const [i, row] of its.entries()) {
      const id = owned[i] ?? '';
      if (!allowed.has(id) || administrators.has(id)) shown.delete(row.id);
    }
  }
  return shown;
};

/** Those of some ids of a kind whose credentials the rule lets the call show. */
const grantedAmong = async (entities: Entities, kind: Kind, ids: readonly string[], call: Call): Promise<readonly string[]> => {
  const filters = call.grant.credentials.get(kind.kind);
  if (filters === true) return ids;
  const found: string[] = [];
  for (const filter of filters ?? []) {
    const as = fitting(kind, [filter]);
    found.push(...(await entities.referenced(as, 'id', [...new Set(ids)], await bound(entities, as, [filter], call))));
  }
  return found;
};
