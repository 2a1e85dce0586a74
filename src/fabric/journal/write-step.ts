import { rowsById } from '../../call/resources/references.ts';
import type { UsageQuota } from '../../call/usage-quotas.ts';
import { journalEntry } from '../../contract/api/journal.ts';
import type { ToldEvent } from '../../contract/network-events/kinds.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { entryFieldsOf, entryIdOf, type JournaledCircuit, type KeptEntry } from './entries.ts';
import { createQuotaCounts, type QuotaCounts } from './quota-counts.ts';
import { type ReportMarks, reportMarksIn } from './report-marks.ts';
import { addedBytes, type CountedBytes, createUsageSums, type UsageSums } from './usage-sums.ts';

/** Bytes of a circuit, counted by the router of its client. */
export interface CircuitUsage {
  readonly circuit: JournaledCircuit;
  readonly intervals: readonly UsageInterval[];
}

interface UsageInterval extends CountedBytes {
  /** ms since 1970 */
  readonly begin: number;
}

/** A part of a report of a router. */
export interface UsagePart {
  readonly routerId: string;
  /** When the report was made, in nanoseconds since 1970 by the clock of the router. */
  readonly at: bigint;
  /** In the order of the ids of the circuits. */
  readonly usages: readonly CircuitUsage[];
  /** True for the last part of the report. */
  readonly isLast: boolean;
}

/** The entries and the usage that one transaction writes. */
export interface JournalStep {
  /** Among them those of the reported circuits that the store does not have. */
  readonly entries: readonly KeptEntry[];
  readonly parts: readonly UsagePart[];
  /** The names of identities and services by id. */
  nameOf(id: string): string;
  /** The quotas of the host, and the time by which their periods are current. ms since 1970 */
  readonly quotas: readonly UsageQuota[];
  readonly now: number;
}

/** The outcome of a step. */
export interface JournalStepResult {
  /** Number of reported circuits that had been counted before. */
  readonly repeated: number;
  /** The quotas that were exceeded. */
  readonly exceeded: readonly ToldEvent<'quota'>[];
}

const NONE: CountedBytes = { bytesSent: 0, bytesReceived: 0 };
const ONE_CIRCUIT = { circuits: 1, ...NONE };

/**
 * Writes entries, and counts usage in the sums and in the entries of its circuits. Repeated because its answer was lost, it counts nothing
 * again.
 */
export const writeStep = async (entities: Entities, controllerId: string, step: JournalStep): Promise<JournalStepResult> => {
  const { entries, parts, nameOf } = step;
  const sums = createUsageSums();
  const quotaCounts = createQuotaCounts(step.quotas, step.now, controllerId);
  const marks = await reportMarksIn(entities, controllerId, [...new Set(parts.map(({ routerId }) => routerId))]);
  const { bytes, repeated } = count(parts, marks, sums, quotaCounts);
  const rows = await rowsById(entities, journalEntry, [...entries.map(({ id }) => id), ...bytes.keys()]);
  for (const entry of entries) {
    const row = rows.get(entry.id);
    const more = bytes.get(entry.id) ?? NONE;
    bytes.delete(entry.id);
    const { outcome, end, routers } = entry;
    if (row) await entities.update(journalEntry, row, { outcome, end, routers: merged(row.routers, routers), ...addedBytes(row, more) });
    else {
      await entities.insert(journalEntry, { ...entryFieldsOf(entry), ...more });
      if (outcome !== 'failed') sums.add(entry, Date.parse(entry.begin), ONE_CIRCUIT);
    }
  }
  for (const [id, more] of bytes) {
    const row = rows.get(id);
    // Retention may have dropped it.
    if (row) await entities.update(journalEntry, row, addedBytes(row, more));
  }
  await sums.write(entities, nameOf);
  const exceeded = await quotaCounts.write(entities);
  await marks.write();
  return { repeated, exceeded };
};

/** Adds the usage that is not counted yet to the sums, and advances the marks. */
const count = (parts: readonly UsagePart[], marks: ReportMarks, sums: UsageSums, quotaCounts: QuotaCounts) => {
  const bytes = new Map<string, CountedBytes>();
  let repeated = 0;
  for (const { routerId, at, usages, isLast } of parts) {
    let last = '';
    for (const { circuit, intervals } of usages) {
      if (!marks.isUncounted(routerId, at, circuit.id)) {
        repeated++;
        continue;
      }
      last = circuit.id;
      const id = entryIdOf(circuit);
      const key = { identityId: circuit.clientId, serviceId: circuit.serviceId, routerId };
      for (const { begin, ...counted } of intervals) {
        sums.add(key, begin, { circuits: 0, ...counted });
        quotaCounts.add(key, begin, counted);
        bytes.set(id, addedBytes(bytes.get(id) ?? NONE, counted));
      }
    }
    if (last !== '') marks.advance(routerId, { at, upTo: isLast ? null : last });
  }
  return { bytes, repeated };
};

const merged = (one: readonly string[], other: readonly string[]): readonly string[] => [...new Set([...one, ...other])];
