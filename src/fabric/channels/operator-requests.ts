import { removeEntity } from '../../call/resources/removal.ts';
import { edgeRouter, router as routerKind } from '../../contract/api/kinds.ts';
import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import type { Frame } from '../control-channel/frame.ts';
import { routerMessages } from '../control-channel/messages/routers.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import { removeCompanions } from '../routers/companion.ts';

const { quiesceRouter, dequiesceRouter, decommissionRouter } = routerMessages;

/** Maximum number of requests of a router that wait. Others are answered as failures. */
const MAX_WAITING = 4;

/**
 * Handlers for what the operator of a router has it ask for, about itself only: to be avoided by new circuits, to be used again, to be
 * deleted.
 */
export const operatorHandlers = (
  { core }: Pick<Fabric, 'core'>,
  { id, channel }: ConnectedRouter,
  setQuiesced: (routerId: string, isQuiesced: boolean) => Promise<void>,
): readonly HandlerEntry[] => {
  const mutex = createSemaphore(1, MAX_WAITING);
  const log = createRepeatedLog(core.platform);
  const answering = (done: string, work: () => Promise<void>) => async (_body: undefined, frame: Frame) => {
    try {
      await mutex.run(work);
      log('info', `at the request of its operator: ${done}`, { routerId: id });
      if (!channel.signal.aborted) channel.sendResult(frame, true, done);
    } catch (error) {
      if (!channel.signal.aborted) channel.sendResult(frame, false, 'try again later');
      log('warn', 'a request of the operator of a router has failed', { routerId: id, error });
    }
  };
  return [
    handle(
      quiesceRouter,
      answering('router quiesced', () => setQuiesced(id, true)),
    ),
    handle(
      dequiesceRouter,
      answering('router dequiesced', () => setQuiesced(id, false)),
    ),
    // The deletion closes the channel.
    handle(
      decommissionRouter,
      answering('router decommissioned', () => removeRouter(core, id)),
    ),
  ];
};

/** Deletes a router, with its terminators and companions. */
const removeRouter = (core: Fabric['core'], id: string): Promise<void> =>
  forRouters(core, (job) =>
    job.write(async (entities) => {
      const edge = await entities.get(edgeRouter, id);
      if (edge?.isTunnelerEnabled) await removeCompanions(entities, id);
      if (edge) await removeEntity(entities, edgeRouter, edge);
      else await removeEntity(entities, routerKind, await entities.require(routerKind, id));
    }),
  );
