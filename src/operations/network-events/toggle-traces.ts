import { actorId } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import type { networkEvents } from '../../contract/api/network-events.ts';
import { matcherOf } from './subscriptions.ts';

type Operation = (typeof networkEvents)['operations']['toggleTraces'];

/** Traces cost routers work, and show who uses what: this is for administrators whom the host has not limited. Nothing is stored. */
export const toggleTraces = async ({ core, actor }: Call, { body }: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  const { enable, appRegex, pipeRegex, verbosity = 'none' } = body;
  const isSelected = matcherOf('appRegex', appRegex);
  // Routers match the names of their channels themselves.
  matcherOf('pipeRegex', pipeRegex);
  const routers = await core.traffic.toggleTraces({ enable, verbosity, pipeRegex }, isSelected);
  core.platform.logger.info(`an administrator has turned traces of routers ${enable ? 'on' : 'off'}`, { identityId: actorId(actor) });
  return [...routers];
};
