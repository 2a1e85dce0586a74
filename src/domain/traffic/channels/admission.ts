import type { Core } from '../../../call/core.ts';
import { RefusedHello } from '../../../control-channel/accept.ts';
import type { Channel } from '../../../control-channel/channel.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { earlierHelloHeader, header, helloHeader, routerCapability } from '../../../control-channel/header-fields.ts';
import { channelMessages } from '../../../control-channel/messages/channel.ts';
import { linkListeners } from '../../../control-channel/messages/links.ts';
import { ApiError } from '../../../errors/index.ts';
import { monotonic } from '../../../platform/timers.ts';
import type { Presence } from '../../fabric/connections/presence.ts';
import type { ConnectedRouter, ConnectedRouters } from '../routers/connected-routers.ts';
import { isUnderstood, readSpokenVersion } from './versions.ts';

/** For that long a connection is not replaced by another one of the same router. ms */
const KEPT_AT_LEAST = 60_000;

/** What admission looks at. */
export interface AdmissionPlace {
  readonly core: Pick<Core, 'platform'>;
  readonly presence: Presence;
  readonly connected: ConnectedRouters;
}

/**
 * Connects the router that the certificates prove. What its hello says counts only where it agrees with them.
 * @throws RefusedHello
 */
export const admit = async (
  { core, presence, connected }: AdmissionPlace,
  certificates: readonly Uint8Array[],
  hello: Frame,
  channel: Channel,
): Promise<ConnectedRouter> => {
  const version = readSpokenVersion(header.version.in(hello) ?? '');
  if (!isUnderstood(version)) throw new RefusedHello(`routers of version '${version.version}' are not supported`);
  const { listeners } = linkListeners.decode(listenersIn(hello) ?? new Uint8Array(), MOST_IN_LISTENERS);
  const claimedId = channelMessages.hello.decode(hello.body);
  const now = monotonic(core.platform.clock);
  const mayConnect = (id: string): void => {
    if (claimedId !== id) throw new RefusedHello('the certificate is that of another router');
    const before = connected.get(id);
    if (before && now - before.since < KEPT_AT_LEAST) throw new RefusedHello('the router has connected just before');
  };
  const connection = await presence.connect({ certificates, versionInfo: version, admit: mayConnect }).catch((error: unknown) => {
    throw error instanceof ApiError && REFUSALS.has(error.code) ? new RefusedHello(error.message) : error;
  });
  const isAnew = header.connectionId.in(hello) === undefined;
  const { routerId: id } = connection;
  const router = { id, channel, connection, since: now, isAnew, version: version.version, linkListeners: listeners, carried: {} };
  connected.add(router);
  return router;
};

/** Keys from 10 on mean something else in the hello of a later router. */
const listenersIn = (hello: Frame): Uint8Array | undefined => {
  const isLater = helloHeader.capabilities.in(hello)?.includes(routerCapability.multiChannel);
  return (isLater ? helloHeader : earlierHelloHeader).listeners.in(hello);
};

/** Elements of what a router says about its listeners. */
const MOST_IN_LISTENERS = 4096;

/** Refusals that the router is told of; others are trouble of the controller. */
const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'COULD_NOT_VALIDATE']);
