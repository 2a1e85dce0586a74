/**
 * Marks in the store of how far the reports of each router are counted. A mark is a lease, `usage/CONTROLLER/ROUTER`, written in the
 * transaction that counts: a report that comes again, because an answer was lost or the router or this controller has restarted, is not
 * counted again.
 */
import * as z from 'zod';
import { rowsById } from '../../call/resources/references.ts';
import { lease } from '../../contract/api/leases.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** The reports of a router are counted up to this point. */
interface ReportMark {
  /** When the last of them was made, in nanoseconds since 1970 by the clock of the router. */
  readonly at: bigint;
  /** The last circuit of that report that is counted, in the order of ids; null for all of them. */
  readonly upTo: string | null;
}

export const MARK_PREFIX = 'usage/';

/** A mark as the lease has it. */
const toldMark = z.object({ at: z.string().regex(/^\d{1,30}$/), upTo: z.string().nullable() });

/** When the last counted report was made, in ms since 1970; 0 if the mark cannot be read. */
export const timeOfMark = (told: unknown): number => {
  const { data } = toldMark.safeParse(told);
  return data ? Number(BigInt(data.at) / 1_000_000n) : 0;
};

/** The marks of some routers within a transaction. */
export interface ReportMarks {
  /** True if a circuit of a report is not counted yet. */
  isUncounted(routerId: string, at: bigint, circuitId: string): boolean;
  advance(routerId: string, mark: ReportMark): void;
  write(): Promise<void>;
}

export const reportMarksIn = async (entities: Entities, controllerId: string, routerIds: readonly string[]): Promise<ReportMarks> => {
  const idOf = (routerId: string) => `${MARK_PREFIX}${encodeURIComponent(controllerId)}/${routerId}`;
  const rows = await rowsById(entities, lease, routerIds.map(idOf));
  const marks = new Map<string, ReportMark>();
  for (const routerId of routerIds) {
    const { data } = toldMark.safeParse(rows.get(idOf(routerId))?.told);
    if (data) marks.set(routerId, { at: BigInt(data.at), upTo: data.upTo });
  }
  const advanced = new Set<string>();
  return {
    isUncounted: (routerId, at, circuitId) => {
      const mark = marks.get(routerId);
      return mark === undefined || at > mark.at || (at === mark.at && mark.upTo !== null && circuitId > mark.upTo);
    },
    advance: (routerId, mark) => {
      marks.set(routerId, mark);
      advanced.add(routerId);
    },
    write: async () => {
      for (const routerId of advanced) {
        const [row, mark] = [rows.get(idOf(routerId)), marks.get(routerId)];
        const told = { at: String(mark?.at ?? 0n), upTo: mark?.upTo ?? null };
        if (row) await entities.update(lease, row, { told });
        else await entities.insert(lease, { id: idOf(routerId), holder: controllerId, until: null, told });
      }
    },
  };
};
