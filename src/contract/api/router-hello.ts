/** The addresses at which clients reach a router, as the router reports them. */
import * as z from 'zod';

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

/** Addresses at which clients reach a router. */
export const hello = z.object({ listeners }).transform((reported) => reported.listeners);

/** The format of older routers: one host name, and a port for each protocol as a number, as text, or as `protocol:port`. */
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

/** The host name of a router, empty if it reports none, and its addresses by protocol. */
export const reachedAddresses = z.object({
  hostname: host.or(z.literal('')),
  supportedProtocols: z.record(protocol, z.string().max(300).regex(ADDRESS)).refine((all) => Object.keys(all).length <= 32),
});
