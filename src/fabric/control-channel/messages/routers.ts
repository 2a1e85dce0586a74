import { field, message, valueType } from '../codec/index.ts';
import { emptyMessage, fromRouters, tableMessage, urgent } from './message-type.ts';
import { usageReport } from './metrics.ts';

/** Capabilities of a router, in its hello. */
export const routerMetadata = message({ capabilities: field.list(1, valueType.enumeration(['unspecified', 'linkManagement'])) });

/** The addresses at which a router accepts control channels, in its hello. Routers without such addresses omit it. */
export const controlListeners = message({ listeners: field.list(1, message({ address: field.text(1), groups: field.texts(2) })) });

/** Requests the listeners of a router. */
const serverHello = urgent(
  tableMessage(20000, 'ServerHello', {
    version: field.text(1),
    data: field.mapped(2, valueType.text, valueType.text),
    byteData: field.mapped(3, valueType.text, valueType.bytes),
  }),
);

const address = message({ value: field.text(10), protocol: field.text(20), hostname: field.text(30), port: field.int32(40) });

/** The answer: the listeners to which clients connect. */
const clientHello = fromRouters(
  { bytes: 1_048_576, elements: 10_000 },
  tableMessage(20001, 'ClientHello', {
    version: field.text(1),
    hostname: field.text(2),
    protocols: field.texts(3),
    data: field.mapped(4, valueType.text, valueType.text),
    protocolPorts: field.texts(5),
    listeners: field.list(10, message({ address: field.nested(10, address), advertise: field.nested(20, address) })),
  }),
);

const networkInterface = message({
  name: field.text(1),
  hardwareAddress: field.text(2),
  mtu: field.int64(3),
  index: field.int64(4),
  flags: field.uint64(5),
  addresses: field.texts(6),
});

/** The network interfaces of a router; answered with a `result`. */
const routerInterfaces = fromRouters(
  { bytes: 1_048_576, elements: 20_000, cost: 2 },
  tableMessage(1052, 'RouterInterfacesUpdate', { interfaces: field.list(1, networkInterface) }),
);

const connectEvent = message({
  identityId: field.text(1),
  isConnected: field.bool(2),
  connectTimes: field.list(3, message({ connectTime: field.int64(1), srcAddr: field.text(2), dstAddr: field.text(3) })),
});

/** Identities that have connected or disconnected since the last report; at intervals, all connected identities. */
const connectEvents = fromRouters(
  { bytes: 8_388_608, elements: 500_000 },
  tableMessage(20415, 'ConnectEvents', { events: field.list(1, connectEvent), fullState: field.bool(2) }),
);

/** Requests values from a router, by name. */
const inspectRequest = tableMessage(1013, 'InspectRequest', { requestedValues: field.texts(1) });

/** The answer, with values as JSON. */
const inspectResponse = fromRouters(
  { bytes: 8_388_608, elements: 10_000 },
  tableMessage(1014, 'InspectResponse', {
    success: field.bool(1),
    errors: field.texts(2),
    values: field.list(3, message({ name: field.text(1), value: field.text(2) })),
  }),
);

const alert = message({
  sourceType: field.text(1),
  sourceId: field.text(2),
  timestamp: field.int64(3),
  severity: field.text(4),
  message: field.text(5),
  details: field.texts(6),
  relatedEntities: field.mapped(7, valueType.text, valueType.text),
});

/** Alerts of a router for its operator. */
const alerts = fromRouters({ bytes: 1_048_576, elements: 10_000 }, tableMessage(1054, 'Alerts', { alerts: field.list(1, alert) }));

/** Of the lines in which a router reports what a request has changed, those that are wanted. */
const verbosity = valueType.enumeration(['none', 'matches', 'misses', 'all']);

/** A request to trace the messages of channels, or to stop that. The channels are selected by regular expressions. */
export const tracesToggle = {
  enable: field.bool(1),
  verbosity: field.named(2, verbosity),
  appRegex: field.text(3),
  pipeRegex: field.text(4),
};

/** Has a router trace its channels, or stop; answered with a `result`. */
const togglePipeTraces = tableMessage(1008, 'TogglePipeTracesRequest', tracesToggle);

/** A message that a router has sent or received, without its content. */
export const tracedMessage = {
  timestamp: field.int64(1),
  identity: field.text(2),
  channel: field.text(3),
  isRx: field.bool(4),
  contentType: field.int32(5),
  sequence: field.int32(6),
  replyFor: field.int32(7),
  length: field.int32(8),
  decode: field.text(9),
};

const traceEvent = fromRouters({ bytes: 65_536, elements: 16, cost: 0.1 }, tableMessage(1010, 'TraceEvent', tracedMessage));

/** Bounds of the requests of an operator at a router, which are answered with a `result`. */
const WITHDRAWAL = { bytes: 4096, elements: 0, cost: 20 } as const;

/** The router is about to stop: new circuits should avoid it. */
const quiesceRouter = fromRouters(WITHDRAWAL, emptyMessage(1039, 'QuiesceRouterRequest'));

/** New circuits may use the router again. */
const dequiesceRouter = fromRouters(WITHDRAWAL, emptyMessage(1040, 'DequiesceRouterRequest'));

/** The router stops for good. Its deletion closes the channel; only a failure is answered. */
const decommissionRouter = fromRouters(WITHDRAWAL, emptyMessage(1043, 'DecommissionRouterRequest'));

/** Settings for a router, by number. */
const settings = tableMessage(1020, 'Settings', { data: field.mapped(1, valueType.int32, valueType.bytes) });

const endpoint = message({ address: field.text(1), groups: field.texts(2) });
const controllerDetail = message({ id: field.text(1), endpoints: field.list(2, endpoint) });

/** Addresses of the controllers: `addresses` for routers of the 1.x line, `controllers` for later ones. */
const updateCtrlAddresses = tableMessage(1037, 'UpdateCtrlAddresses', {
  addresses: field.texts(1),
  index: field.uint64(2),
  isLeader: field.bool(3),
  controllers: field.list(4, controllerDetail),
});

/** Requests the addresses of the controllers again; answered with `updateCtrlAddresses`, not as a reply. */
const requestClusterMembers = fromRouters({ bytes: 4096, elements: 0, cost: 5 }, emptyMessage(1055, 'RequestClusterMembers'));

/** Messages about a router itself. */
export const routerMessages = {
  serverHello,
  clientHello,
  routerInterfaces,
  connectEvents,
  metrics: usageReport,
  inspectRequest,
  inspectResponse,
  alerts,
  togglePipeTraces,
  traceEvent,
  quiesceRouter,
  dequiesceRouter,
  decommissionRouter,
  settings,
  updateCtrlAddresses,
  requestClusterMembers,
} as const;
