import type { Core } from '../../../call/core.ts';
import { RefusedHello } from '../../../control-channel/accept.ts';
import type { Channel } from '../../../control-channel/channel.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import {
  capability,
  earlierHelloHeader,
  type Header,
  header,
  helloHeader,
  routerCapability,
} from '../../../control-channel/header-fields.ts';
import { channelMessages } from '../../../control-channel/messages/channel.ts';
import { linkListeners } from '../../../control-channel/messages/links.ts';
import { utf8 } from '../../../control-channel/primitives.ts';
import { ApiError } from '../../../errors/index.ts';
import { monotonic } from '../../../platform/clock.ts';
import { software } from '../../../version.ts';
import type { Presence } from '../../fabric/connections/presence.ts';
import type { ConnectedRouter, ConnectedRouters } from '../routers/connected-routers.ts';

/** Minimum age of a connection before another one of the same router may replace it. ms */
const MIN_CONNECTION_AGE = 60_000;

/** Maximum number of elements in the link listeners of a hello. */
const MAX_LISTENER_ELEMENTS = 4096;

/** Codes of the errors that refuse a router. Their messages are sent to it; other errors are failures of the controller. */
const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'COULD_NOT_VALIDATE']);

/** Versions of routers that speak this protocol: 1.x, 2.x, and development builds, which report 0.0.0. */
const SUPPORTED = /^v?(?:[12]\.\d|0\.0\.0)/;

/** Dependencies of admission. */
export interface AdmissionDependencies {
  readonly core: Pick<Core, 'platform'>;
  readonly presence: Presence;
  readonly connected: ConnectedRouters;
}

/**
 * Admits the router that the certificates identify. Its hello must match them.
 * @throws RefusedHello
 */
export const admit = async (
  { core, presence, connected }: AdmissionDependencies,
  certificates: readonly Uint8Array[],
  hello: Frame,
  channel: Channel,
): Promise<ConnectedRouter> => {
  const versionInfo = readVersion(header.version.in(hello) ?? '');
  const { version } = versionInfo;
  if (!SUPPORTED.test(version)) throw new RefusedHello(`routers of version '${version}' are not supported`);
  const { listeners } = linkListeners.decode(listenersIn(hello) ?? new Uint8Array(), MAX_LISTENER_ELEMENTS);
  const presentedId = channelMessages.hello.decode(hello.body);
  const since = monotonic(core.platform.clock);
  const checkId = (id: string): void => {
    if (presentedId !== id) throw new RefusedHello('the certificate is that of another router');
    const previous = connected.get(id);
    if (previous && since - previous.since < MIN_CONNECTION_AGE) throw new RefusedHello('the router has connected just before');
  };
  const connection = await presence.connect({ certificates, versionInfo, admit: checkId }).catch((error: unknown) => {
    throw error instanceof ApiError && REFUSALS.has(error.code) ? new RefusedHello(error.message) : error;
  });
  const isRestarted = header.connectionId.in(hello) === undefined;
  const router = { id: connection.routerId, channel, connection, since, isRestarted, version, linkListeners: listeners, carried: {} };
  connected.add(router);
  return router;
};

/** Reads `version|revision|buildDate|os|arch`. */
const readVersion = (text: string) => {
  const [version = '', revision = '', buildDate = '', os = '', arch = ''] = text.split('|');
  return { version, revision, buildDate, os, arch };
};

/** The link listeners in a hello. Their header key depends on the version of the router: newer routers use the old key for something else. */
const listenersIn = (hello: Frame): Uint8Array | undefined => {
  const isNewer = helloHeader.capabilities.in(hello)?.includes(routerCapability.multiChannel);
  return (isNewer ? helloHeader : earlierHelloHeader).listeners.in(hello);
};

const CAPABILITIES = Object.values(capability);

/** The headers of the answer to a hello. Routers infer from the controller's version what it supports. */
export const helloAnswerHeaders = (
  { platform, settings, controllerId }: Pick<Core, 'platform' | 'settings' | 'controllerId'>,
  hello: Frame,
): readonly Header[] => [
  header.connectionId.of(platform.random.uuid()),
  header.version.of([settings.apiLevel, `${software.name} ${software.version}`, software.buildDate, '', ''].join('|')),
  header.id.of(controllerId),
  helloHeader.capabilities.of(CAPABILITIES),
  earlierHelloHeader.capabilities.of(CAPABILITIES),
  ...groupHeaders(platform, hello),
];

/** Routers of version 2.x open groups of connections; here, a group has a single one. The answer echoes its type, and includes the group's secret. */
const groupHeaders = ({ random }: Core['platform'], hello: Frame): readonly Header[] => {
  if (!header.isGrouped.in(hello)) return [];
  return [
    header.isGrouped.of(true),
    header.underlayType.of(header.underlayType.in(hello) ?? ''),
    helloHeader.groupSecret.of(helloHeader.groupSecret.in(hello) ?? utf8(random.uuid())),
  ];
};
