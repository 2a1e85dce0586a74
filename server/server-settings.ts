import { getHeapStatistics } from 'node:v8';
import type { Settings } from '../src/index.ts';
import { hostInUrl, isLoopbackHost } from './addresses.ts';
import type { ServerOptions } from './server-options.ts';

const MIB = 1024 * 1024;

/** The settings of the server's controller except its address: the given ones, and defaults that differ from those of an embedded controller. */
export const serverSettings = (options: Pick<ServerOptions, 'host' | 'address' | 'trustedProxies' | 'settings'>): Partial<Settings> => ({
  // A server has its process to itself, so its read cache is larger: about 100,000 entities.
  readCacheBytes: Math.floor(Math.min(256 * MIB, getHeapStatistics().heap_size_limit / 8)),
  outboundAllow: isAlone(options) ? ['loopback'] : [],
  ...options.settings,
});

/**
 * True if no other machine reaches the server. Loopback is then allowed for outbound requests, since identity providers on the same machine are common in trials;
 * otherwise clients could reach local services through the server.
 */
const isAlone = ({ host, address, trustedProxies }: Pick<ServerOptions, 'host' | 'address' | 'trustedProxies'>): boolean =>
  !trustedProxies && [host, ...(address === undefined ? [] : [hostInUrl(new URL(address).hostname)])].every(isLoopbackHost);
