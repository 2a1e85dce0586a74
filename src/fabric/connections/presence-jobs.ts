import type { Core } from '../../call/core.ts';
import type { StoreErrors } from '../../call/store-errors.ts';
import { router } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import { type Connection, DELETED } from '../../runtime/presence/connections.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Job } from '../../store/jobs/background.ts';

const ATTRIBUTION = { actor: 'system', requestId: 'presence' } as const;

/** Reads and writes for connections of routers. Errors of the store become errors of the API. */
export interface PresenceJobs {
  run<T>(work: (job: Job) => Promise<T>): Promise<T>;
  read<T>(work: (entities: Entities) => Promise<T>): Promise<T>;
  /**
   * The row of a router that may be connected. The connection of any other router is closed.
   * @throws ApiError `UNAUTHORIZED` if the connection is closed
   */
  requireAllowed(entities: Entities, connection: Connection): Promise<RowOf<typeof router>>;
}

export const createPresenceJobs = (
  { presence, background }: Pick<Core, 'presence' | 'background'>,
  storeErrors: StoreErrors,
): PresenceJobs => {
  const run: PresenceJobs['run'] = (work) =>
    background.run(ATTRIBUTION, work).catch((error: unknown) => {
      throw storeErrors(error, { requestId: ATTRIBUTION.requestId });
    });
  return {
    run,
    read: (work) => run((job) => job.read(work)),
    requireAllowed: async (entities, connection) => {
      const row = await entities.get(router, connection.key.id);
      if (!row) connection.close(DELETED);
      else presence.closeUnlessAllowed(row);
      if (!row || connection.signal.aborted) throw unauthorized(String(connection.signal.reason?.message ?? ''));
      return row;
    },
  };
};
