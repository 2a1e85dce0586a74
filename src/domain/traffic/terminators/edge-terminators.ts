import { refusalCode } from '../../../control-channel/messages/circuits.ts';
import { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import type { Entities } from '../../../entities/entities.ts';
import { createRepeatedLog } from '../../../platform/repeated-log.ts';
import { authorizeClient, RequestRefused, type RequestTokens, verifyTokens } from '../authorization/authorize.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { forRouters } from '../routers/fabric.ts';
import { type HandlerEntry, handle } from '../routers/message-handlers.ts';
import type { TerminatorDependencies } from './hosted-terminators.ts';
import { answeringRefusals, createTerminatorFor, ownTerminator, updateOwn } from './requests.ts';

const { createTerminator, createTerminatorResponse, createTerminatorV1, healthEvent } = terminatorMessages;
const { removeTerminator, removeTerminatorResponse, removeTerminators, updateTerminator, updateTerminatorResponse } = terminatorMessages;

/** Handlers for the terminators that clients host through a router. */
export const edgeTerminatorHandlers = (dependencies: TerminatorDependencies, router: ConnectedRouter): readonly HandlerEntry[] => {
  const { fabric, hosted } = dependencies;
  const { core } = fabric;
  const { channel, id: routerId } = router;
  const repeated = createRepeatedLog(core.platform);

  /** Verifies the tokens of a host. @returns authorizes it in a state @throws RequestRefused */
  const authorizeHost = async (tokens: RequestTokens) => {
    const request = await verifyTokens(core, { ...tokens, type: 'Bind', routerId });
    return (entities: Entities) => authorizeClient(entities, core, request);
  };

  const verifyHost = async (tokens: RequestTokens) => {
    const authorizeIn = await authorizeHost(tokens);
    return async (entities: Entities) => {
      const { identityId, serviceId } = await authorizeIn(entities);
      return { routerId, hostId: identityId, serviceId };
    };
  };

  /** The terminator in a request, if it exists and is of the host that asks. @throws RequestRefused */
  const ownOf = async ({ terminatorId, ...tokens }: RequestTokens & { readonly terminatorId: string }) => {
    const hostIn = await verifyHost(tokens);
    return forRouters(core, (job) => job.read(async (entities) => ownTerminator(entities, terminatorId, await hostIn(entities))));
  };

  return [
    handle(createTerminator, (request, frame) =>
      createTerminatorFor(dependencies, router, request, {
        binding: 'edge',
        authorize: () => authorizeHost(request),
        unauthorized: 'invalidSession',
        answer: (result, msg) => channel.answer(frame, createTerminatorResponse, { terminatorId: request.address, result, msg }),
      }),
    ),
    handle(
      createTerminatorV1,
      // All supported routers know the newer form, which they are offered as they connect.
      answeringRefusals(router, () => {
        throw new RequestRefused(refusalCode.internal, 'terminators are created by CreateTerminatorV2Request');
      }),
    ),
    handle(
      updateTerminator,
      answeringRefusals(router, async (update, frame) => {
        const hostIn = await verifyHost(update);
        await forRouters(core, (job) => job.write(async (entities) => updateOwn(entities, await hostIn(entities), update)));
        channel.answer(frame, updateTerminatorResponse, {});
      }),
    ),
    handle(
      removeTerminator,
      answeringRefusals(router, async (request, frame) => {
        if (await ownOf(request)) await hosted.remove(routerId, [request.terminatorId]);
        channel.answer(frame, removeTerminatorResponse, {});
      }),
    ),
    handle(removeTerminators, async ({ terminatorIds }, frame) => {
      await hosted.remove(routerId, terminatorIds);
      channel.sendResult(frame, true, 'success');
    }),
    // For operators only: hosts update the precedence themselves. There is no answer.
    handle(healthEvent, async (event) => {
      const { terminatorId, checkPassed } = event;
      const own = await ownOf(event).catch((error: unknown) => {
        if (!(error instanceof RequestRefused)) throw error;
      });
      if (own) repeated('info', `a health check of a terminator has ${checkPassed ? 'passed' : 'failed'}`, { routerId, terminatorId });
    }),
  ];
};
