/** Requests of operators to compare what the controller and its routers know, and their answers. */
import { field, message, valueType } from '../codec/index.ts';
import type { FieldTable } from '../codec/message.ts';
import { fromRouters, tableMessage } from './message-type.ts';

const BOUNDS = { bytes: 65_536, elements: 16 };

/** The filter by which the routers, or terminators, are selected, and what else the requests contain. */
const filtered = { filter: field.text(1) };
const fixing = { ...filtered, fix: field.bool(2) };
const ofModel = { ...filtered, isOwnCompared: field.bool(2), fix: field.bool(3) };

const terminatorState = valueType.enumeration(['valid', 'unknown', 'unknownBinding', 'unknownTerminator', 'badState']);
const linkState = valueType.enumeration(['unknown', 'established', 'pending', 'dialing']);

const ofRouter = { routerId: field.text(1), routerName: field.text(2), validateSuccess: field.bool(3), message: field.text(4) };
const ofComponent = {
  componentType: field.text(1),
  componentId: field.text(2),
  componentName: field.text(3),
  validateSuccess: field.bool(4),
  errors: field.texts(5),
};

const linkDetail = message({
  linkId: field.text(1),
  ctrlState: field.named(2, linkState),
  routerState: field.named(3, linkState),
  destConnected: field.bool(4),
  isValid: field.bool(5),
  destRouterId: field.text(6),
  dialed: field.bool(7),
  messages: field.texts(8),
});

const terminatorAtRouter = {
  terminatorId: field.text(1),
  ctrlState: field.named(2, terminatorState),
  routerState: field.text(3),
  isValid: field.bool(4),
  operationActive: field.bool(5),
  createTime: field.text(6),
  lastAttempt: field.text(7),
};

const circuitDetail = message({
  circuitId: field.text(1),
  missingInCtrl: field.bool(2),
  missingInForwarder: field.bool(3),
  missingInEdge: field.bool(4),
  missingInSdk: field.bool(5),
  destinations: field.mapped(6, valueType.text, valueType.text),
});

/** The request, the answer with the number of results, and the results that follow it. */
const validation = <const Q extends FieldTable, const R extends FieldTable>(contentType: number, name: string, request: Q, result: R) => ({
  request: fromRouters(BOUNDS, tableMessage(contentType, `${name}Request`, request)),
  answer: tableMessage(contentType + 1, `${name}Response`, { success: field.bool(1), message: field.text(2), count: field.uint64(3) }),
  result: tableMessage(contentType + 2, `${name}Result`, result),
});

/** Validations on the management channel. */
export const validationMessages = {
  terminators: validation(10_100, 'ValidateTerminators', fixing, {
    terminatorId: field.text(1),
    serviceId: field.text(2),
    serviceName: field.text(3),
    routerId: field.text(4),
    routerName: field.text(5),
    binding: field.text(6),
    address: field.text(7),
    hostId: field.text(8),
    createDate: field.text(9),
    state: field.named(10, terminatorState),
    fixed: field.bool(11),
    detail: field.text(12),
  }),
  links: validation(10_103, 'ValidateRouterLinks', filtered, { ...ofRouter, details: field.list(5, linkDetail) }),
  sdkTerminators: validation(10_106, 'ValidateRouterSdkTerminators', filtered, {
    ...ofRouter,
    details: field.list(5, message(terminatorAtRouter)),
  }),
  dataModel: validation(10_109, 'ValidateRouterDataModel', ofModel, ofComponent),
  identityConnections: validation(10_112, 'ValidateIdentityConnectionStatuses', filtered, ofComponent),
  tunnelTerminators: validation(10_115, 'ValidateRouterErtTerminators', filtered, {
    ...ofRouter,
    details: field.list(5, message(terminatorAtRouter)),
  }),
  circuits: validation(10_118, 'ValidateCircuits', filtered, { ...ofRouter, details: field.mapped(5, valueType.text, circuitDetail) }),
  /** Of the 2.x line: the controller compares its own dials to routers. */
  controllerDialers: validation(
    10_122,
    'ValidateControllerDialers',
    {},
    { componentId: field.text(1), componentName: field.text(2), validateSuccess: field.bool(3), errors: field.texts(4) },
  ),
} as const;
