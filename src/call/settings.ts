import { checkedOptions } from '../contract/options.ts';
import { COMPATIBLE_RELEASES } from '../contract/version.ts';
import { shownAddress } from '../contract/wire/shown-address.ts';
import { createNameRule } from '../crypto/pki/server-names.ts';
import { addressRule } from '../runtime/platform/addresses.ts';

/** Settings of a host. Every limit has a default. */
export interface Settings {
  /**
   * Address at which clients reach the controller, such as `https://overlay.example.com`. Enrollment tokens contain it. If it has a path,
   * e.g. behind a gateway, no tokens are issued, because devices and routers need the root of a host; over plain http, users can only set a
   * password. Default `https://127.0.0.1:1280`, with a warning in the log and no tokens, because no other machine can reach that address.
   */
  readonly address: string;
  /** Minutes of inactivity after which an API session ends. Default 30, at least 1. */
  readonly sessionTimeoutMinutes: number;
  /** Maximum size of a request body, in bytes. Documents of the declared state may have eight times as many. Default 1,048,576 (1 MiB). */
  readonly maxBodyBytes: number;
  /** Milliseconds after which a request is aborted and answered with 503. Default 10,000. */
  readonly requestTimeoutMs: number;
  /**
   * Maximum number of open streams, such as Server-Sent Events; additional ones get 503. A quarter of them are reserved for administrators.
   * Default 1,000.
   */
  readonly maxOpenStreams: number;
  /** Maximum number of open streams of one identity, or of one address without a session; additional ones get 429. Default 20. */
  readonly maxOpenStreamsPerIdentity: number;
  /** Maximum number of writes waiting in the queue; additional ones get 429. Default 100. */
  readonly maxQueuedWrites: number;
  /** Maximum number of password checks running concurrently. Default 2. */
  readonly maxPasswordChecks: number;
  /**
   * Maximum number of password checks waiting in the queue. When it is full, the client address with the most waiting checks loses one,
   * which gets 429. Clients that share an address, such as behind a proxy that is not trusted, count as one. Default 250.
   */
  readonly maxQueuedPasswordChecks: number;
  /** Maximum number of waiting password checks for one username; they run one at a time. Default 50. */
  readonly maxQueuedPasswordChecksPerName: number;
  /** Maximum number of enrollments waiting in the queue; two run concurrently, and additional ones get 429. Default 100. */
  readonly maxQueuedEnrollments: number;
  /** Minutes after which the enrollment of a new identity or router expires. Default 180, at least 5. */
  readonly enrollmentMinutes: number;
  /** Maximum number of change records; the oldest are dropped as new ones arrive. Default 100,000. */
  readonly changesKept: number;
  /**
   * Maximum total size of the change records as JSON, in bytes; the oldest are dropped as new ones arrive. Default 268,435,456 (256 MiB).
   */
  readonly changeBytesKept: number;
  /**
   * Days for which change records are kept; older ones are dropped hourly. The limits of `changesKept` and `changeBytesKept` apply
   * nevertheless. Default 0: no limit by time.
   */
  readonly changesKeptForDays: number;
  /**
   * Maximum number of entries in the journal, which has every circuit and failed dial; the oldest are dropped as new ones arrive. Default
   * 100,000; 0 to keep neither entries nor usage.
   */
  readonly journalKept: number;
  /** Days for which entries of the journal are kept. Default 30; 0 for no limit by time. */
  readonly journalKeptForDays: number;
  /**
   * Maximum number of sums of usage by minute, by hour, and by day; the oldest of each are dropped as new ones arrive. Those of minutes are
   * kept for at most a day, those of hours for 31 days, and those of days for two years. Default 100,000.
   */
  readonly usageKept: number;
  /**
   * Maximum number of routers, and of links, whose load of the last day is kept in memory, with a point per minute: 17 KB for each router,
   * and 23 KB for each link. Default 100; 0 to keep none, at most 10,000.
   */
  readonly trafficHistory: number;
  /**
   * Minutes before a role attribute or service policy with `validUntil` expires at which a change with the reason `expiring` announces it.
   * Default 1,440 (a day); 0 for no announcement.
   */
  readonly expiryNoticeMinutes: number;
  /** Name of this network in authenticator apps: 1 to 40 characters without a colon. Default `openziti.io`. */
  readonly mfaIssuer: string;
  /** Number of wrong MFA codes of one identity within `wrongCodeMinutes` after which all its codes get 429. Default 10. */
  readonly maxWrongCodes: number;
  /** Minutes for which a wrong MFA code counts towards `maxWrongCodes`. Default 5. */
  readonly wrongCodeMinutes: number;
  /**
   * Ends the other API sessions of an identity when its password changes, however they were opened; the session that changed it continues.
   * Default false, because existing clients expect sessions to survive a password change.
   */
  readonly endSessionsOnPasswordChange: boolean;
  /** Origins from which browsers may call: any (`*`, the default, without credentials) or a list. */
  readonly corsOrigins: '*' | readonly string[];
  /**
   * The release of OpenZiti with which answers are compatible: `2.0` (default), or `1.7` for clients that refuse unknown capabilities,
   * fields or filter fields. The controller announces it as its version: `v2.0.3`, or `v1.7.2`. With `1.7`, answers leave out what is new
   * in 2.0 wherever a client of 1.7 could notice (docs/guides/upgrading.md, "Clients of release 1.7").
   */
  readonly compat: keyof typeof COMPATIBLE_RELEASES;
  /**
   * Addresses to which outbound requests (for key sets of external JWT signers) may go in addition to public ones: `loopback`, `private`,
   * or ranges such as `10.1.0.0/16`. Default none. Link-local addresses and metadata services are never contacted. With `proxied`, the
   * proxy of the environment resolves names and decides which addresses are allowed; without it, the controller resolves and checks them
   * before it connects to the proxy.
   */
  readonly outboundAllow: readonly string[];
  /**
   * Shows administrators the `jwksEndpoint` of external JWT signers in details and lists, as the admin console and the export of the
   * command-line client require, and as Terraform requires to detect changes. Default false, because the address may contain a secret; it
   * is then write-only.
   */
  readonly showJwksEndpoints: boolean;
  /**
   * Allows numbers in tags, in addition to text, booleans and null, because some existing tools store them. Numbers that are already stored
   * are shown, and can be filtered by, in either case. Default false, as in the specification.
   */
  readonly numericTags: boolean;
  /**
   * Names and addresses that server certificates of routers may contain in addition to the router's own name: DNS names, `*.example.org`
   * for names with one more label, IP addresses, ranges such as `10.0.0.0/8`, or `*` (default) for all. Other requested names are omitted;
   * names that belong to the controller or to another router are always omitted.
   */
  readonly routerNames: readonly string[];
  /**
   * Maximum cost of one filter, including its sorting, for an API session that is not an administrator's. The unit is roughly a microsecond
   * of processor time with SQLite (docs/filters.md, "Query cost"). Default 50,000; `Infinity` for no limit.
   */
  readonly maxQueryCostOfSessions: number;
  /** Maximum cost of one filter, including its sorting, for administrators, in the unit of `maxQueryCostOfSessions`. Default 1,000,000. */
  readonly maxQueryCostOfAdministrators: number;
  /**
   * Approximate memory in bytes for an index of the entities that have each role attribute: some 45 bytes per entity, and about as much for
   * each field by which entities are sorted, compared or searched. Queries that would need more memory run in the database. Default
   * 268,435,456 (256 MiB), which suffices for a million identities; 0 for no index.
   */
  readonly roleIndexBytes: number;
  /**
   * Approximate memory in bytes for the cache of earlier reads that are still valid: rows, and details as text. An identity takes 2.6 to
   * 2.9 KB. Default 33,554,432 (32 MiB); 0 for no cache.
   */
  readonly readCacheBytes: number;
  /** Minutes for which the connection state of an identity is `unknown` after the connection to its router is lost. Default 5. */
  readonly unknownConnectionMinutes: number;
  /** Maximum lifetime of an API token, in days. Default 365. */
  readonly maxApiTokenDays: number;
  /** Days before the expiry of an API token when the controller announces it by an event. Default 14. */
  readonly apiTokenNoticeDays: number;
  /**
   * Allows identities to create and rotate API tokens of their own, with no more rights than they have. Default false: only administrators
   * create tokens.
   */
  readonly ownApiTokens: boolean;
}

