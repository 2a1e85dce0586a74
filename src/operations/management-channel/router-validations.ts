/** Compares what a router knows with what the controller knows. */
import type { Api } from '../../contract/types/api.ts';
import { filter } from '../../query/filter-text.ts';
import { inspectedValues, objectIn, objectsByKey, objectsIn, shortTextIn, textsByKey } from './inspected-values.ts';

type Links = Pick<Api, 'links' | 'inspections'>;

/** @param connected the ids of the connected routers */
export const comparedLinks = async (api: Links, routerId: string, connected: ReadonlySet<string>) => {
  const reported = objectsIn(objectIn((await inspectedValues(api, routerId, ['links'])).get('links'))['links']);
  const { data } = await api.links.list({ filter: filter`sourceRouter = ${routerId} or destRouter = ${routerId} limit none` });
  const known = new Map(data.map((link) => [link.id, link]));
  const atRouter = reported.map((link) => {
    const [linkId, destRouterId, dialed] = [shortTextIn(link['id']), shortTextIn(link['dest']), link['dialed'] === true];
    const own = known.get(linkId);
    known.delete(linkId);
    const destConnected = connected.has(destRouterId);
    // Routers report the connections of links that they have dialed.
    const isSame = !own || !dialed || connectionsOf(objectsIn(link['connections'])) === connectionsOf(own.connections);
    return {
      linkId,
      destRouterId,
      dialed,
      destConnected,
      routerState: 'established' as const,
      ctrlState: own ? ('established' as const) : ('unknown' as const),
      isValid: own ? destConnected && isSame : !destConnected,
      messages: isSame ? [] : [`for link ${linkId}, the connections differ`],
    };
  });
  const onlyHere = [...known.values()].map(({ id: linkId, sourceRouter, destRouter }) => {
    const dialed = sourceRouter.id === routerId;
    const destRouterId = (dialed ? destRouter.id : sourceRouter.id) ?? '';
    const destConnected = connected.has(destRouterId);
    return { linkId, destRouterId, dialed, destConnected, routerState: 'unknown', ctrlState: 'established', isValid: false } as const;
  });
  return [...atRouter, ...onlyHere];
};

/** The same text for the same connections, in any order. Keys of routers begin with capitals. */
const connectionsOf = (connections: readonly object[]): string =>
  connections
    .map((connection) => {
      const fields = new Map(Object.entries(connection).map(([name, value]) => [name.toLowerCase(), shortTextIn(value)]));
      return JSON.stringify(['type', 'source', 'dest'].map((name) => fields.get(name)));
    })
    .toSorted()
    .join();

/** Terminators of a router with one binding, by the value with which the router lists them. */
export const comparedTerminators = async (
  api: Pick<Api, 'fabricTerminators' | 'inspections'>,
  routerId: string,
  value: 'sdk-terminators' | 'ert-terminators',
) => {
  const binding = value === 'sdk-terminators' ? 'edge' : 'tunnel';
  const { data } = await api.fabricTerminators.list({ filter: filter`router = ${routerId} and binding = ${binding} limit none` });
  // Asked for these, a router of the 1.7 line that has no tunneler ends.
  if (binding === 'tunnel' && data.length === 0) return [];
  const reported = objectsIn(objectIn((await inspectedValues(api, routerId, [value])).get(value))['entries']);
  const known = new Set(data.map(({ id }) => id));
  const atRouter = reported.map((entry) => {
    const [terminatorId, routerState] = [shortTextIn(entry['id']), shortTextIn(entry['state'])];
    const isKnown = known.delete(terminatorId);
    return {
      terminatorId,
      routerState,
      ctrlState: isKnown ? ('valid' as const) : ('unknown' as const),
      isValid: isKnown && routerState === 'established',
      operationActive: entry['operationActive'] === true,
      createTime: shortTextIn(entry['createTime']),
      lastAttempt: shortTextIn(entry['lastAttempt']),
    };
  });
  const onlyHere = [...known].map(
    (terminatorId) => ({ terminatorId, routerState: 'unknown', ctrlState: 'valid', isValid: false }) as const,
  );
  return [...atRouter, ...onlyHere];
};

const CIRCUIT_VALUES = ['router-circuits', 'router-edge-circuits', 'router-sdk-circuits'] as const;
/** The kind of the end of a circuit at which edge and client know it, too. */
const EDGE_END = 'xg-edge-fwd';

/** @param controllerId routers also have circuits of other controllers, which are left out */
export const comparedCircuits = async (api: Pick<Api, 'circuits' | 'inspections'>, routerId: string, controllerId: string) => {
  const { data } = await api.circuits.list({ filter: filter`anyOf(path.nodes) = ${routerId} limit none` });
  const values = await inspectedValues(api, routerId, CIRCUIT_VALUES);
  const [forwarded, atEdge, atClients] = CIRCUIT_VALUES.map((name) =>
    objectsByKey(objectIn(values.get(name))['circuits']).filter(([, { ctrlId }]) => ctrlId === controllerId),
  );
  const details = new Map(data.map(({ id }) => [id, { circuitId: id, missingInForwarder: true, ...NOWHERE_ELSE }]));
  for (const [circuitId, circuit] of forwarded ?? []) {
    const known = details.get(circuitId);
    const destinations = textsByKey(circuit['destinations']);
    const isEdge = [...destinations.values()].includes(EDGE_END);
    const found = { circuitId, missingInForwarder: false, missingInEdge: isEdge, missingInSdk: isEdge, destinations };
    details.set(circuitId, { ...found, missingInCtrl: !known });
  }
  const mark = (circuits: typeof atEdge, place: 'missingInEdge' | 'missingInSdk') => {
    for (const [, circuit] of circuits ?? []) {
      const circuitId = shortTextIn(circuit['circuitId']);
      const known = details.get(circuitId);
      const found = known ?? { circuitId, ...NOWHERE_ELSE, missingInCtrl: true, missingInForwarder: true };
      details.set(circuitId, { ...found, [place]: false });
    }
  };
  mark(atEdge, 'missingInEdge');
  mark(atClients, 'missingInSdk');
  return details;
};

const NOWHERE_ELSE = { missingInCtrl: false, missingInEdge: false, missingInSdk: false, destinations: textsByKey({}) };

/**
 * The differences in words between the identities that a router reports as connected and those that the controller knows.
 * @param known the latter
 */
export const comparedIdentities = async (
  api: Pick<Api, 'inspections'>,
  routerId: string,
  known: ReadonlySet<string>,
): Promise<readonly string[]> => {
  const value = 'identity-connection-statuses';
  const reported = objectsByKey(objectIn((await inspectedValues(api, routerId, [value])).get(value))['identity_connections']);
  const missing = new Set(known);
  const errors = reported.flatMap(([id, { connections, unreported_count: unreported }]) => {
    const isConnected = objectsIn(connections).some(({ closed }) => closed !== true);
    missing.delete(id);
    return [
      ...(isConnected && !known.has(id) ? [`router reports identity ${id} connected, but controller disagrees`] : []),
      ...(!isConnected && known.has(id) ? [`router reports identity ${id} is not connected, but controller disagrees`] : []),
      ...(Number(unreported) > 0 ? [`identity ${id} has unreported events`] : []),
    ];
  });
  return [...errors, ...[...missing].map((id) => `ctrl reports identity ${id} is connected, but router disagrees`)];
};
