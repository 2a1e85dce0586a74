import type { Entities } from '../../../changes/entities.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { refusalCode } from '../../../control-channel/messages/circuits.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import { createRepeatedLog } from '../../../platform/repeated-log.ts';
import { ClaimRefused, readClaim, rightOf, type TrafficClaim } from '../authorization/authorize.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { forRouters } from '../routers/fabric.ts';
import { type HandlerRow, handling } from '../routers/message-handlers.ts';
import { BindRefused, bind, checkRequest } from './bind.ts';
import type { HostingPlace } from './hosted-terminators.ts';
import { type Host, ownTerminator, refusing, updateOwn } from './requests.ts';

const { createTerminator, createTerminatorResponse, createTerminatorV1 } = terminatorMessages;
const { removeTerminator, removeTerminatorResponse, removeTerminators } = terminatorMessages;
const { updateTerminator, updateTerminatorResponse, healthEvent } = terminatorMessages;

/** A client hosts a service. */
const create = async (
  place: HostingPlace,
  router: ConnectedRouter,
  request: MessageBody<typeof createTerminator>,
  frame: Frame,
): Promise<void> => {
  const { fabric, rights, host, remove } = place;
  const { core } = fabric;
  const { address: id, peerData } = request;
  const judgedAt = rights.time;
  const { channel } = router;
  /** A claim that does not hold, in the words of this answer. */
  const orInvalid = (error: unknown) => {
    throw error instanceof ClaimRefused ? new BindRefused('invalidSession', error.message) : error;
  };
  try {
    checkRequest(request);
    const claim = await readClaim(core, { ...request, type: 'Bind', routerId: router.id }).catch(orInvalid);
    const right = await forRouters(core, (job) =>
      job.write(async (entities) => {
        const claimed = await rightOf(entities, core, claim).catch(orInvalid);
        await bind(entities, core, claimed, 'edge', request);
        return claimed;
      }),
    );
    host(router, { id, right, peerData, isConfirmed: true }, judgedAt);
    if (!channel.signal.aborted) channel.answer(frame, createTerminatorResponse, { terminatorId: id, result: 'success' });
  } catch (error) {
    if (channel.signal.aborted) return;
    const [result, msg] = error instanceof BindRefused ? [error.result, error.message] : (['busy', 'try again later'] as const);
    channel.answer(frame, createTerminatorResponse, { terminatorId: id, result, msg });
    if (!(error instanceof BindRefused)) throw error;
    // It may have been hosted by right until its router was lost.
    if (error.result === 'invalidSession') await remove(router.id, [id]);
    core.platform.logger.info('a router may not host what it asked for', { routerId: router.id, reason: msg });
  }
};

type Tokens = Pick<TrafficClaim, 'sessionToken' | 'apiSessionToken' | 'fingerprints'>;

/** What clients host by a router. */
export const edgeTerminatorHandlers = (place: HostingPlace, router: ConnectedRouter): readonly HandlerRow[] => {
  const { core } = place.fabric;
  const { channel, id: routerId } = router;
  const repeated = createRepeatedLog(core.platform);

  /** Who says something of a terminator, by the tokens that come with it: read now, and held against a state later. @throws ClaimRefused */
  const hostBy = async (tokens: Tokens) => {
    const claim = await readClaim(core, { ...tokens, type: 'Bind', routerId });
    return async (entities: Entities): Promise<Host> => {
      const { identityId, serviceId } = await rightOf(entities, core, claim);
      return { routerId, hostId: identityId, serviceId };
    };
  };

  /** The terminator, if it is there and of who says so. @throws ClaimRefused */
  const ownBy = async ({ terminatorId, ...tokens }: Tokens & { readonly terminatorId: string }) => {
    const hostIn = await hostBy(tokens);
    return forRouters(core, (job) => job.read(async (entities) => ownTerminator(entities, terminatorId, await hostIn(entities))));
  };

  return [
    handling(createTerminator, (request, frame) => create(place, router, request, frame)),
    handling(
      createTerminatorV1,
      // Each router of the lines that are let in knows the newer form, which it is offered as it connects.
      refusing(router, () => {
        throw new ClaimRefused(refusalCode.internal, 'terminators are created by CreateTerminatorV2Request');
      }),
    ),
    handling(
      updateTerminator,
      refusing(router, async (update, frame) => {
        const hostIn = await hostBy(update);
        await forRouters(core, (job) => job.write(async (entities) => updateOwn(entities, await hostIn(entities), update)));
        channel.answer(frame, updateTerminatorResponse, {});
      }),
    ),
    handling(
      removeTerminator,
      refusing(router, async (said, frame) => {
        if (await ownBy(said)) await place.remove(routerId, [said.terminatorId]);
        channel.answer(frame, removeTerminatorResponse, {});
      }),
    ),
    handling(removeTerminators, async ({ terminatorIds }, frame) => {
      await place.remove(routerId, terminatorIds);
      channel.conclude(frame, true, 'success');
    }),
    // Hosts change the precedence themselves: what is left is for operators. Nobody waits for an answer.
    handling(healthEvent, async (said) => {
      const { terminatorId, checkPassed } = said;
      const known = await ownBy(said).catch((error: unknown) => {
        if (!(error instanceof ClaimRefused)) throw error;
      });
      if (known) repeated('info', `a health check of what is hosted has ${checkPassed ? 'passed' : 'failed'}`, { routerId, terminatorId });
    }),
  ];
};
