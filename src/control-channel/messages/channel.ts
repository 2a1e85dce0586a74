/** Messages of the channel itself. */
import { unread, worded } from './message-type.ts';

/** The first message of a connection; its body is the id of the sender. */
const hello = worded(0, 'Hello');

/** Whether the other end is there; answered with a `result`. */
const ping = unread(1, 'Ping');

/** Whether what was asked for was done, as a header says, and why not. */
const result = worded(2, 'Result');

/** Measures time; answered with a `result`. */
const latency = unread(3, 'Latency');

/** Carries the headers of heartbeats when no other frame does. */
const heartbeat = unread(5, 'Heartbeat');

/** Sent blindly on an old connection by a router that has lost it. */
const reconnectPing = unread(-33, 'ReconnectPing');

/** Messages of the channel itself, which both ends send. */
export const channelMessages = { hello, ping, result, latency, heartbeat, reconnectPing } as const;
