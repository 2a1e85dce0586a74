import * as z from 'zod';
import { boolean, PRINTABLE } from './shared.ts';

/**
 * Reports of routers, as the host passes them on. Routers are not trusted more than other clients: strings must be short and printable, and
 * lists bounded.
 */

export const shortLine = z.string().max(255).regex(PRINTABLE, 'must not contain control characters');

/** Id of an identity whose traffic a router carries. */
export const carriedId = shortLine;

/** A network interface that a router reported. */
const routerInterface = z
  .object({
    /** Name of the interface, e.g. `eth0`. */
    name: shortLine.min(1),
    /** MAC address. */
    hardwareAddress: shortLine,
    /** Maximum size of a packet, in bytes. */
    mtu: z.int().min(0),
    /** Index of the interface, from 0. */
    index: z.int().min(0),
    /** True if the interface is enabled. */
    isUp: boolean,
    /** True if the interface is operational. */
    isRunning: boolean,
    /** True for a loopback interface. */
    isLoopback: boolean,
    /** True if the interface supports broadcast. */
    isBroadcast: boolean,
    /** True if the interface supports multicast. */
    isMulticast: boolean,
    /** IP addresses with prefix lengths. */
    addresses: z.array(shortLine).max(64).default([]),
  })
  .meta({ id: 'RouterInterface' });

export const routerInterfaces = z.array(routerInterface).max(256);

/** Maximum length of a report of network interfaces as JSON, in UTF-16 units: each report that differs from the last is a change record. */
const MAX_REPORT = 65_536;

/** The network interfaces in a report. */
export const reportedInterfaces = routerInterfaces.refine(
  (interfaces) => JSON.stringify(interfaces).length <= MAX_REPORT,
  `must have at most ${MAX_REPORT} characters as JSON`,
);

/** Progress of a router in synchronizing its model of the network. */
export const syncStatus = z.enum([
  'SYNC_NEW',
  'SYNC_QUEUED',
  'SYNC_HELLO',
  'SYNC_HELLO_WAIT',
  'SYNC_RESYNC_WAIT',
  'SYNC_IN_PROGRESS',
  'SYNC_DONE',
  'SYNC_UNKNOWN',
  'SYNC_DISCONNECTED',
  'SYNC_HELLO_TIMEOUT',
  'SYNC_ERROR',
]);

export type SyncStatus = z.output<typeof syncStatus>;
