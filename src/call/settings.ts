import { checkedOptions } from '../options.ts';
import { allowedNames } from '../pki/server-names.ts';
import { addressRule } from '../platform/addresses.ts';

/** Settings of a host. Every limit has a default. */
export interface Settings {
  /**
   * Address under which clients reach the controller, such as `https://overlay.example.com`. It is part of enrollment tokens, which lead clients there.
   * With a path, as behind a gateway, no tokens are made, because devices and routers need the root of a host. Default `https://127.0.0.1:1280`, with a
   * warning in the log and no tokens: no other machine reaches that.
   */
  readonly address: string;
  /** Minutes of inactivity after which an API session ends. Default 30, at least 1. */
  readonly sessionTimeoutMinutes: number;
  /** Largest request body in bytes. Default 1 MiB. */
  readonly maxBodyBytes: number;
  /** Milliseconds after which a request is abandoned with 503. Default 10,000. */
  readonly requestTimeoutMs: number;
  /** Answers without an end, such as Server-Sent Events, that may be open at once; further ones get 503. A quarter of them are for administrators. Default 1,000. */
  readonly maxOpenStreams: number;
  /** The same for one identity, or for one address without a session; further ones get 429. Default 20. */
  readonly maxOpenStreamsPerIdentity: number;
  /** Changes that may wait in the queue; further ones get 429. Default 100. */
  readonly maxQueuedWrites: number;
  /** Password checks that may run at once. Default 2. */
  readonly maxPasswordChecks: number;
  /**
   * Password checks that may wait. When the queue is full, the client address with the most of them loses one, with 429; clients that share an
   * address, behind a proxy that is not trusted, may fill it together. Default 250.
   */
  readonly maxQueuedPasswordChecks: number;
  /** The same for one username, whose checks run one after another. Default 50. */
  readonly maxQueuedPasswordChecksPerName: number;
  /** Enrollments by clients that may wait in the queue; two run at once, and further ones get 429. Default 100. */
  readonly maxQueuedEnrollments: number;
  /** Minutes after which the enrollment of a new identity or router expires. Default 180, at least 5. */
  readonly enrollmentMinutes: number;
  /** Change records that are kept; older ones are dropped as new ones come. Default 100,000. */
  readonly changesKept: number;
  /** Bytes of the change records that are kept, as JSON; older ones are dropped as new ones come. Default 268,435,456 (256 MiB). */
  readonly changeBytesKept: number;
  /** Name of this network in authenticator apps: 1 to 40 characters without a colon. Default `openziti.io`. */
  readonly mfaIssuer: string;
  /** Wrong MFA codes of one identity within `wrongCodeMinutes` after which further ones get 429. Default 10. */
  readonly maxWrongCodes: number;
  /** Minutes for which a wrong MFA code counts. Default 5. */
  readonly wrongCodeMinutes: number;
  /**
   * Ends the other API sessions of an identity when its password changes, however they were opened; the session that changed it continues. Default
   * false: existing clients expect sessions to survive a change of password.
   */
  readonly endSessionsOnPasswordChange: boolean;
  /** Origins that browsers may call from: any (`*`, default, without credentials) or a list. */
  readonly corsOrigins: '*' | readonly string[];
  /** Level of the API that clients may expect, as `data.version` of the version information. Default `v1.7.2`. */
  readonly apiLevel: string;
  /**
   * Where outbound requests (key sets of external JWT signers) may go beside public addresses: `loopback`, `private`, or ranges such as
   * `10.1.0.0/16`. Default none. Link-local addresses and metadata services are never asked.
   */
  readonly outboundAllow: readonly string[];
  /**
   * Shows administrators the `jwksEndpoint` of external JWT signers in details and lists, which the admin console and the export of the
   * command-line client need. Default false: it may contain a secret, and is write-only.
   */
  readonly showJwksEndpoints: boolean;
  /**
   * Allows numbers in tags, beside text, booleans and null, as tools of the field store them. Stored numbers are shown and filtered by in either
   * case. Default false, as the specification has it.
   */
  readonly numericTags: boolean;
  /**
   * Names and addresses that server certificates of routers may contain, beside the router's own name: DNS names, `*.example.org` for names with one
   * more label, addresses, ranges such as `10.0.0.0/8`, or `*` (default) for all. Other requested names are left out, and always those that belong to
   * the controller or to another router.
   */
  readonly routerNames: readonly string[];
  /**
   * The cost that one filter, with its sorting, may have for an API session that is not an administrator's; about microseconds of processor time with
   * SQLite (docs/filters.md, "Query cost"). Default 50,000; `Infinity` for no limit.
   */
  readonly maxQueryCostOfSessions: number;
  /** The same for administrators. Default 1,000,000. */
  readonly maxQueryCostOfAdministrators: number;
  /**
   * Bytes of memory, about, for an index of who carries which role attribute (docs/decisions/043-role-indexes.md): some 45 bytes for an entity, and
   * about as much for each field by which entities are sorted, compared or searched (docs/decisions/049-sorted-and-searched-in-memory.md). What takes
   * more is asked in the database. Default 268,435,456 (256 MiB), which a million identities need; 0 for no index.
   */
  readonly roleIndexBytes: number;
  /**
   * Bytes of memory, about, for what was read before and is still true: rows, and details as text (docs/decisions/036-reads-are-remembered.md). An
   * identity takes 2.6 to 2.9 KB. Default 33,554,432 (32 MiB); 0 to remember nothing.
   */
  readonly readCacheBytes: number;
  /** Minutes for which the connection of an identity is `unknown` once the router that carried it was lost. Default 5. */
  readonly unknownConnectionMinutes: number;
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
  mfaIssuer: 'openziti.io',
  maxWrongCodes: 10,
  wrongCodeMinutes: 5,
  endSessionsOnPasswordChange: false,
  corsOrigins: '*',
  apiLevel: 'v1.7.2',
  outboundAllow: [],
  showJwksEndpoints: false,
  numericTags: false,
  routerNames: ['*'],
  maxQueryCostOfSessions: 50_000,
  maxQueryCostOfAdministrators: 1_000_000,
  roleIndexBytes: 268_435_456,
  readCacheBytes: 33_554_432,
  unknownConnectionMinutes: 5,
};

