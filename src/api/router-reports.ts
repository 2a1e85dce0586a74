import * as z from 'zod';
import { string } from './kit/index.ts';
import { boolean, PRINTABLE } from './shared.ts';

/**
 * Reports of routers, as passed on by the host. Routers are trusted no more than other clients: strings are short and printable, and lists are bounded.
 */

const singleLine = (max: number) => z.string().max(max).regex(PRINTABLE, 'may hold no control characters');

const shortLine = singleLine(255);

/** Id of an identity whose traffic a router carries. */
export const carriedId = shortLine;

const reported = shortLine.default('');

/** A router's software. Fields that it does not report are empty. */
export const reportedVersion = z.object({ arch: reported, buildDate: reported, os: reported, revision: reported, version: reported });

export type ReportedVersion = z.input<typeof reportedVersion>;

/** The software that a router runs. */
export const versionInfo = z
  .object({
    /** Architecture of the processor. */
    arch: shortLine,
    /** When the software was built. */
    buildDate: shortLine,
    /** Operating system. */
    os: shortLine,
    /** Commit that the software was built from. */
    revision: shortLine,
    /** Version of the software. */
    version: shortLine,
  })
  .meta({ id: 'RouterVersion' });

/** The capabilities of routers that have names, by bit of the mask that a router reports in its hello. */
const CAPABILITY_NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'MULTI_CHANNEL'],
  [2, 'CONNECT_V2'],
  [4, 'SERVICE_SUBSCRIPTIONS'],
  [5, 'POSTURE_CHECKS'],
  [6, 'BIND_SUCCESS'],
]);

/** The bits of a mask of 64 capabilities. */
export const capabilityBits = z.array(z.int().min(0).max(63)).max(64);

/** All names of capabilities. */
export const routerCapabilityNames: readonly string[] = [...CAPABILITY_NAMES.values()];

/** The names of the capabilities that a router reports. Others have no names. */
export const capabilityNamesOf = (bits: readonly number[]): readonly string[] => bits.flatMap((bit) => CAPABILITY_NAMES.get(bit) ?? []);

/** What a router reports about its software, as clients see it. */
export const reportedFields = {
  /** Version of the software that the router runs, while it is connected. */
  version: string.optional(),
  /** Names of the capabilities that the router reports, while it is connected. */
  capabilities: z.array(string).optional(),
};

/** A network interface of a router, as the router reports it. */
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

/** Maximum size of a report of network interfaces: each that differs from the previous one becomes a change record. JSON, UTF-16 units */
const MAX_REPORT = 65_536;

/** The network interfaces in a report. */
export const reportedInterfaces = routerInterfaces.refine(
  (interfaces) => JSON.stringify(interfaces).length <= MAX_REPORT,
  `must have ${MAX_REPORT} characters at most, as JSON`,
);

const protocol = z.string().regex(/^[a-z][a-z0-9+.-]{0,31}$/i, 'must be a protocol such as tls');
const NAME = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i;
const ipv6 = z.ipv6();
/** A DNS name or an address, IPv6 with or without brackets. */
const host = z
  .string()
  .max(253)
  .refine((value) => NAME.test(value) || ipv6.safeParse(value.replace(/^\[(.*)\]$/, '$1')).success, 'must be a DNS name or an address');
const port = z.int().min(1).max(65535);
/** `tls://fra1.example:3022` */
const ADDRESS = /^[\w.+-]+:\/\/[\w.:[\]-]+:\d+$/;

const listener = z.object({ protocol, hostname: host, port });

export type Listener = z.output<typeof listener>;

const listeners = z.array(listener).max(32);

/** How clients reach a router. */
export const hello = z.object({ listeners }).transform((reported) => reported.listeners);

/** The form that older routers use: one host name, and a port for each protocol as a number, as text, or as `protocol:port`. */
export const olderHello = z
  .object({
    hostname: host,
    protocols: z.array(protocol).max(32),
    protocolPorts: z.array(z.union([port, z.string().regex(/^([a-z][a-z0-9+.-]*:)?\d{1,5}$/i)])).max(32),
  })
  .refine(({ protocols, protocolPorts }) => protocols.length === protocolPorts.length, {
    message: 'must have a port for each of the protocols',
    path: ['protocolPorts'],
  })
  .transform(({ hostname, protocols, protocolPorts }) =>
    protocols.map((name, i) => ({ protocol: name, hostname, port: Number(String(protocolPorts[i]).split(':').at(-1)) })),
  )
  .pipe(listeners);

export type Hello = z.input<typeof hello> | z.input<typeof olderHello>;

/** How far a router has synchronized its model of the network. */
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

/** A connected router, as a controller publishes it to others. Stored rows obey the same bounds as reports of routers. */
export const sharedRouter = z.object({
  key: z.object({ id: shortLine, enrolledBy: shortLine }),
  /** When the router connected, in ms since 1970 by the clock of its controller. */
  since: z.int(),
  state: z.object({
    syncStatus,
    versionInfo,
    /** Absent if the router does not report them, or if its controller is of an earlier release. */
    capabilities: capabilityBits.optional(),
    /** How clients reach the router; absent until the router has reported it. */
    reached: z
      .object({
        hostname: host.or(z.literal('')),
        supportedProtocols: z.record(protocol, z.string().max(300).regex(ADDRESS)).refine((all) => Object.keys(all).length <= 32),
      })
      .optional(),
  }),
});