export const defaultSettings: Settings = {
  address: 'https://127.0.0.1:1280',
  sessionTimeoutMinutes: 30,
  maxBodyBytes: 1_048_576,
  requestTimeoutMs: 10_000,
  maxOpenStreams: 1000,
  maxOpenStreamsPerIdentity: 20,
  maxQueuedWrites: 100,
  maxPasswordChecks: 2,
  maxQueuedPasswordChecks: 250,
  maxQueuedPasswordChecksPerName: 50,
  maxQueuedEnrollments: 100,
  enrollmentMinutes: 180,
  changesKept: 100_000,
  changeBytesKept: 268_435_456,
  changesKeptForDays: 0,
  journalKept: 100_000,
  journalKeptForDays: 30,
  usageKept: 100_000,
  trafficHistory: 100,
  expiryNoticeMinutes: 1440,
  mfaIssuer: 'openziti.io',
  maxWrongCodes: 10,
  wrongCodeMinutes: 5,
  endSessionsOnPasswordChange: false,
  corsOrigins: '*',
  compat: '2.0',
  outboundAllow: [],
  showJwksEndpoints: false,
  numericTags: false,
  routerNames: ['*'],
  maxQueryCostOfSessions: 50_000,
  maxQueryCostOfAdministrators: 1_000_000,
  roleIndexBytes: 268_435_456,
  readCacheBytes: 33_554_432,
  unknownConnectionMinutes: 5,
  maxApiTokenDays: 365,
  apiTokenNoticeDays: 14,
  ownApiTokens: false,
};

