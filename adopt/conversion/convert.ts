import { hasAdministratorRights } from '../../src/call/actor.ts';
import { createTimeSlice } from '../../src/runtime/concurrency/event-loop.ts';
import type { Dates } from '../../src/store/entities/entities.ts';
import type { FormerIdentified } from '../reader/fields/former-entities.ts';
import type { Findings } from './findings.ts';
import type { Former, FormerNetwork } from './former.ts';
import type { Known } from './known.ts';
import { beyondLimits, isAddressable } from './limits.ts';
import type { LossName } from './losses.ts';
import type { Adopted, Adopting, Mapping } from './mapping.ts';
import { mappings } from './mappings.ts';
import { withoutNul, withoutPrototypeKeys } from './storable.ts';
import { isoOf } from './values.ts';

/** An entity to be inserted, with its dates. */
export interface DatedEntity extends Adopted {
  readonly dates: Dates;
}

export interface Conversion extends Pick<Adopting, 'seal' | 'newId' | 'now'> {
  readonly known: Known;
  readonly findings: Findings;
  /** True to look for what is beyond the limits of this release, and for ids that no request can name. */
  readonly isChecking: boolean;
}

/** Number of entities after which other work gets a turn. */
const STEPS = 200;

/**
 * The rows for all entities of a network, one entity at a time, in the order in which they are inserted. What becomes of each is noted in
 * `findings`.
 */
export async function* convert(former: FormerNetwork, conversion: Conversion): AsyncGenerator<readonly DatedEntity[]> {
  const yieldIfDue = createTimeSlice(STEPS);
  const { findings } = conversion;
  for (const mapping of mappings) {
    for (const given of former.entities(mapping.from)) {
      findings.read(mapping.from);
      const rows = await convertOne(mapping, given, former, conversion);
      if (rows) yield rows;
      await yieldIfDue();
    }
  }
  const adoptedKinds: ReadonlySet<string> = new Set(mappings.map(({ from }) => from));
  for (const [kind, count] of former.counts()) {
    const why = NOT_ADOPTED[kind];
    if (!adoptedKinds.has(kind) && why !== undefined) findings.ignored(kind, count, why);
  }
  // A single one is that whose database this is.
  let online = 0;
  for (const { isOnline } of former.entities('controllers')) if (isOnline) online++;
  if (online <= 1) return;
  for (const { id, name, isOnline } of former.entities('controllers'))
    if (isOnline) findings.lost('cluster', { kind: 'controllers', id, name: () => name, detail: 'it is marked as running' });
}

/** Why kinds are not adopted. */
const NOT_ADOPTED: Readonly<Record<string, string>> = {
  apiSessionCertificates: 'sessions begin anew',
  apiSessions: 'sessions begin anew',
  controllers: 'members of the former cluster',
  identityTypes: 'built in here, too',
  postureCheckTypes: 'built in here, too',
  revocations: 'of sessions that have ended',
  sessions: 'sessions begin anew',
};

const convertOne = async (
  { from, adopt }: Mapping,
  given: FormerIdentified,
  network: FormerNetwork,
  { known, findings, isChecking, seal, newId, now }: Conversion,
): Promise<readonly DatedEntity[] | undefined> => {
  const texts = withoutNul(given);
  const former = withoutPrototypeKeys(texts) as never; // of the kind of the mapping
  const told = new Set<LossName>();
  const lose: Adopting['lose'] = (loss, detail) => {
    told.add(loss);
    findings.lost(loss, { kind: from, id: given.id, name: () => nameOf(given, network), detail });
  };
  if (former !== texts) lose('bounds', 'a key named __proto__ is left out');
  if (texts !== given) lose('nul', 'a text has the character U+0000');
  for (const field of given.cut ?? []) lose('bounds', `${field} nests so many objects and lists that the innermost are left out`);
  if (given.unknown.length > 0) lose('unknown', given.unknown.join(', '));
  const adopting: Adopting = { known, now, seal, newId, lose, change: (what) => findings.changed(from, what) };
  const rows = await adopt(former, adopting);
  if (typeof rows === 'string') {
    findings.leftOut(from, rows);
    return undefined;
  }
  findings.adopted(from);
  if (from === 'enrollments') noteEnd(former, findings);
  if (from === 'identities') noteAdministrator(former, findings);
  findings.hasNumericTags ||= Object.values((given as { readonly tags?: object }).tags ?? {}).some((value) => typeof value === 'number');
  const dates = datesOf(former, now);
  const dated = rows.map((row) => ({ ...row, dates }));
  if (!isChecking) return dated;
  // A second factor is addressed by its identity.
  if (from !== 'mfas' && !isAddressable(withoutNul(given.id))) findings.unaddressable(from, given.id, () => nameOf(given, network));
  // A pointer that is reported exceeds the limits, too.
  else if (!told.has('claim-pointers')) for (const fault of dated.flatMap(beyondLimits)) lose('limits', fault);
  return dated;
};

const noteEnd = ({ expiresAt }: Former<'enrollments'>, findings: Findings): void => {
  if (expiresAt) findings.outstanding(expiresAt);
};

const noteAdministrator = (identity: Former<'identities'>, findings: Findings): void => {
  if (hasAdministratorRights(identity)) findings.administrator(identity);
};

type Dated = { readonly createdAt?: Date; readonly updatedAt?: Date; readonly issuedAt?: Date | null };

/** Enrollments have one date only. */
const datesOf = ({ createdAt, updatedAt, issuedAt }: Dated, now: string): Dates => {
  const created = createdAt ?? issuedAt;
  const createdIso = created ? isoOf(created) : now;
  return { createdAt: createdIso, updatedAt: updatedAt ? isoOf(updatedAt) : createdIso };
};

/** The name by which an operator knows an entity. */
const nameOf = (
  { id, ...former }: FormerIdentified & { readonly name?: string; readonly identity?: string | null; readonly edgeRouter?: string | null },
  network: FormerNetwork,
): string => former.name ?? network.nameOf('identities', former.identity ?? '') ?? network.nameOf('routers', former.edgeRouter ?? '') ?? id;
