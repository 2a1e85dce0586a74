import { emptyMessage, fromRouters, textMessage } from './message-type.ts';

/** The first message of a connection; its body is the id of the sender. */
const hello = fromRouters({ bytes: 4096, elements: 0 }, textMessage(0, 'Hello'));

/** Checks that the other end is reachable; answered with a `result`. */
const ping = fromRouters({ bytes: 65_536, elements: 0 }, emptyMessage(1, 'Ping'));

/** Success or failure of a request, in a header; the body is the reason. */
const result = fromRouters({ bytes: 1_048_576, elements: 0 }, textMessage(2, 'Result'));

/** Measures the round-trip time; answered with a `result`. */
const latency = fromRouters({ bytes: 65_536, elements: 0 }, emptyMessage(3, 'Latency'));

/** Carries heartbeat headers if no other frame does. */
const heartbeat = fromRouters({ bytes: 65_536, elements: 0 }, emptyMessage(5, 'Heartbeat'));

/** Sent by a router on an old connection that may have been lost. Not answered. */
const reconnectPing = fromRouters({ bytes: 65_536, elements: 0 }, emptyMessage(-33, 'ReconnectPing'));

/** Messages of the channel itself, sent by both ends. */
export const channelMessages = { hello, ping, result, latency, heartbeat, reconnectPing } as const;
