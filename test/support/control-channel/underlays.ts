/** The connections of a router of the 2.x line, which form one channel. */
import { type Header, header, helloHeader, routerCapability } from '../../../src/fabric/control-channel/header-fields.ts';
import { utf8 } from '../../../src/fabric/control-channel/primitives.ts';
import type { TestNetwork, TestRouter } from '../../../testing/index.ts';
import { type DirectRouter, directConnection } from './direct-router.ts';

/** The headers of a hello that belongs to a group. */
export interface GroupHeaders {
  readonly type?: string;
  readonly isFirst?: boolean;
  readonly id?: string;
  readonly secret?: string | Uint8Array;
}

export const groupHello = ({ type = 'ctrl.default', isFirst = false, id, secret }: GroupHeaders): readonly Header[] => [
  header.version.of('v2.0.3|test|2026-01-01 00:00:00|linux|amd64'),
  header.underlayType.of(type),
  header.isGrouped.of(true),
  helloHeader.capabilities.of([routerCapability.multiChannel]),
  ...(isFirst ? [helloHeader.isFirstOfGroup.of(true)] : []),
  ...(id === undefined ? [] : [header.connectionId.of(id)]),
  ...(secret === undefined ? [] : [helloHeader.groupSecret.of(typeof secret === 'string' ? utf8(secret) : secret)]),
];

/** Opens the first connection of a group, with what later ones need to join it. The router must be enrolled. */
export const openGroup = async (network: TestNetwork, of: TestRouter, headers: GroupHeaders = {}) => {
  const first = await directConnection(network, of, groupHello({ ...headers, isFirst: true }));
  const [welcome = { headers: new Map() }] = first.came;
  const [id = '', secret = new Uint8Array()] = [header.connectionId.in(welcome), helloHeader.groupSecret.in(welcome)];
  const join = (change: GroupHeaders & { readonly as?: TestRouter; readonly claimedId?: string } = {}): Promise<DirectRouter> =>
    directConnection(network, change.as ?? of, groupHello({ type: 'ctrl.high', id, secret, ...change }), {
      claimedId: change.claimedId,
    });
  return { first, welcome, id, secret, join };
};
