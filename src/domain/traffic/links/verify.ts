import { router as routerKind } from '../../../api/routers.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import type { linkMessages } from '../../../control-channel/messages/links.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';

/** Says whether one of these certificates is the current one of a router, which another router is about to make a link with. */
export const verify = async (
  { core }: Pick<Fabric, 'core'>,
  { channel }: ConnectedRouter,
  { routerId, fingerprints }: MessageBody<(typeof linkMessages)['verifyRouter']>,
  frame: Frame,
): Promise<void> => {
  const row = await forRouters(core, (job) => job.read((entities) => entities.get(routerKind, routerId)));
  const isIt = row !== undefined && !row.disabled && row.fingerprint !== null && fingerprints.includes(row.fingerprint ?? '');
  channel.conclude(frame, isIt, isIt ? 'router verified' : 'these are no certificates of the router');
};
