import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { checkedSettings, defaultSettings, type Settings } from '../src/call/settings.ts';
import { hostInUrl, isLoopbackHost } from './addresses.ts';
import type { OptionDeclaration, OptionTable, OptionValues } from './arguments.ts';
import { StartFailure, sentenceOf } from './failure.ts';
import type { ServerOptions } from './server-options.ts';
import { settingTexts } from './setting-texts.ts';
import { type CheckMember, optionOf } from './sources.ts';

type Name = keyof Settings;

/** All settings except the address, which has an option of its own in `serverTable`. */
const names = (Object.keys(defaultSettings) as Name[]).filter((name) => name !== 'address'); // the keys of a literal
const byOption = new Map(names.map((name) => [optionOf(name), name]));

const declarationOf = (name: Name): OptionDeclaration => {
  const defaultValue = defaultSettings[name];
  const about = settingTexts[name];
  if (typeof defaultValue === 'boolean') return { about };
  if (typeof defaultValue === 'number') return { about, value: 'NUMBER' };
  return typeof defaultValue === 'string' && name !== 'corsOrigins' ? { about, value: 'TEXT' } : { about, value: 'LIST', list: 'commas' };
};

/** An option for every setting except the address. */
export const settingOptions: OptionTable = Object.fromEntries(names.map((name) => [optionOf(name), declarationOf(name)]));

/**
 * Checks a value from a configuration file.
 * @throws StartFailure that names the option as its source does
 */
export const checkSetting: CheckMember = (option, value, source) => {
  const name = byOption.get(option);
  if (name !== undefined) checked(name, value, source);
};

/**
 * The settings that were given.
 * @throws StartFailure that names the option as its source does
 */
export const settingsOf = (given: OptionValues<string>): Partial<Settings> =>
  Object.fromEntries(
    [...byOption].flatMap(([option, name]) => {
      const source = given.source(option);
      return source === undefined ? [] : [[name, checked(name, fromText(name, given.get(option)), source)]];
    }),
  );

const checked = (name: Name, value: unknown, source: string): unknown => {
  try {
    return checkedSettings({ [name]: value })[name];
  } catch (error) {
    throw new StartFailure(sentenceOf(error).replace(`setting ${name}`, () => source));
  }
};

const fromText = (name: Name, text: string | undefined): unknown => {
  const defaultValue = defaultSettings[name];
  if (typeof defaultValue === 'boolean') return text !== undefined;
  if (typeof defaultValue === 'number') return text !== undefined && /^\d+(\.\d+)?$|^Infinity$/.test(text) ? Number(text) : text;
  if (Array.isArray(defaultValue) || (name === 'corsOrigins' && text !== '*'))
    return (text ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return text;
};

const MIB = 1024 * 1024;

/** Threads of Node's pool, on which passwords are hashed. More checks at a time would only wait there, with their memory. */
const POOL_THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/**
 * The settings of the server's controller, except its address: the given ones, and defaults that differ from those of an embedded
 * controller.
 */
export const serverSettings = (options: Pick<ServerOptions, 'host' | 'address' | 'trustedProxies' | 'settings'>): Partial<Settings> => ({
  // A server has its process to itself, so its read cache is larger: about 100,000 entities.
  readCacheBytes: Math.floor(Math.min(256 * MIB, getHeapStatistics().heap_size_limit / 8)),
  maxPasswordChecks: Math.max(2, Math.min(availableParallelism(), POOL_THREADS)),
  outboundAllow: isLocalOnly(options) ? ['loopback'] : [],
  ...options.settings,
});

/**
 * True if no other machine can reach the server. Outbound requests to loopback are then allowed, since trials often run the identity
 * provider on the same machine. Otherwise they are not, because remote clients could reach local services through the server.
 */
const isLocalOnly = ({ host, address, trustedProxies }: Pick<ServerOptions, 'host' | 'address' | 'trustedProxies'>): boolean =>
  !trustedProxies && [host, ...(address === undefined ? [] : [hostInUrl(new URL(address).hostname)])].every(isLoopbackHost);