/** Every setting has a default. */
const NAMES = Object.fromEntries(Object.keys(defaultSettings).map((name) => [name, true])) as Record<keyof Settings, true>;

/** Settings for which 0 means none. */
const MAY_BE_NONE: ReadonlySet<string> = new Set(['roleIndexBytes', 'readCacheBytes'] satisfies readonly (keyof Settings)[]);

/** The types that a setting may have to have, in words. */
const FORMS: Readonly<Record<string, string | undefined>> = { number: 'a number', string: 'a text', boolean: 'true or false' };

/** The type that a setting must have, in words, if its value is of another. */
const misfit = (name: keyof Settings, value: unknown): string | undefined => {
  const known = defaultSettings[name];
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (name === 'corsOrigins') return value === '*' || isList ? undefined : "'*' or a list of texts";
  if (Array.isArray(known)) return isList ? undefined : 'a list of texts';
  return typeof value === typeof known ? undefined : FORMS[typeof known];
};

/**
 * The settings of a host, once they are known to make sense, with the default of each that is left out or undefined.
 * @throws TypeError that names the setting, its value and what would be right
 */
export const checkedSettings = (given: Partial<Settings>): Settings => {
  checkedOptions("the option 'settings' of ManagementController.open", given, NAMES);
  const settings: Settings = {
    ...defaultSettings,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  for (const [name, value] of Object.entries(settings)) {
    const form = misfit(name as keyof Settings, value); // an unknown one is refused above
    if (form) throw new TypeError(`setting ${name} must be ${form}, got ${typeof value === 'string' ? `'${value}'` : String(value)}`);
    const least = MAY_BE_NONE.has(name) ? 0 : 1;
    if (typeof value === 'number' && !(value >= least)) throw new TypeError(`setting ${name} must be ${least} or more, got ${value}`);
  }
  if (settings.enrollmentMinutes < 5) throw new TypeError(`setting enrollmentMinutes must be 5 or more, got ${settings.enrollmentMinutes}`);
  if (!/^https?:\/\/[^/?#]+(\/[\w.~%-]+)*$/.test(settings.address) || !URL.canParse(settings.address)) {
    throw new TypeError(
      `setting address must be like https://host:port or https://host/path, without a slash at the end, got '${settings.address}'`,
    );
  }
  if (!/^[^:\p{Cc}\p{Cs}]{1,40}$/u.test(settings.mfaIssuer)) {
    throw new TypeError(`setting mfaIssuer must have 1 to 40 characters and no colon, got '${settings.mfaIssuer}'`);
  }
  try {
    addressRule(settings.outboundAllow);
  } catch (error) {
    throw new TypeError(
      `setting outboundAllow must hold loopback, private, or ranges of addresses: ${error instanceof Error ? error.message : ''}`,
    );
  }
  try {
    allowedNames(settings.routerNames);
  } catch (error) {
    throw new TypeError(
      `setting routerNames must hold DNS names, addresses, ranges of addresses, or *: ${error instanceof Error ? error.message : ''}`,
    );
  }
  return settings;
};
