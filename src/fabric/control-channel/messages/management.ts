import { field, message, valueType } from '../codec/index.ts';
import { fromRouters, tableMessage, textMessage } from './message-type.ts';
import { tracedMessage, tracesToggle } from './routers.ts';

/** Maximum number of elements in a request of an operator. */
const MAX_ELEMENTS = 10_000;
const BOUNDS = { bytes: 1_048_576, elements: MAX_ELEMENTS };

/** Subscribes to events. The body is JSON; answered with a `result`. */
const streamEventsRequest = textMessage(10040, 'StreamEventsRequest');

/** One event as JSON, and its kind in a header. */
const streamEventsEvent = textMessage(10041, 'StreamEventsEvent');

/** Has routers trace messages of their channels; answered with a `result`. */
const togglePipeTraces = fromRouters(BOUNDS, tableMessage(10044, 'TogglePipeTracesRequest', tracesToggle));

/** Subscribes to traces. Answered only if it cannot be. */
const streamTraces = fromRouters(
  BOUNDS,
  tableMessage(10046, 'StreamTracesRequest', {
    isFiltered: field.bool(1),
    filterType: field.named(2, valueType.enumeration(['exclude', 'include'])),
    contentTypes: field.list(3, valueType.int32),
  }),
);

const streamTracesEvent = tableMessage(10047, 'StreamTracesEvent', tracedMessage);

/** Values of the controller and of routers, by name. */
const inspectRequest = fromRouters(
  BOUNDS,
  tableMessage(10048, 'InspectRequest', { appRegex: field.text(1), requestedValues: field.texts(2) }),
);

const inspectResponse = tableMessage(10049, 'InspectResponse', {
  success: field.bool(1),
  errors: field.texts(2),
  values: field.list(3, message({ appId: field.text(1), name: field.text(2), value: field.text(3) })),
});

/** Messages of the management channel, between operators and the controller. */
export const managementMessages = {
  streamEventsRequest,
  streamEventsEvent,
  togglePipeTraces,
  streamTraces,
  streamTracesEvent,
  inspectRequest,
  inspectResponse,
} as const;
