import type { Core } from '../../call/core.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { COMPATIBLE_RELEASES, software } from '../../contract/version.ts';
import { monotonic } from '../../runtime/platform/clock.ts';
import { withoutControls } from '../../runtime/platform/control-characters.ts';
import { copyText } from '../../runtime/platform/copy-text.ts';
import type { AddressRate } from '../../runtime/platform/request-rate.ts';
import type { Presence } from '../connections/presence.ts';
import { RefusedHello } from '../control-channel/accept.ts';
import type { OwnedChannel } from '../control-channel/channel.ts';
import type { Frame } from '../control-channel/frame.ts';
import { controllerCapability, earlierHelloHeader, type Header, header, helloHeader } from '../control-channel/header-fields.ts';
import { channelMessages } from '../control-channel/messages/channel.ts';
import { linkListeners } from '../control-channel/messages/links.ts';
import { controlListeners } from '../control-channel/messages/routers.ts';
import type { ConnectedRouter, ConnectedRouters } from '../registry/connected-routers.ts';
import { forRouters } from '../registry/fabric.ts';
import {
  type GroupHello,
  groupHeaders,
  hasGroupSecret,
  newGroup,
  readGroupHello,
  type UnderlayGroup,
  usesLaterKeys,
} from '../registry/underlay-groups.ts';
import { provenRouter, routerOf } from '../routers/certificates.ts';

/** Minimum age of a connection before another one of the same router may replace it. ms */
const MIN_CONNECTION_AGE = 60_000;

/** Maximum number of channels that a router may open in a minute: all other routers are informed of each. */
export const CHANNELS_PER_MINUTE = 120;

/** Maximum number of elements in the listeners of a hello, of either kind. */
const MAX_LISTENER_ELEMENTS = 4096;

/** Codes of the errors that refuse a router. Their messages are sent to it; other errors are failures of the controller. */
const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'COULD_NOT_VALIDATE']);

/** Versions of routers that speak this protocol: 1.x, 2.x, and development builds, which report 0.0.0. */
const SUPPORTED = /^v?(?:[12]\.\d|0\.0\.0)/;

/** Dependencies of admission. */
export interface AdmissionDependencies {
  readonly core: Core;
  readonly presence: Presence;
  readonly connected: ConnectedRouters;
  /** The rate of new channels, by router. */
  readonly rate: AddressRate;
}

/** An admitted connection of a router. */
export interface AdmittedRouter {
  readonly router: ConnectedRouter;
  /** The group that the connection belongs to, if any. */
  readonly group: GroupHello | undefined;
  /** The channel that the connection joins; undefined for the first connection of a router. */
  readonly joined: OwnedChannel | undefined;
}

/**
 * Admits a connection of the router that the certificates identify. Its hello must match them.
 * @throws RefusedHello
 */
export const admit = async (
  dependencies: AdmissionDependencies,
  certificates: readonly Uint8Array[],
  hello: Frame,
  channel: OwnedChannel,
): Promise<AdmittedRouter> => {
  const group = readGroupHello(hello, dependencies.core.platform.random);
  if (!group || group.isFirst)
    return { router: await admitFirst(dependencies, certificates, hello, channel, group), group, joined: undefined };
  const { router, joined } = await admitFurther(dependencies, certificates, hello, group);
  return { router, group, joined };
};

/**
 * Admits a further connection, which must belong to the router whose group it joins. All refusals have the same reason, which reveals
 * nothing about the groups of other routers.
 */
const admitFurther = async (
  { core, connected }: AdmissionDependencies,
  certificates: readonly Uint8Array[],
  hello: Frame,
  group: GroupHello,
): Promise<{ readonly router: ConnectedRouter; readonly joined: OwnedChannel }> => {
  const proven = await provenRouter(core, certificates);
  const row = proven && (await forRouters(core, (job) => job.read((entities) => routerOf(entities, proven))));
  const id = channelMessages.hello.decode(hello.body);
  const router = row && row.id === id && !row.disabled ? connected.get(id) : undefined;
  const open = router?.group;
  if (!router || !open || open.connectionId !== group.connectionId || !hasGroupSecret(open, group) || open.channel.signal.aborted)
    throw new RefusedHello('the hello joins a group of connections that is not open here');
  return { router, joined: open.channel };
};

