/** Messages of the channel itself. */
import { fromRouters, unread, worded } from './message-type.ts';

/** The first message of a connection; its body is the id of the sender. */
const hello = fromRouters({ bytes: 4096, elements: 0 }, worded(0, 'Hello'));

/** Whether the other end is there; answered with a `result`. */
const ping = fromRouters({ bytes: 65_536, elements: 0 }, unread(1, 'Ping'));

/** Whether what was asked for was done, as a header says, and why not. */
const result = fromRouters({ bytes: 65_536, elements: 0 }, worded(2, 'Result'));

/** Measures time; answered with a `result`. */
const latency = fromRouters({ bytes: 65_536, elements: 0 }, unread(3, 'Latency'));

/** Carries the headers of heartbeats when no other frame does. */
const heartbeat = fromRouters({ bytes: 65_536, elements: 0 }, unread(5, 'Heartbeat'));

/** Sent blindly on an old connection by a router that has lost it. */
const reconnectPing = fromRouters({ bytes: 65_536, elements: 0 }, unread(-33, 'ReconnectPing'));

/** Messages of the channel itself, which both ends send. */
export const channelMessages = { hello, ping, result, latency, heartbeat, reconnectPing } as const;
