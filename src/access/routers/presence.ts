import type { RowOf } from '../../contract/api/kit/index.ts';
import { capabilityNamesOf } from '../../contract/api/router-software.ts';
import type { edgeRouter } from '../../contract/api/routers.ts';
import { and, booleanField, equals, matches, not, oneOf, type Predicate, rewrite, stringField } from '../../query/index.ts';
import type { Connections } from '../../runtime/presence/connections.ts';
import type { RouterKey, RouterState } from '../../runtime/presence/present-router.ts';

type Row = Pick<RowOf<typeof edgeRouter>, 'id' | 'enrolledBy' | 'disabled'>;

const NO_VERSION = { arch: '', buildDate: '', os: '', revision: '', version: '' } as const;

/** The presence of an edge router, as answers contain it. A router is online once it has reported its listeners. */
export const presenceOf = (connections: Connections, row: Row) => {
  connections.closeUnlessAllowed(row);
  const state = connections.stateOf(row);
  return {
    isOnline: state?.reached !== undefined,
    hostname: state?.reached?.hostname ?? '',
    supportedProtocols: state?.reached?.supportedProtocols ?? {},
    syncStatus: state?.syncStatus ?? 'SYNC_UNKNOWN',
    versionInfo: state?.versionInfo ?? NO_VERSION,
    ...reportedFields(state),
  };
};

/** The version and the capabilities that a connected router has reported. */
const reportedFields = (state: RouterState | undefined) => ({
  ...(state?.versionInfo.version ? { version: state.versionInfo.version } : {}),
  ...(state?.capabilities ? { capabilities: [...capabilityNamesOf(state.capabilities)] } : {}),
});

/** Selects the routers with these keys, except disabled ones. */
const hasKey = (keys: readonly RouterKey[]): Predicate => {
  const enrollments = keys.flatMap(({ enrolledBy }) => enrolledBy ?? []);
  return and(oneOf(stringField('enrolledBy'), enrollments), equals(booleanField('disabled'), false));
};

export const online = (connections: Connections): Predicate => hasKey(connections.keys('reached'));

const connected = (connections: Connections): Predicate => hasKey(connections.keys());

type PresenceSymbols = Readonly<Record<string, (connections: Connections) => Predicate>>;

/** The filter symbols of edge routers that depend on the connections. */
const ofEdgeRouters: PresenceSymbols = { connected, online };
/** Those of all routers, of which only edge routers report listeners. */
export const ofRouters: PresenceSymbols = { online: connected };

/** Rewrites conditions on presence to conditions on stored fields. */
export const resolvePresence = (connections: Connections, where: Predicate, symbols = ofEdgeRouters): Promise<Predicate> =>
  rewrite(where, (node) => {
    const [name = ''] = 'field' in node ? node.field.path : [];
    const isPresent = Object.hasOwn(symbols, name) ? symbols[name] : undefined;
    if (!isPresent) return node;
    const [whenPresent, whenAbsent] = [matches(node, { [name]: true }), matches(node, { [name]: false })];
    if (whenPresent === whenAbsent) return { op: whenPresent ? 'all' : 'none' };
    return whenPresent ? isPresent(connections) : not(isPresent(connections));
  });