/** The names of all settings: every setting has a default. */
const NAMES = Object.fromEntries(Object.keys(defaultSettings).map((name) => [name, true])) as Record<keyof Settings, true>;

/** Settings for which 0 means "none". */
const MAY_BE_ZERO: ReadonlySet<string> = new Set([
  'roleIndexBytes',
  'readCacheBytes',
  'expiryNoticeMinutes',
  'changesKeptForDays',
  'journalKept',
  'journalKeptForDays',
  'trafficHistory',
] satisfies readonly (keyof Settings)[]);

/** Maximum of `trafficHistory`: its rings take up to 400 MB then. */
const MAX_HISTORY = 10_000;

/** The types of settings, in words. */
const FORMS: Readonly<Record<string, string | undefined>> = { number: 'a number', string: 'a text', boolean: 'true or false' };

/** @returns the required type, in words, if the value has another type; otherwise undefined */
const requiredType = (name: keyof Settings, value: unknown): string | undefined => {
  const defaultValue = defaultSettings[name];
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (name === 'compat')
    return Object.hasOwn(COMPATIBLE_RELEASES, String(value)) ? undefined : Object.keys(COMPATIBLE_RELEASES).join(' or ');
  if (name === 'corsOrigins') return value === '*' || isList ? undefined : "'*' or a list of texts";
  if (Array.isArray(defaultValue)) return isList ? undefined : 'a list of texts';
  return typeof value === typeof defaultValue ? undefined : FORMS[typeof defaultValue];
};

/**
 * Validates the host's settings, and adds the default of each setting that is omitted or undefined.
 * @throws TypeError that names the setting, its value and the requirement
 */
export const checkedSettings = (given: Partial<Settings>): Settings => {
  checkedOptions("the option 'settings' of ManagementController.open", given, NAMES);
  const settings: Settings = {
    ...defaultSettings,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  for (const [name, value] of Object.entries(settings)) {
    const form = requiredType(name as keyof Settings, value); // an unknown one is refused above
    if (form) throw new TypeError(`setting ${name} must be ${form}, got ${typeof value === 'string' ? `'${value}'` : String(value)}`);
    const min = MAY_BE_ZERO.has(name) ? 0 : 1;
    if (typeof value === 'number' && !(value >= min)) throw new TypeError(`setting ${name} must be ${min} or more, got ${value}`);
  }
  if (settings.trafficHistory > MAX_HISTORY)
    throw new TypeError(`setting trafficHistory must be ${MAX_HISTORY} or less, got ${settings.trafficHistory}`);
  if (settings.enrollmentMinutes < 5) throw new TypeError(`setting enrollmentMinutes must be 5 or more, got ${settings.enrollmentMinutes}`);
  if (!/^https?:\/\/[^/?#@]+(\/[\w.~%-]+)*$/.test(settings.address) || !URL.canParse(settings.address)) {
    throw new TypeError(
      `setting address must be like https://host:port or https://host/path, without a slash at the end, got '${shownAddress(settings.address)}'`,
    );
  }
  if (!/^[^:\p{Cc}\p{Cs}]{1,40}$/u.test(settings.mfaIssuer)) {
    throw new TypeError(`setting mfaIssuer must have 1 to 40 characters and no colon, got '${settings.mfaIssuer}'`);
  }
  checkBy('outboundAllow must contain loopback, private, proxied, or ranges of addresses', () => addressRule(settings.outboundAllow));
  checkBy('routerNames must contain DNS names, addresses, ranges of addresses, or *', () => createNameRule(settings.routerNames));
  return settings;
};

/** @throws TypeError with the requirement if `parse` throws */
const checkBy = (requirement: string, parse: () => unknown): void => {
  try {
    parse();
  } catch (error) {
    throw new TypeError(`setting ${requirement}: ${error instanceof Error ? error.message : ''}`);
  }
};
