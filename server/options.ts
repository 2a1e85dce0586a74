import { type Given, HELP, helpOfOptions, type OptionTable } from './arguments.ts';
import { asGiven, config, givenOptions, type Surroundings } from './given-options.ts';
import * as values from './option-values.ts';
import { trustedProxiesOf } from './option-values.ts';
import { printed } from './print-config.ts';
import { secretKeyFile, secretKeyIn } from './secret-key.ts';
import type { ServerOptions } from './server-options.ts';
import { settingOptions, settingsOf } from './setting-options.ts';
import type { Environment } from './sources.ts';
import { DEFAULT_STORAGE, storageOf, withoutSecrets } from './storage-option.ts';

/** The options of the server. */
const OPTIONS = {
  config,
  'print-config': { about: 'print the effective options and settings, without secrets, and the source of each; start nothing' },
  host: { value: 'HOST', about: 'address or name to listen on', default: '127.0.0.1' },
  port: { value: 'PORT', about: 'port to listen on, 0 for any free one', default: '1280' },
  address: {
    value: 'URL',
    about:
      "address under which clients reach the server, as https://HOST:PORT, where it is not that of --host and --port: behind a load balancer the balancer's. Enrollment tokens name it, and the certificate is for its host, too. With a path, which a gateway takes off, answers have that path, and there are no enrollment tokens: devices and routers need the root of a host",
  },
  storage: {
    value: 'STORAGE',
    about:
      'memory, sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE, with several HOST:PORT,HOST:PORT for fail-over, ?schema=NAME for a schema of its own, and ?prepared=false for a connection pooler that is not recognised by itself',
    default: DEFAULT_STORAGE,
    shown: withoutSecrets,
  },
  migrations: {
    value: 'WHEN',
    about:
      'auto: run the migrations that the database lacks before the server starts; wait: start when others have run them, as the command migrate does',
    default: 'auto',
  },
  snapshots: { value: 'FOLDER', about: 'where snapshots of the database are kept (default: snapshots, beside the database)' },
  'admin-username': { value: 'NAME', about: 'username of the first administrator', default: 'admin' },
  'admin-password': {
    value: 'TEXT',
    about:
      "password of the first administrator (default: the environment's ADMIN_PASSWORD; without either, a random one that is printed once). Other users of the machine can see options: prefer the variable",
    shown: () => '***',
  },
  tls: {
    value: 'TLS',
    about:
      'auto: make and keep certificates in the data folder; off: plain HTTP; CERT,KEY: these PEM files, read again when they change and on SIGHUP',
    default: 'auto',
  },
  'trusted-proxy': {
    value: 'CIDR[,HEADER...]',
    about:
      'proxies whose X-Forwarded-For header is trusted for the client address; with HEADER, also the header in which they forward the certificate of the client, and the one with the intermediate certificates. They must set each of these headers on every request. x-real-ip as a HEADER replaces X-Forwarded-For. May be given several times',
    list: 'repeated',
  },
  oidc: {
    value: 'on|off',
    about: 'answer as an OpenID provider below /oidc, through which current consoles, SDKs and command lines log in',
    default: 'on',
  },
  console: {
    value: 'on|off',
    about:
      'serve the administration console at /console; browsers that open / are redirected there (default: on with --oidc, through which people log in to it)',
  },
  routers: {
    value: 'on|off',
    about:
      'take the connections of routers on the port of the API, which needs TLS: create an edge router, then enroll and run it with its token',
    default: 'on',
  },
  'router-port': {
    value: 'PORT',
    about:
      'take the connections of routers on a separate port, too, whose address new routers get; 0 for any free one. For networks whose routers know another port than that of the API, such as 6262',
  },
  'router-address': {
    value: 'HOST:PORT',
    about: 'where routers reach the server, as new ones are told (default: the host of --address, and --router-port)',
  },
  'controller-id': {
    value: 'ID',
    about:
      'the id by which routers know the server, different for each server of a network (default: the id that an adopted network has for the server at this address, otherwise its address for routers). When replacing another controller, use its id (printed by adopt), so that running routers accept this one',
  },
  'secret-key-file': secretKeyFile,
  metrics: {
    value: '[HOST:]PORT',
    about:
      'serve metrics for Prometheus at http://HOST:PORT/metrics (default host 127.0.0.1): without TLS and without a login, so expose it to your monitoring only',
  },
  'metrics-hosts': {
    value: 'HOST,HOST',
    about:
      'allowed Host names of requests for metrics, besides loopback and HOST of --metrics, such as that of a container; * for any. Others are refused (protection against DNS rebinding)',
    list: 'commas',
  },
  health: {
    about:
      'answer the probes of supervisors: GET /health (the process runs) and GET /ready (it can work; else 503, with reasons, whose messages only clients on this machine see)',
  },
  log: {
    value: 'FORM',
    about: 'log to the console as json (one object per line) or text, including each call, login and denial',
  },
  spa: {
    value: '/PATH=FOLDER',
    about:
      'serve the single-page application in FOLDER, as it was built, below /PATH, such as the admin console: --spa /zac=dist/console. May be given several times',
    list: 'repeated',
  },
  drain: { value: 'SECONDS', about: 'how long requests under way may take when the server ends, 0 to 3600', default: '10' },
} as const satisfies OptionTable;

