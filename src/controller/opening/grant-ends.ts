import { announceEnds, type EndedRows, endedRows, endGrants } from '../../access/expiry/end-grants.ts';
import { createSingleFlight } from '../../runtime/concurrency/single-flight.ts';
import { isoTime, MINUTE, pause } from '../../runtime/platform/clock.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { EXPIRED, EXPIRING } from '../../store/changelog/log.ts';
import { type EntitiesContext, entitiesOf } from '../../store/entities/entities.ts';
import type { Settling } from '../../store/entities/settled-store.ts';
import type { Write } from '../../store/entities/writer.ts';
import type { Background } from '../../store/jobs/background.ts';
import { type EarliestEnds, GrantHasEnded } from '../../store/read-cache/earliest-ends.ts';
import type { ReadCache } from '../../store/read-cache/read-cache.ts';
import type { Store, Transaction } from '../../store/storage/port.ts';
import { createRetries, RETRY_MS } from './retries.ts';

interface GrantEndsParts {
  /** The store itself, whose transactions may see ended grants. */
  readonly store: Store;
  readonly platform: Pick<Platform, 'clock' | 'logger'>;
  readonly background: () => Background;
  readonly readCache: ReadCache;
  readonly earliest: EarliestEnds;
  /** Writes in transactions that may see ended grants. */
  readonly writeEnds: Write;
  readonly common: Omit<EntitiesContext, 'actor' | 'requestId'>;
  /** The time before its end at which a grant is announced; 0 for never. Minutes */
  readonly noticeMinutes: number;
}

/** Takes grants out of effect when they end. */
export interface GrantEnds extends Pick<Settling, 'settle' | 'settledRows'> {
  /** Does so at the time of each end, and announces ends, until the controller closes. Resolves once this is known to be up to date. */
  begin(): Promise<void>;
}

/** Number of ended grants for which reads wait, unless others are being ended already: a few milliseconds of work. */
const FEW = 8;
/** Maximum number of ended identities, and of ended policies, in a view. If there are more, reads wait. */
const MAX_IN_VIEW = 500;
/** The longest delay that timers accept in all runtimes. ms */
const MAX_DELAY = 2 ** 31 - 1;
const FAILURE = 'could not end or announce grants; retrying. Until then, calls that would see an ended grant try it first';

export const createGrantEnds = (parts: GrantEndsParts): GrantEnds => {
  const { store, platform, background, readCache, earliest, writeEnds, common, noticeMinutes } = parts;
  const { clock } = platform;
  const { start, failed } = createRetries(platform, background, EXPIRED, FAILURE);
  const notice = noticeMinutes === 0 ? -Infinity : noticeMinutes * MINUTE;
  /** When something is due next: an end, or its announcement. ms since 1970 */
  const nextDue = () => Math.min(earliest.bounds.grantsEndAt, earliest.bounds.unannouncedEndAt - notice);

  const settling = createSingleFlight(() =>
    background().run(EXPIRED, async ({ signal }) => {
      const readEnds = () => store.transaction('read', readCache.readEnds, { signal });
      await readEnds();
      while (earliest.bounds.grantsEndAt <= clock.now()) {
        await writeEnds({ ...common, ...EXPIRED }, signal, (entities) => endGrants(entities, isoTime(clock.now())));
        await readEnds();
      }
    }),
  );
  const settle = settling.run;
  let known: { readonly revision: number; readonly from: number; readonly rows: Promise<EndedRows> } | undefined;
  /** The rows that differ, read once for each revision and moment, and shared by all calls in between. */
  const endedIn = async (tx: Transaction): Promise<EndedRows> => {
    const revision = await tx.revision();
    const from = clock.now();
    if (known?.revision === revision && known.from <= from) {
      const rows = await known.rows.catch(() => undefined);
      if (rows && clock.now() < rows.until) return rows;
    }
    const rows = endedRows(entitiesOf(tx, { ...common, ...EXPIRED }), isoTime(from), MAX_IN_VIEW);
    known = { revision, from, rows };
    return rows;
  };
  const settledRows: Settling['settledRows'] = async (tx) => {
    // Until the ends have been read, there may be none: settling reads them.
    if (earliest.bounds.grantsEndAt === -Infinity && !settling.isRunning) throw new GrantHasEnded();
    const { tables, size } = await endedIn(tx);
    if (size > MAX_IN_VIEW || (size <= FEW && !settling.isRunning)) throw new GrantHasEnded();
    // Does not wait. If it fails, the next call or the job below tries again.
    settle().catch(() => undefined);
    return tables;
  };
  const announce = () =>
    background().run(EXPIRING, ({ write }) => write((entities) => announceEnds(entities, isoTime(clock.now() + notice))));

  /**
   * Does what is due.
   * @returns the delay until something is due again. ms
   */
  const step = async (signal: AbortSignal): Promise<number> => {
    try {
      if (earliest.bounds.grantsEndAt <= clock.now()) await settle();
      if (nextDue() <= clock.now()) {
        await announce();
        await settle();
      }
      return Math.min(Math.max(nextDue() - clock.now(), 1), MAX_DELAY);
    } catch (error) {
      failed(error, signal);
      return RETRY_MS;
    }
  };
  return {
    settle,
    settledRows,
    begin: async () => {
      let waking = new AbortController();
      earliest.onEarlier(() => waking.abort());
      await settle();
      start(async (signal) => {
        while (!signal.aborted) {
          waking = new AbortController();
          await pause(clock, await step(signal), AbortSignal.any([signal, waking.signal]));
        }
      });
    },
  };
};
