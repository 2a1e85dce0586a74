import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { authorizeClient, RequestRefused, type RequestTokens, verifyTokens } from '../authorization/authorize.ts';
import { refusalCode } from '../control-channel/messages/circuits.ts';
import { terminatorMessages } from '../control-channel/messages/terminators.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { forRouters } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import type { TerminatorDependencies } from './hosted-terminators.ts';
import { createTerminatorFor, ownTerminator, updateOwnTerminator, withRefusalAnswers } from './terminator-requests.ts';

const { createTerminator, createTerminatorResponse, createTerminatorV1, healthEvent } = terminatorMessages;
const { removeTerminator, removeTerminatorResponse, removeTerminators, updateTerminator, updateTerminatorResponse } = terminatorMessages;

/** Handlers for the terminators that clients host through a router. */
export const edgeTerminatorHandlers = (dependencies: TerminatorDependencies, router: ConnectedRouter): readonly HandlerEntry[] => {
  const { fabric, hosted, rate } = dependencies;
  const { core } = fabric;
  const { channel, id: routerId } = router;
  const repeated = createRepeatedLog(core.platform);

  /**
   * Verifies the tokens of a host.
   * @returns a function that authorizes the host in a transaction
   * @throws RequestRefused
   */
  const authorizeHost = async (tokens: RequestTokens) => {
    const request = await verifyTokens(core, { ...tokens, type: 'Bind', routerId });
    return (entities: Entities) => authorizeClient(entities, core, request);
  };

  /**
   * @returns a function that authorizes the host in a transaction, and identifies it
   * @throws RequestRefused
   */
  const verifyHost = async (tokens: RequestTokens) => {
    const authorizeIn = await authorizeHost(tokens);
    return async (entities: Entities) => {
      const { identityId, serviceId } = await authorizeIn(entities);
      return { routerId, hostId: identityId, serviceId };
    };
  };

  /**
   * The terminator that a host names in a request; undefined if it does not exist.
   * @throws RequestRefused also if it belongs to another host
   */
  const requestedTerminator = async ({ terminatorId, ...tokens }: RequestTokens & { readonly terminatorId: string }) => {
    const hostIn = await verifyHost(tokens);
    return forRouters(core, (job) => job.read(async (entities) => ownTerminator(entities, terminatorId, await hostIn(entities))));
  };

  return [
    handle(createTerminator, (request, frame) =>
      createTerminatorFor(dependencies, router, request, {
        binding: 'edge',
        authorize: () => authorizeHost(request),
        unauthorized: 'invalidSession',
        answer: (answer) => channel.answer(frame, createTerminatorResponse, { terminatorId: request.address, ...answer }),
      }),
    ),
    handle(
      createTerminatorV1,
      // All supported routers use the newer form, which the answer to their hello announces.
      withRefusalAnswers(router, () => {
        throw new RequestRefused(refusalCode.internal, 'terminators are created by CreateTerminatorV2Request');
      }),
    ),
    handle(
      updateTerminator,
      withRefusalAnswers(router, async (update, frame) => {
        const hostIn = await verifyHost(update);
        await forRouters(core, (job) => job.write(async (entities) => updateOwnTerminator(entities, rate, await hostIn(entities), update)));
        channel.answer(frame, updateTerminatorResponse, {});
      }),
    ),
    handle(
      removeTerminator,
      withRefusalAnswers(router, async (request, frame) => {
        if (await requestedTerminator(request)) await hosted.remove(routerId, [request.terminatorId]);
        channel.answer(frame, removeTerminatorResponse, {});
      }),
    ),
    handle(removeTerminators, async ({ terminatorIds }, frame) => {
      await hosted.remove(routerId, terminatorIds);
      channel.sendResult(frame, true, 'success');
    }),
    // Only logged for operators, and not answered: hosts update the precedence themselves.
    handle(healthEvent, async (event) => {
      const { terminatorId, checkPassed } = event;
      const terminator = await requestedTerminator(event).catch((error: unknown) => {
        if (!(error instanceof RequestRefused)) throw error;
      });
      if (terminator)
        repeated('info', `a health check of a terminator has ${checkPassed ? 'passed' : 'failed'}`, { routerId, terminatorId });
    }),
  ];
};
