import { field, message, valueType } from '../codec/index.ts';
import { emptyMessage, fromRouters, tableMessage, textMessage } from './message-type.ts';

const precedence = valueType.enumeration(['default', 'required', 'failed']);
/** The reaction of a client to a failure: try the same again, try later, get a new session, or give up. */
const retryHint = valueType.enumeration(['default', 'tooBusy', 'startOver', 'notRetriable']);
const outcome = valueType.enumeration(['success', 'idConflict', 'otherFailure', 'busy', 'invalidSession']);

/** Requests a terminator for a client that hosts a service. */
const createTerminator = fromRouters(
  { bytes: 131_072, elements: 1000, cost: 3 },
  tableMessage(20216, 'CreateTerminatorV2Request', {
    address: field.text(1),
    sessionToken: field.text(2),
    fingerprints: field.texts(3),
    peerData: field.mapped(4, valueType.uint32, valueType.bytes),
    cost: field.uint32(5),
    precedence: field.named(6, precedence),
    instanceId: field.text(7),
    instanceSecret: field.bytes(8),
    apiSessionToken: field.text(9),
  }),
);

/** The answer. `errorCode` is one of `refusalCode`; routers of the 1.x line read only `result` and `msg`. */
const createTerminatorResponse = tableMessage(20217, 'CreateTerminatorV2Response', {
  terminatorId: field.text(1),
  result: field.named(2, outcome),
  msg: field.text(3),
  errorCode: field.uint32(4),
  retryHint: field.named(5, retryHint),
});

/** The older form of the request, which is refused. */
const createTerminatorV1 = fromRouters({ bytes: 65_536, elements: 0 }, emptyMessage(20207, 'CreateTerminatorRequest'));

/** Changes the cost or precedence of a terminator; answered with `updateTerminatorResponse`. */
const updateTerminator = fromRouters(
  { bytes: 65_536, elements: 200, cost: 2 },
  tableMessage(20209, 'UpdateTerminatorRequest', {
    sessionToken: field.text(1),
    fingerprints: field.texts(2),
    terminatorId: field.text(3),
    cost: field.uint32(4),
    precedence: field.named(5, precedence),
    updatePrecedence: field.bool(6),
    updateCost: field.bool(7),
    apiSessionToken: field.text(8),
  }),
);

const updateTerminatorResponse = tableMessage(20210, 'UpdateTerminatorResponse', {});

/** Removes a terminator; answered with `removeTerminatorResponse`. */
const removeTerminator = fromRouters(
  { bytes: 65_536, elements: 200, cost: 2 },
  tableMessage(20211, 'RemoveTerminatorRequest', {
    sessionToken: field.text(1),
    fingerprints: field.texts(2),
    terminatorId: field.text(3),
    apiSessionToken: field.text(4),
  }),
);

const removeTerminatorResponse = tableMessage(20212, 'RemoveTerminatorResponse', {});

/** Removes several terminators; answered with a `result`. */
const removeTerminators = fromRouters(
  { bytes: 524_288, elements: 10_000, cost: 1 },
  tableMessage(1038, 'RemoveTerminatorsRequest', { terminatorIds: field.texts(1) }),
);

/** Reports the result of a health check of a terminator. */
const healthEvent = fromRouters(
  { bytes: 65_536, elements: 200, cost: 1 },
  tableMessage(20214, 'HealthEvent', {
    sessionToken: field.text(1),
    fingerprints: field.texts(2),
    terminatorId: field.text(3),
    checkPassed: field.bool(4),
    apiSessionToken: field.text(5),
  }),
);

/** Asks a router which terminators it still has. */
const validateTerminators = tableMessage(1041, 'ValidateTerminatorsV2Request', {
  terminators: field.list(1, message({ id: field.text(1), binding: field.text(2), address: field.text(3), marker: field.uint64(4) })),
  fixInvalid: field.bool(2),
});

const fault = valueType.enumeration(['unknownBinding', 'unknownTerminator', 'badState']);

/** The answer: the states of the terminators by id. */
const validateTerminatorsResponse = fromRouters(
  { bytes: 8_388_608, elements: 262_144 },
  tableMessage(1042, 'ValidateTerminatorsV2Response', {
    states: field.mapped(
      1,
      valueType.text,
      message({ valid: field.bool(1), reason: field.named(2, fault), detail: field.text(3), marker: field.uint64(4) }),
    ),
  }),
);

/** Requests a terminator for the router's own tunneler. */
const createTunnelTerminator = fromRouters(
  { bytes: 131_072, elements: 1000, cost: 3 },
  tableMessage(20413, 'CreateTunnelTerminatorRequestV2', {
    serviceId: field.text(1),
    address: field.text(2),
    peerData: field.mapped(3, valueType.uint32, valueType.bytes),
    cost: field.uint32(4),
    precedence: field.named(5, precedence),
    instanceId: field.text(6),
    instanceSecret: field.bytes(7),
    startTime: field.int64(8),
  }),
);

const createTunnelTerminatorResponse = tableMessage(20414, 'CreateTunnelTerminatorResponseV2', {
  terminatorId: field.text(1),
  startTime: field.int64(2),
  result: field.named(3, outcome),
  msg: field.text(4),
  errorCode: field.uint32(5),
  retryHint: field.named(6, retryHint),
});

/** Changes the cost or precedence of a terminator of the router's own tunneler; answered with `updateTunnelTerminatorResponse`. */
const updateTunnelTerminator = fromRouters(
  { bytes: 65_536, elements: 200, cost: 2 },
  tableMessage(20408, 'UpdateTunnelTerminatorRequest', {
    terminatorId: field.text(1),
    cost: field.uint32(2),
    precedence: field.named(3, precedence),
    updatePrecedence: field.bool(4),
    updateCost: field.bool(5),
  }),
);

const updateTunnelTerminatorResponse = tableMessage(20409, 'UpdateTunnelTerminatorResponse', {});

/** Removes a terminator of the router's own tunneler; the body is its id. Answered with `removeTunnelTerminatorResponse`. */
const removeTunnelTerminator = fromRouters({ bytes: 4096, elements: 0, cost: 2 }, textMessage(20410, 'RemoveTunnelTerminatorRequest'));

const removeTunnelTerminatorResponse = emptyMessage(20411, 'RemoveTunnelTerminatorResponse');

/** Messages about terminators. */
export const terminatorMessages = {
  createTerminator,
  createTerminatorResponse,
  createTerminatorV1,
  updateTerminator,
  updateTerminatorResponse,
  removeTerminator,
  removeTerminatorResponse,
  removeTerminators,
  healthEvent,
  validateTerminators,
  validateTerminatorsResponse,
  createTunnelTerminator,
  createTunnelTerminatorResponse,
  updateTunnelTerminator,
  updateTunnelTerminatorResponse,
  removeTunnelTerminator,
  removeTunnelTerminatorResponse,
} as const;
