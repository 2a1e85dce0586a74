import type { journalEntry } from '../../contract/api/journal.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { Random } from '../../runtime/platform/platform.ts';
import { newId } from '../../store/storage/ids.ts';
import type { Authorization } from '../authorization/authorization.ts';

/** The data of a circuit in the journal. */
export interface JournaledCircuit {
  readonly id: string;
  /** ISO text. */
  readonly createdAt: string;
  /** The address of its beginning: random, and so unique among all circuits, whose ids routers may choose. */
  readonly ingress: string;
  readonly clientId: string;
  readonly serviceId: string;
  /** Ids of its routers, that of the client first. */
  readonly path: readonly string[];
  /** Ids of the policies that allowed it. */
  readonly grantedBy: readonly string[];
}

/** A dial that led to no circuit. */
export interface FailedDial {
  readonly circuitId: string;
  readonly authorization: Pick<Authorization, 'identityId' | 'serviceId' | 'routerId'> & { readonly grantedBy?: readonly string[] };
  readonly cause: string;
  /** The cause in words. */
  readonly reason: string;
}

type Row = RowOf<typeof journalEntry>;
type Fields = Omit<
  Row,
  'version' | 'createdAt' | 'updatedAt' | 'tags' | 'identityName' | 'serviceName' | 'policies' | 'bytesSent' | 'bytesReceived'
>;

/** An entry in memory. Only the store has its bytes. */
export interface KeptEntry extends Fields {
  readonly id: string;
  outcome: NonNullable<Row['outcome']>;
  end: string | null;
  routers: readonly string[];
  dials: number;
  readonly grantedBy: readonly string[];
  /** The names at that time, once they are read. */
  names?: Pick<Row, 'identityName' | 'serviceName' | 'policies'>;
  /** When the circuit began or, if it has ended, when it did. ms since 1970 */
  changedAt: number;
  /** True if the store does not have it as it is, apart from its bytes. */
  isChanged: boolean;
  /** True if the store has it. */
  isStored: boolean;
  /** True if the router of the client has reported since the circuit has ended, so that no bytes are missing. */
  isReported: boolean;
}

/** Maximum number of routers in an entry. */
const MAX_ROUTERS = 50;

/** The id of the entry of a circuit. */
export const entryIdOf = ({ createdAt, ingress }: Pick<JournaledCircuit, 'createdAt' | 'ingress'>): string => `${createdAt}-${ingress}`;

const fresh = {
  end: null,
  bytesSent: 0,
  bytesReceived: 0,
  dials: 1,
  cause: null,
  reason: null,
  isChanged: true,
  isStored: false,
  isReported: false,
};

export const entryOf = (circuit: JournaledCircuit, controllerId: string): KeptEntry => ({
  ...fresh,
  id: entryIdOf(circuit),
  outcome: 'open',
  begin: circuit.createdAt,
  circuitId: circuit.id,
  identityId: circuit.clientId,
  serviceId: circuit.serviceId,
  routerId: circuit.path[0] ?? '',
  routers: circuit.path.slice(0, MAX_ROUTERS),
  grantedBy: circuit.grantedBy,
  changedAt: Date.parse(circuit.createdAt),
  controllerId,
});

export const failedEntryOf = (
  { circuitId, authorization, cause, reason }: FailedDial,
  { at, random, controllerId }: { readonly at: string; readonly random: Random; readonly controllerId: string },
): KeptEntry => ({
  ...fresh,
  id: `${at}-${newId(random)}`,
  outcome: 'failed',
  begin: at,
  end: at,
  circuitId,
  identityId: authorization.identityId,
  serviceId: authorization.serviceId,
  routerId: authorization.routerId,
  routers: [],
  grantedBy: authorization.grantedBy ?? [],
  ...{ cause, reason, controllerId },
  changedAt: Date.parse(at),
});

/** Adds the routers of another path. */
export const movedTo = (entry: KeptEntry, path: readonly string[]): void => {
  const routers = [...new Set([...entry.routers, ...path])].slice(0, MAX_ROUTERS);
  if (routers.length === entry.routers.length) return;
  entry.routers = routers;
  entry.isChanged = true;
};

/** The fields of an entry that is new in the store. */
export const entryFieldsOf = (entry: KeptEntry) => {
  const { outcome, begin, end, circuitId, identityId, serviceId, routerId, routers, dials, cause, reason, controllerId } = entry;
  const { identityName = '', serviceName = '', policies = [] } = entry.names ?? {};
  return {
    ...{ id: entry.id, outcome, begin, end, circuitId, identityId, identityName, serviceId, serviceName, routerId, routers, policies },
    ...{ dials, cause, reason, controllerId },
  };
};
