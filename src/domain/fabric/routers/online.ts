import type { RowOf } from '../../../api/kit/index.ts';
import { capabilityNamesOf } from '../../../api/router-reports.ts';
import type { edgeRouter } from '../../../api/routers.ts';
import type { Connections } from '../../../presence/connections.ts';
import type { RouterKey, RouterState } from '../../../presence/present-router.ts';
import { and, booleanField, equals, matches, not, oneOf, type Predicate, rewrite, stringField } from '../../../query/index.ts';

type Row = Pick<RowOf<typeof edgeRouter>, 'id' | 'enrolledBy' | 'disabled'>;

const NO_VERSION = { arch: '', buildDate: '', os: '', revision: '', version: '' } as const;

/** An edge router's presence in answers. It is online once it has reported its listeners. */
export const presenceOf = (connections: Connections, row: Row) => {
  connections.closeUnlessAllowed(row);
  const state = connections.stateOf(row);
  return {
    isOnline: state?.reached !== undefined,
    hostname: state?.reached?.hostname ?? '',
    supportedProtocols: state?.reached?.supportedProtocols ?? {},
    syncStatus: state?.syncStatus ?? 'SYNC_UNKNOWN',
    versionInfo: state?.versionInfo ?? NO_VERSION,
    ...reportedBy(state),
  };
};

/** The version and the capabilities that a router reports, if it is connected. */
const reportedBy = (state: RouterState | undefined) => ({
  ...(state?.versionInfo.version ? { version: state.versionInfo.version } : {}),
  ...(state?.capabilities ? { capabilities: [...capabilityNamesOf(state.capabilities)] } : {}),
});

/** Selects the routers with these keys that may be connected. */
const ofKeys = (keys: readonly RouterKey[]): Predicate => {
  const enrollments = keys.flatMap(({ enrolledBy }) => enrolledBy ?? []);
  return and(oneOf(stringField('enrolledBy'), enrollments), equals(booleanField('disabled'), false));
};

export const online = (connections: Connections): Predicate => ofKeys(connections.keys('reached'));

/** The filter symbols that are not stored in rows. */
const symbols: Readonly<Record<string, (connections: Connections) => Predicate>> = {
  connected: (connections) => ofKeys(connections.keys()),
  online,
};

/** Translates a filter on presence into a predicate on rows: true for connected routers, for the others, for all or for none. */
export const resolvePresence = (connections: Connections, where: Predicate): Promise<Predicate> =>
  rewrite(where, (node) => {
    const [name = ''] = 'field' in node ? node.field.path : [];
    const present = Object.hasOwn(symbols, name) ? symbols[name] : undefined;
    if (!present) return node;
    const [whenPresent, whenAbsent] = [matches(node, { [name]: true }), matches(node, { [name]: false })];
    if (whenPresent === whenAbsent) return { op: whenPresent ? 'all' : 'none' };
    return whenPresent ? present(connections) : not(present(connections));
  });
