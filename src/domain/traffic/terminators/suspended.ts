import type { RowOf } from '../../../api/kit/resource.ts';
import { terminator } from '../../../api/terminators.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { and, equals, not, oneOf, type Predicate, stringField } from '../../../query/index.ts';
import type { StandingRights } from '../authorization/watch.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { forRouters } from '../routers/fabric.ts';
import type { HostedTerminator } from './hosted.ts';

/** The terminators that are hosted by a router; not those that administrators made. */
export const hostedBy = (routerId: string): Predicate =>
  and(equals(stringField('routerId'), routerId), oneOf(stringField('binding'), ['edge', 'tunnel']), not(equals(stringField('hostId'), '')));

/** Those of these terminators that the router hosts. */
export const hostedAmong = (entities: Entities, routerId: string, ids: readonly string[]) =>
  entities.list(terminator, { where: and(hostedBy(routerId), oneOf(stringField('id'), ids)) });

/** Removes those of these terminators that the router hosts. @returns them */
export const removeHosted = async (entities: Entities, routerId: string, ids: readonly string[]) => {
  const rows = await hostedAmong(entities, routerId, ids);
  for (const row of rows) await entities.remove(terminator, row);
  return rows;
};

type Hosted = Pick<HostedTerminator, 'id' | 'right' | 'peerData' | 'isConfirmed'>;
type Host = (router: ConnectedRouter, hosted: Hosted, judgedAt: number) => void;

/** Terminators that are away because their right is, while their hosts go on: they are there again as soon as it is. */
export interface Suspended {
  /** @param host what has the router host it again */
  suspend(router: ConnectedRouter, hosted: Hosted, host: Host): Promise<void>;
  /** It is removed for good, or created anew. */
  giveUp(id: string): void;
}

export const createSuspended = ({ core, rights }: { readonly core: Core; readonly rights: StandingRights }): Suspended => {
  const waiting = new Map<string, () => void>();
  const giveUp = (id: string): void => {
    waiting.get(id)?.();
    waiting.delete(id);
  };
  const comeBack = async (router: ConnectedRouter, row: RowOf<typeof terminator>, hosted: Hosted, host: Host): Promise<void> => {
    const judgedAt = rights.time;
    const { version: _, createdAt: __, updatedAt: ___, ...fields } = row;
    await forRouters(core, (job) =>
      job.write(async (entities) => {
        if (!(await entities.get(terminator, row.id))) await entities.insert(terminator, fields);
      }),
    );
    host(router, hosted, judgedAt);
  };
  return {
    giveUp,
    suspend: async (router, hosted, host) => {
      const { id, right } = hosted;
      const { signal } = router.channel;
      const [row] = await forRouters(core, (job) => job.write((entities) => removeHosted(entities, router.id, [id])));
      if (!row || signal.aborted) return;
      const begin = () => {
        giveUp(id);
        if (signal.aborted) return;
        comeBack(router, row, hosted, host).catch((error: unknown) =>
          core.platform.logger.warn('a terminator could not come back', { terminatorId: id, error }),
        );
      };
      const stop = rights.awaitReturn(right, begin);
      const gone = () => giveUp(id);
      signal.addEventListener('abort', gone);
      waiting.set(id, () => {
        stop();
        signal.removeEventListener('abort', gone);
      });
    },
  };
};
