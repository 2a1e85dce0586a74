import { sha256Hex } from '../../crypto/sha256.ts';
import type { Random } from '../../runtime/platform/platform.ts';
import { RefusedHello } from '../control-channel/accept.ts';
import type { OwnedChannel, UnderlayPriority } from '../control-channel/channel.ts';
import type { Frame } from '../control-channel/frame.ts';
import { type Header, header, helloHeader, routerCapability } from '../control-channel/header-fields.ts';
import { utf8 } from '../control-channel/primitives.ts';

/** The connections of a router of the 2.x line, which form one channel. */
export interface UnderlayGroup {
  readonly connectionId: string;
  /** SHA-256 in hex. Hashes are compared, so that timing reveals nothing about the secret. */
  readonly secretHash: string;
  readonly channel: OwnedChannel;
}

/** The group headers of a hello. */
export interface GroupHello {
  /** True if the connection begins a group. */
  readonly isFirst: boolean;
  readonly connectionId: string;
  readonly secret: Uint8Array;
  readonly type: string;
  readonly priority: UnderlayPriority;
}

/** The underlay type of connections for urgent messages. */
const HIGH_PRIORITY = 'ctrl.high';

/** True if a hello uses the keys of the 2.x line for its headers. */
export const usesLaterKeys = (hello: Frame): boolean =>
  header.isGrouped.in(hello) === true || helloHeader.capabilities.in(hello)?.includes(routerCapability.multiChannel) === true;

/**
 * The group headers of a hello; undefined for a connection that is a channel by itself. A router that begins a group may choose its id and
 * its secret, and keeps them when it reconnects.
 * @throws RefusedHello if they contradict each other; Malformed
 */
export const readGroupHello = (hello: Frame, random: Random): GroupHello | undefined => {
  if (!usesLaterKeys(hello)) return undefined;
  const isFirst = helloHeader.isFirstOfGroup.in(hello) === true;
  if (!header.isGrouped.in(hello)) {
    if (isFirst) throw new RefusedHello('the hello begins a group of connections (header 11), but is not grouped (header 9)');
    return undefined;
  }
  const [connectionId = '', secret = new Uint8Array()] = [header.connectionId.in(hello), helloHeader.groupSecret.in(hello)];
  if (!isFirst && (connectionId === '' || secret.length === 0))
    throw new RefusedHello('the hello joins a group of connections, but lacks its id (header 0) or its secret (header 10)');
  const type = header.underlayType.in(hello) ?? '';
  return {
    isFirst,
    connectionId: connectionId || random.uuid(),
    secret: secret.length > 0 ? secret : utf8(random.uuid()),
    type,
    priority: type === HIGH_PRIORITY ? 'high' : 'default',
  };
};

/** The headers of the answer to a hello that belongs to a group. */
export const groupHeaders = ({ connectionId, secret, type }: GroupHello): readonly Header[] => [
  header.connectionId.of(connectionId),
  header.isGrouped.of(true),
  header.underlayType.of(type),
  helloHeader.groupSecret.of(secret),
];

export const newGroup = ({ connectionId, secret }: GroupHello, channel: OwnedChannel): UnderlayGroup => ({
  connectionId,
  secretHash: sha256Hex(secret),
  channel,
});

/** True if a hello has the secret of a group. */
export const hasGroupSecret = ({ secretHash }: UnderlayGroup, { secret }: GroupHello): boolean => sha256Hex(secret) === secretHash;