/** The options of the server, and one option for each setting. */
const TABLE: OptionTable = { ...OPTIONS, ...settingOptions };

type Name = keyof typeof OPTIONS;

/** The sources of options other than the command line, for every command. */
export const surroundings = (environment: Environment): Surroundings => {
  const { 'print-config': _, ...configurable } = TABLE;
  return { environment, configurable };
};

/** The help of the server's options. */
export const helpOfServer = (): string => `${helpOfOptions({ ...OPTIONS, ...HELP })}

Settings:
${helpOfOptions(settingOptions)}

Each option has the same name in three spellings: --max-body-bytes, the variable OVERLAY_MAX_BODY_BYTES, and maxBodyBytes in the file of --config.
The data folder is that of the SQLite file, else data. A signal (SIGTERM, SIGINT) ends the server; a second one does so at once. SIGHUP reads certificates again.
Exit status: 0 after a complete shutdown, 1 when the start or the shutdown failed, 3 when the shutdown did not finish in time.`;

/**
 * @returns undefined if help was requested
 * @throws StartFailure that names the option, the given value and the valid ones
 */
export const readOptions = (args: readonly string[], environment: Environment): ServerOptions | undefined => {
  const given = givenOptions(args, TABLE, surroundings(environment));
  if (given === 'help') return undefined;
  try {
    const options = optionsIn(given, environment);
    return given.has('print-config') ? { ...options, configuration: printed(options, given, TABLE) } : options;
  } catch (error) {
    throw asGiven(error, given);
  }
};

const optionsIn = (given: Given<Name>, environment: Environment): ServerOptions => {
  const value = (name: Name): string => given.get(name) ?? TABLE[name]?.default ?? '';
  /** An object with the parsed option under `key`; empty if the option was not given. */
  const ifGiven = <const K extends string, T>(name: Name, key: K, read: (text: string) => T): { readonly [key in K]?: T } => {
    const text = given.get(name);
    return text === undefined ? {} : ({ [key]: read(text) } as { readonly [key in K]: T }); // one computed key
  };
  return {
    host: values.hostOf(value('host')),
    port: values.portOf(value('port')),
    ...ifGiven('address', 'address', values.addressOf),
    storage: storageOf(value('storage')),
    ...(values.isWaiting(value('migrations')) ? { waitsForMigrations: true } : {}),
    tls: values.tlsOf(value('tls')),
    ...ifGiven('trusted-proxy', 'trustedProxies', () => trustedProxiesOf(given.all('trusted-proxy'))),
    oidc: values.isOn('oidc', value('oidc')),
    console: values.consoleOf(given.get('console'), values.isOn('oidc', value('oidc'))),
    routers: values.isOn('routers', value('routers')),
    ...ifGiven('router-port', 'routerPort', (text) => values.routerPortOf(text, value('tls'))),
    ...ifGiven('router-address', 'routerAddress', values.routerAddressOf),
    ...ifGiven('controller-id', 'controllerId', values.controllerIdOf),
    ...ifGiven('snapshots', 'snapshots', String),
    ...ifGiven('metrics', 'metrics', values.listenerOf),
    ...ifGiven('metrics-hosts', 'metricsHosts', values.namesIn),
    ...ifGiven('health', 'health', () => true as const),
    ...ifGiven('log', 'log', values.formOf),
    ...ifGiven('spa', 'applications', () => values.applicationsOf(given.all('spa'))),
    drainMs: values.drainOf(value('drain')) * 1000,
    ...secretKeyIn(given, environment),
    administrator: { ...ifGiven('admin-username', 'username', String), ...ifGiven('admin-password', 'password', String) },
    given: (['admin-username', 'admin-password'] as const).flatMap((name) => given.source(name) ?? []),
    settings: settingsOf(given),
  };
};
