import { field, message, valueType } from '../codec/index.ts';
import { fromRouters, tableMessage, textMessage, urgent } from './message-type.ts';

const peerData = (number: number) => field.mapped(number, valueType.uint32, valueType.bytes);

/** Requests a circuit. The data are in headers. */
const createCircuit = fromRouters({ bytes: 65_536, elements: 0, cost: 1 }, textMessage(20218, 'CreateCircuitV2Request'));

/** The answer. The data are in headers. */
const createCircuitResponse = urgent(textMessage(20219, 'CreateCircuitV2Response'));

/**
 * Requests a circuit for a client that its router has authorized, without a session. The data are in headers. Routers of the 2.1 line send
 * it.
 */
const createCircuitV3 = fromRouters({ bytes: 65_536, elements: 0, cost: 1 }, textMessage(20222, 'CreateCircuitV3Request'));

/** The answer. The data are in headers. */
const createCircuitV3Response = urgent(textMessage(20223, 'CreateCircuitV3Response'));

/** A refusal; the body is the reason. */
const refused = urgent(textMessage(20002, 'Error'));

/** Error codes of refusals. */
export const refusalCode = {
  internal: 1,
  invalidApiSession: 2,
  invalidSession: 3,
  wrongSessionType: 4,
  invalidEdgeRouter: 5,
  invalidService: 6,
  tunnelingNotEnabled: 7,
  invalidTerminator: 8,
  invalidPrecedence: 9,
  invalidCost: 10,
  encryptionDataMissing: 11,
  invalidInstanceId: 13,
} as const;

/** The codes after which a client gets a new session and tries again. After the others, except for internal errors, it gives up. */
export const startOverCodes: ReadonlySet<number> = new Set([
  refusalCode.invalidApiSession,
  refusalCode.invalidSession,
  refusalCode.wrongSessionType,
  refusalCode.invalidEdgeRouter,
  refusalCode.encryptionDataMissing,
]);

const destination = valueType.enumeration(['start', 'end', 'link']);

/** Asks a router to take part in a circuit. */
const route = urgent(
  tableMessage(1005, 'Route', {
    circuitId: field.text(1),
    attempt: field.uint32(2),
    egress: field.nested(3, message({ binding: field.text(1), address: field.text(2), destination: field.text(3), peerData: peerData(4) })),
    forwards: field.list(4, message({ srcAddress: field.text(1), dstAddress: field.text(2), dstType: field.named(3, destination) })),
    context: field.nested(5, message({ fields: field.mapped(1, valueType.text, valueType.text), channelMask: field.uint32(2) })),
    timeout: field.uint64(6),
    tags: field.mapped(7, valueType.text, valueType.text),
  }),
);

/** The answer. Its body is the id of the circuit; the result is in its headers. */
const routeResult = fromRouters({ bytes: 65_536, elements: 0 }, textMessage(1022, 'RouteResult'));

/** Error codes of failed routes. Codes above 4 are those of the 2.x line. */
export const routeErrorCode = {
  generic: 0,
  invalidTerminator: 1,
  misconfiguredTerminator: 2,
  timedOut: 3,
  refused: 4,
  rejectedByApplication: 5,
  dnsResolutionFailed: 6,
  portNotAllowed: 7,
  invalidLinkDestination: 8,
  resourcesNotAvailable: 9,
} as const;

/** Removes a circuit from a router. */
const unroute = urgent(tableMessage(1006, 'Unroute', { circuitId: field.text(1), now: field.bool(2) }));

const subject = valueType.enumeration(['ingress', 'egress', 'link', 'forward', 'unknownOwnerForward', 'linkDuplicate']);

/** Reports that circuits or a link have failed. Circuit ids are separated by spaces, and count as elements. */
const fault = fromRouters(
  { bytes: 2_097_152, elements: 200_000 },
  tableMessage(1004, 'Fault', { subject: field.named(1, subject), id: field.text(2), iteration: field.uint32(3) }),
);

/** Reports idle circuits, with the idle time of each in nanoseconds. The answer is an `unroute` for each that has ended. */
const circuitConfirmation = fromRouters(
  { bytes: 8_388_608, elements: 524_288, cost: 1 },
  tableMessage(1034, 'CircuitConfirmation', {
    circuitIds: field.texts(1),
    idleTimes: field.mapped(2, valueType.text, valueType.int64),
  }),
);

const createdCircuit = {
  circuitId: field.text(1),
  address: field.text(2),
  peerData: peerData(3),
  tags: field.mapped(4, valueType.text, valueType.text),
};

/** The older form of `createCircuit`. */
const createCircuitV1 = fromRouters(
  { bytes: 131_072, elements: 1000, cost: 1 },
  tableMessage(20205, 'CreateCircuitRequest', {
    sessionToken: field.text(1),
    fingerprints: field.texts(2),
    terminatorInstanceId: field.text(3),
    peerData: peerData(4),
    apiSessionToken: field.text(5),
  }),
);

const createCircuitV1Response = urgent(tableMessage(20206, 'CreateCircuitResponse', createdCircuit));

/** Requests a circuit for the router's own tunneler. */
const createTunnelCircuit = fromRouters(
  { bytes: 131_072, elements: 1000, cost: 1 },
  tableMessage(20220, 'CreateTunnelCircuitV2Request', {
    serviceName: field.text(1),
    terminatorInstanceId: field.text(2),
    peerData: peerData(3),
  }),
);

const createTunnelCircuitResponse = urgent(tableMessage(20221, 'CreateTunnelCircuitV2Response', createdCircuit));

/** Messages about circuits. */
export const circuitMessages = {
  createCircuit,
  createCircuitResponse,
  createCircuitV1,
  createCircuitV1Response,
  createCircuitV3,
  createCircuitV3Response,
  refused,
  route,
  routeResult,
  unroute,
  fault,
  circuitConfirmation,
  createTunnelCircuit,
  createTunnelCircuitResponse,
} as const;
