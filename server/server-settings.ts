import { getHeapStatistics } from 'node:v8';
import type { Settings } from '../src/index.ts';
import { hostInUrl, isLoopbackHost } from './addresses.ts';
import type { ServerOptions } from './options.ts';

const MIB = 1024 * 1024;

/** The settings of the server's controller but for its address: those that were given, and defaults that differ from those of a controller within another service. */
export const serverSettings = (options: Pick<ServerOptions, 'host' | 'address' | 'trustedProxies' | 'settings'>): Partial<Settings> => ({
  // A server has its process to itself, and remembers more of what it has read: about 100,000 entities.
  readCacheBytes: Math.floor(Math.min(256 * MIB, getHeapStatistics().heap_size_limit / 8)),
  outboundAllow: isAlone(options) ? ['loopback'] : [],
  ...options.settings,
});

/**
 * Whether no other machine reaches the server. Identity providers on the same machine are common where people try things out, and clients of other machines
 * must not reach services of this one by way of the server.
 */
const isAlone = ({ host, address, trustedProxies }: Pick<ServerOptions, 'host' | 'address' | 'trustedProxies'>): boolean =>
  !trustedProxies && [host, ...(address === undefined ? [] : [hostInUrl(new URL(address).hostname)])].every(isLoopbackHost);
