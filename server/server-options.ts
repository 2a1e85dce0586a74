import type { Settings } from '../src/index.ts';
import type { OptionDeclaration } from './arguments.ts';
import { backupOptions, backupScheduleOptions } from './backups.ts';
import { amqpWithoutPassword, parseEventsAmqp } from './events-amqp.ts';
import {
  oneOf,
  parseAddress,
  parseApplications,
  parseControllerId,
  parseDrain,
  parseEventsFile,
  parseHost,
  parseHostNames,
  parseListener,
  parsePort,
  parsePositive,
  parseProxies,
  parseRouterAddress,
  parseSwitch,
  parseTls,
  upTo,
} from './option-values.ts';
import { type SecretKeyOptions, secretKeyFile } from './secret-key.ts';
import { DEFAULT_STORAGE, dataFolder, parseStorage, withoutSecrets } from './storage-option.ts';

/** An option of the server, with the parser that turns its text into a member of `ServerOptions`. */
export interface ServerOption extends OptionDeclaration {
  /**
   * Parses the text that was given last, or the default. Options without a parser are read by `readOptions`.
   * @throws StartFailure
   */
  readonly parse?: (text: string, option: string) => unknown;
  /**
   * Parses all texts of an option that may be given several times.
   * @throws StartFailure
   */
  readonly parseAll?: (texts: readonly string[]) => unknown;
  /** The name of the member; default: that of the option in a configuration file. */
  readonly member?: string;
}

/** The option of every command that names a file with options. */
export const configFile = {
  value: 'FILE',
  about:
    'JSON file with options, such as {"port": 8443, "sessionTimeoutMinutes": 15}. Environment variables (OVERLAY_PORT=8443) take precedence over the file, and the command line over both',
} as const satisfies OptionDeclaration;

/** The options of the server. Their help, their spellings in other sources and `ServerOptions` are derived from this table. */
export const serverTable = {
  config: configFile,
  'print-config': { about: 'print the effective options and settings with their sources, without secrets, and exit' },
  host: { value: 'HOST', about: 'address or name to listen on', default: '127.0.0.1', parse: parseHost },
  port: { value: 'PORT', about: 'port to listen on; 0 for any free port', default: '1280', parse: parsePort },
  address: {
    value: 'URL',
    about:
      'URL at which clients reach the server, if it differs from https://HOST:PORT with --host and --port, e.g. the URL of a load balancer. Enrollment tokens contain it, and the certificate covers its host. If it has a path, which a gateway must strip, responses contain that path, and no enrollment tokens are issued, because devices and routers need the root of a host',
    parse: parseAddress,
  },
  storage: {
    value: 'STORAGE',
    about:
      'memory, sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE, with HOST:PORT,HOST:PORT for failover, ?schema=NAME to choose the schema, and ?prepared=false for a connection pooler that is not recognised',
    default: DEFAULT_STORAGE,
    redact: withoutSecrets,
    parse: parseStorage,
  },
  migrations: {
    value: 'WHEN',
    about:
      'auto: run pending migrations before the server starts; wait: start once they have been run by others, e.g. with the command migrate',
    default: 'auto',
    parse: oneOf('auto', 'wait'),
  },
  'data-folder': { ...dataFolder, parse: String },
  snapshots: {
    value: 'FOLDER',
    about: 'folder for snapshots of the database (default: snapshots in the data folder)',
    parse: String,
  },
  ...backupOptions,
  ...backupScheduleOptions,
  'admin-username': { value: 'NAME', about: 'username of the first administrator', default: 'admin' },
  'admin-password': {
    value: 'TEXT',
    about:
      'password of the first administrator (default: the variable ADMIN_PASSWORD; without either, a random password that is printed once). Prefer the variable, or ADMIN_PASSWORD_FILE, because other users of the machine can see command-line options',
    redact: () => '***',
  },
  tls: {
    value: 'TLS',
    about:
      'auto: create certificates and keep them in the data folder; off: plain HTTP; CERT,KEY: these PEM files, reloaded when they change and on SIGHUP',
    default: 'auto',
    parse: parseTls,
  },
  'trusted-proxy': {
    value: 'CIDR[,HEADER...]',
    about:
      'addresses of proxies whose X-Forwarded-For header is trusted as the client address. HEADER is the header in which they forward the client certificate; a second HEADER contains its intermediate certificates. The proxies must set these headers on every request. The HEADER x-real-ip replaces X-Forwarded-For. May be given several times',
    list: 'repeated',
    member: 'trustedProxies',
    parseAll: parseProxies,
  },
  oidc: {
    value: 'on|off',
    about: 'serve an OpenID provider at /oidc, through which current consoles, SDKs and command-line clients log in',
    default: 'on',
    parse: parseSwitch,
  },
  console: {
    value: 'on|off',
    about:
      'serve the administration console at /console, and redirect browsers from / to it (default: the value of --oidc, because users log in to it through the OpenID provider)',
    parse: parseSwitch,
  },
  routers: {
    value: 'on|off',
    about:
      'accept connections from routers on the port of the API, which requires TLS. To add a router, create an edge router, and enroll it with its token',
    default: 'on',
    parse: parseSwitch,
  },
  'router-port': {
    value: 'PORT',
    about:
      'also accept connections from routers on a separate port, such as 6262, whose address new routers receive; 0 for any free port. For networks whose routers are configured with a port other than that of the API',
    parse: parsePort,
  },
  'router-address': {
    value: 'HOST:PORT',
    about: 'address at which routers reach the server; new routers receive it (default: the host of --address with --router-port)',
    parse: parseRouterAddress,
  },
  'controller-id': {
    value: 'ID',
    about:
      'id by which routers identify the server, unique within the network (default: the id that an adopted network has for the server at this address, otherwise its address for routers). When replacing another controller, use its id (printed by adopt), so that running routers accept this server',
    parse: parseControllerId,
  },
  'secret-key-file': secretKeyFile,
  metrics: {
    value: '[HOST:]PORT',
    about:
      'serve metrics for Prometheus at http://HOST:PORT/metrics (default host 127.0.0.1). It has neither TLS nor a login, so expose it only to your monitoring system',
    parse: parseListener,
  },
  'metrics-hosts': {
    value: 'HOST,HOST',
    about:
      'further host names under which metrics are served, such as the name of a container; * for any. Loopback and the HOST of --metrics are always allowed; other names are refused as protection against DNS rebinding',
    list: 'commas',
    parse: parseHostNames,
  },
  'metrics-routers': {
    value: 'NUMBER',
    about:
      'also serve metrics of each router and each link, for at most NUMBER of each, with their ids as labels; up to 10000. Default: none',
    parse: upTo(10_000),
  },
  'events-file': {
    value: 'FILE[,MEGABYTES[,FILES]]',
    about:
      'write the events of the network to FILE, one JSON object per line. A new file begins at a size of MEGABYTES (default 10), and FILES former ones (default 1) are kept as FILE.1, FILE.2, ...',
    parse: parseEventsFile,
  },
  'events-amqp': {
    value: 'URL',
    about:
      'publish the events of the network at a broker of AMQP 0-9-1, such as RabbitMQ: amqps://USER:PASSWORD@HOST/VHOST?queue=NAME, or ?exchange=NAME. Requires the package amqplib. Prefer the variable OVERLAY_EVENTS_AMQP, or OVERLAY_EVENTS_AMQP_FILE, because other users of the machine can see command-line options',
    redact: amqpWithoutPassword,
    parse: parseEventsAmqp,
  },
  health: {
    about:
      'serve probes for supervisors: GET /health (the process is running) and GET /ready (200 if the server is ready, otherwise 503 with reasons, in full only for clients on this machine)',
    parse: () => true as const,
  },
  log: {
    value: 'FORMAT',
    about: 'log to standard output and standard error as json (one object per line) or text, including each call, login and denial',
    parse: oneOf('json', 'text'),
  },
  spa: {
    value: '/PATH=FOLDER',
    about:
      'serve the built single-page application in FOLDER below /PATH, such as the admin console: --spa /zac=dist/console. May be given several times',
    list: 'repeated',
    member: 'applications',
    parseAll: parseApplications,
  },
  'max-concurrent': {
    value: 'NUMBER',
    about:
      'maximum number of requests in progress, separately for administrators, other identities, and clients that are not logged in; others wait. Requests whose body is incomplete do not count (default: 1000)',
    parse: parsePositive,
  },
  'max-queued': {
    value: 'NUMBER',
    about:
      'maximum number of waiting requests, separately for the same three groups; further ones get 503 with Retry-After (default: 2000)',
    parse: parsePositive,
  },
  'max-queue-ms': {
    value: 'MILLISECONDS',
    about:
      'time that a request may wait during a burst before it gets 503 with Retry-After. Under a lasting overload, a sixth of it applies (default: 600)',
    parse: parsePositive,
  },
  'max-connections': {
    value: 'NUMBER',
    about: 'maximum number of open connections on the port of the API; others are closed (default: 10000)',
    parse: parsePositive,
  },
  drain: {
    value: 'SECONDS',
    about: 'seconds to wait for open requests on shutdown, 0 to 3600',
    default: '10',
    member: 'drainMs',
    parse: parseDrain,
  },
} as const satisfies Readonly<Record<string, ServerOption>>;