const admitFirst = async (
  { core, presence, connected, rate }: AdmissionDependencies,
  certificates: readonly Uint8Array[],
  hello: Frame,
  channel: OwnedChannel,
  groupHello: GroupHello | undefined,
): Promise<ConnectedRouter> => {
  const versionInfo = readVersion(header.version.in(hello) ?? '');
  const { version } = versionInfo;
  if (!SUPPORTED.test(version)) throw new RefusedHello(`routers of version '${version}' are not supported`);
  const { listeners } = linkListeners.decode(listenersIn(hello) ?? new Uint8Array(), MAX_LISTENER_ELEMENTS);
  const reported = controlListenersIn(hello);
  const presentedId = channelMessages.hello.decode(hello.body);
  const since = monotonic(core.platform.clock);
  const checkId = (id: string): void => {
    if (presentedId !== id) throw new RefusedHello('the certificate is that of another router');
    const previous = connected.get(id);
    // The same process, whose earlier connections are lost, although the controller has not noticed yet.
    const isSameProcess = previous?.group && groupHello && hasGroupSecret(previous.group, groupHello);
    if (previous && !isSameProcess && since - previous.since < MIN_CONNECTION_AGE)
      throw new RefusedHello(`the router connected less than ${MIN_CONNECTION_AGE / 1000} s ago`);
    if (rate.take(id) > 0) throw new RefusedHello(`the router connects more than ${CHANNELS_PER_MINUTE} times a minute`);
  };
  const connection = await presence
    .connect({ certificates, versionInfo, capabilities: capabilitiesIn(hello), admit: checkId })
    .catch((error: unknown) => {
      throw error instanceof ApiError && REFUSALS.has(error.code) ? new RefusedHello(error.message) : error;
    });
  const isRestarted = header.connectionId.in(hello) === undefined;
  const group: UnderlayGroup | undefined = groupHello && newGroup(groupHello, channel);
  const router = {
    id: connection.routerId,
    channel,
    group,
    connection,
    since,
    isRestarted,
    version,
    linkListeners: listeners,
    ctrlChanListeners: reported,
    trafficBytes: {},
    linkBytes: new Map(),
    reportedAt: undefined,
  };
  connected.add(router);
  return router;
};

/** Reads `version|revision|buildDate|os|arch`. */
const readVersion = (text: string) => {
  const [version = '', revision = '', buildDate = '', os = '', arch = ''] = text.split('|').map((part) => withoutControls(copyText(part)));
  return { version, revision, buildDate, os, arch };
};

/**
 * The link listeners in a hello. Their header key depends on the version of the router: newer routers use the old key for something else.
 */
const listenersIn = (hello: Frame): Uint8Array | undefined => (usesLaterKeys(hello) ? helloHeader : earlierHelloHeader).listeners.in(hello);

/** The bits of the router's capabilities in a hello, up to 63. Only routers that use the keys of the 2.x line report them. */
const capabilitiesIn = (hello: Frame): readonly number[] | undefined =>
  usesLaterKeys(hello) ? helloHeader.capabilities.in(hello)?.filter((bit) => bit < 64) : undefined;

/** Groups by address in a hello. */
const controlListenersIn = (hello: Frame): ConnectedRouter['ctrlChanListeners'] => {
  const bytes = helloHeader.ctrlChanListeners.in(hello);
  if (!bytes) return undefined;
  const { listeners } = controlListeners.decode(bytes, MAX_LISTENER_ELEMENTS);
  return Object.fromEntries(listeners.map(({ address, groups }) => [address, groups]));
};

const CAPABILITIES = Object.values(controllerCapability);
/** Routers that open a single connection do not know the capability to join several. */
const UNGROUPED_CAPABILITIES = CAPABILITIES.filter((bit) => bit !== controllerCapability.groupedChannel);

/** The headers of the answer to a hello. Routers infer from the controller's version what it supports. */
export const helloAnswerHeaders = (
  { platform, settings, controllerId }: Pick<Core, 'platform' | 'settings' | 'controllerId'>,
  group: GroupHello | undefined,
): readonly Header[] => [
  header.connectionId.of(platform.random.uuid()),
  header.version.of([COMPATIBLE_RELEASES[settings.compat], `${software.name} ${software.version}`, software.buildDate, '', ''].join('|')),
  header.id.of(controllerId),
  ...[helloHeader, earlierHelloHeader].map(({ capabilities }) => capabilities.of(group ? CAPABILITIES : UNGROUPED_CAPABILITIES)),
  ...(group ? groupHeaders(group) : []),
];
