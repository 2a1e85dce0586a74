import type { Core } from '../../call/core.ts';
import { apiToken } from '../../contract/api/kinds.ts';
import { and, dateField, type Predicate } from '../../query/index.ts';
import { DAY, HOUR, isoTime } from '../../runtime/platform/clock.ts';
import { type Run, schedule } from '../../store/jobs/schedule.ts';

/** Maximum number of tokens that one transaction announces. */
const BATCH_SIZE = 100;

/**
 * Announces each API token that is about to expire, once for all controllers of the network: the event is the change record of the mark.
 */
export const announceExpiries = ({ background, platform, settings }: Pick<Core, 'background' | 'platform' | 'settings'>): void =>
  schedule(background, platform, { name: 'api-token-expiry', every: 6 * HOUR, by: 'one' }, (run) =>
    announce(run, platform.clock.now(), settings.apiTokenNoticeDays * DAY),
  );

const announce = async ({ read, write, signal }: Run, now: number, leadTime: number): Promise<void> => {
  const due: Predicate = and(
    { op: 'compare', field: dateField('expiresAt'), is: '>', value: isoTime(now) },
    { op: 'compare', field: dateField('expiresAt'), is: '<=', value: isoTime(now + leadTime) },
    { op: 'isNull', field: dateField('expiryAnnouncedAt') },
  );
  const query = { where: due, limit: BATCH_SIZE };
  while (!signal.aborted && (await read((entities) => entities.list(apiToken, query))).length > 0)
    await write(async (entities) => {
      for (const row of await entities.list(apiToken, query)) await entities.update(apiToken, row, { expiryAnnouncedAt: isoTime(now) });
    });
};
