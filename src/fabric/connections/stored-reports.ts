import type { router } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { Semaphore } from '../../runtime/concurrency/semaphore.ts';
import { after } from '../../runtime/platform/clock.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import { createAddressRate } from '../../runtime/platform/request-rate.ts';
import type { Connection } from '../../runtime/presence/connections.ts';
import type { Job } from '../../store/jobs/background.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import { updateRouter } from '../routers/verification.ts';
import type { PresenceJobs } from './presence-jobs.ts';

/**
 * The bound for one router's reports in the change log, in characters of JSON: enough for about a thousand usual reports at once. Routers
 * report changes of their interfaces, which they check once a minute.
 */
const CHARACTERS = { perMinute: 6000, burst: 1_048_576 } as const;

/** Fields of a router that it reports. */
type Reported = Partial<RowOf<typeof router>>;

/** Stores the fields if they have changed: later if the router reports too many changes, and then only the latest. */
export type StoreReported = (reported: Reported) => Promise<void>;

/** @returns the function that stores what is reported on one connection, whose reports `reports` keeps in order */
export type OpenReports = (connection: Connection, reports: Semaphore) => StoreReported;

export const createStoredReports = (clock: Clock, { run, requireAllowed }: PresenceJobs): OpenReports => {
  const rate = createAddressRate(clock, CHARACTERS.perMinute, CHARACTERS.burst);
  return (connection, reports) => {
    let postponed: Reported = {};
    let cancel: (() => void) | undefined;
    connection.signal.addEventListener('abort', () => cancel?.());
    const store = async (job: Job, reported: Reported): Promise<void> => {
      const row = await job.read((entities) => requireAllowed(entities, connection));
      const fields = { ...postponed, ...reported };
      postponed = {};
      if (isSameJson({ ...row, ...fields }, row)) return;
      const seconds = rate.take(connection.key.id, JSON.stringify(fields).length);
      if (seconds === 0) return job.write(async (entities) => updateRouter(entities, await requireAllowed(entities, connection), fields));
      postponed = fields;
      cancel ??= after(clock, seconds * 1000, () => {
        cancel = undefined;
        // If this fails, the fields are stored when the router connects again.
        reports.run(() => run((next) => store(next, {}))).catch(() => undefined);
      });
    };
    return (reported: Reported): Promise<void> => reports.run(() => run((job) => store(job, reported)));
  };
};