type Table = typeof serverTable;
type CamelCase<N> = N extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : N & string;
type MemberOf<N extends keyof Table> = Table[N] extends { readonly member: infer Member extends string } ? Member : CamelCase<N>;
type Parser<V> = { readonly parse: (text: string, option: string) => V } | { readonly parseAll: (texts: readonly string[]) => V };
type ParsedBy<O> = O extends Parser<infer V> ? V : never;
/** The names of options with a parser that have a default, or have none. */
type Names<IsDefaulted extends boolean> = {
  [N in keyof Table]: ParsedBy<Table[N]> extends never
    ? never
    : (Table[N] extends { readonly default: string } ? true : false) extends IsDefaulted
      ? N
      : never;
}[keyof Table];

/** The options of the table that have parsers. Those without a default are missing unless given. */
export type ParsedOptions = { readonly [N in Names<true> as MemberOf<N>]: ParsedBy<Table[N]> } & {
  readonly [N in Names<false> as MemberOf<N>]?: ParsedBy<Table[N]>;
};

/** The options of the server, as read from the command line, the environment and the file of `--config`. */
export interface ServerOptions extends Omit<ParsedOptions, 'console' | 'migrations'>, SecretKeyOptions {
  /** Serves the console. */
  readonly console: boolean;
  /** Waits until others have run the migrations. */
  readonly waitsForMigrations?: true;
  readonly administrator: { readonly username?: string; readonly password?: string };
  /** The options that set `administrator`, as spelled in their sources, such as `--admin-password` or `ADMIN_PASSWORD`. */
  readonly administratorOptions: readonly string[];
  /** The settings that were given, validated. */
  readonly settings: Partial<Settings>;
  /** The effective options and their sources, to print instead of starting; present with `--print-config`. */
  readonly configuration?: string;
}
