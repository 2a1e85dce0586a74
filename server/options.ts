import { isIP } from 'node:net';
import type { TrustedProxies } from '../adapters/http/node.ts';
import { hostInUrl } from './addresses.ts';
import { type OptionTable, readArguments } from './arguments.ts';
import { StartFailure } from './failure.ts';
import { helpOfOptions } from './help.ts';
import { type SecretKeyOptions, secretKeyFile, secretKeyIn } from './secret-key-option.ts';
import type { Application } from './single-page.ts';
import { type StorageChoice, storageOf } from './storage-option.ts';
import { trustedProxiesOf } from './trusted-proxy-option.ts';

export interface ServerOptions extends SecretKeyOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Under which clients reach the server, where that is not `host` and `port`: `https://HOST` or `https://HOST:PORT`. */
  readonly address?: string;
  readonly storage: StorageChoice;
  /** Whether others run the migrations. */
  readonly waitsForMigrations?: true;
  /** Folder for snapshots of the database; default: beside the database. */
  readonly snapshots?: string;
  readonly tls: { readonly is: 'auto' } | { readonly is: 'off' } | { readonly is: 'files'; readonly cert: string; readonly key: string };
  /** Proxies that say which client a request is of. */
  readonly trustedProxies?: readonly TrustedProxies[];
  /** Whether administrators see where the keys of external JWT signers are. */
  readonly showJwksEndpoints?: true;
  /** Whether the OpenID provider answers. */
  readonly oidc: boolean;
  /** Whether routers connect on the port of the API. */
  readonly routers: boolean;
  /** Milliseconds that requests under way may take at the end. */
  readonly drainMs: number;
  readonly administrator: { readonly username?: string; readonly password?: string };
  /** Where metrics are served, over plain HTTP. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Names under which metrics are asked for, beside those of this machine; `*` for any. */
  readonly metricsHosts?: readonly string[];
  /** Whether probes are answered. */
  readonly health?: true;
  /** Log format; with it, calls are logged too. */
  readonly log?: 'json' | 'text';
  /** Single-page applications beside the APIs. */
  readonly applications?: readonly Application[];
  /** The parts of `administrator` that were given, under the names that gave them: `--admin-password`, `ADMIN_PASSWORD`. */
  readonly given: readonly string[];
}

/** The options of the server. */
const OPTIONS = {
  host: { value: 'HOST', about: 'address or name to listen on (default 127.0.0.1)' },
  port: { value: 'PORT', about: 'port to listen on, 0 for any free one (default 1280)' },
  address: {
    value: 'URL',
    about:
      "address under which clients reach the server, as https://HOST:PORT, where it is not that of --host and --port: behind a load balancer the balancer's. Enrollment tokens name it, and the certificate is for its host, too",
  },
  storage: {
    value: 'STORAGE',
    about:
      'memory, sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE, with several HOST:PORT,HOST:PORT for fail-over (default sqlite:data/controller.db)',
  },
  migrations: {
    value: 'WHEN',
    about:
      'auto: run the migrations that the database lacks before the server starts; wait: start when others have run them, as the command migrate does (default auto)',
  },
  snapshots: { value: 'FOLDER', about: 'where snapshots of the database are kept (default: snapshots, beside the database)' },
  'admin-username': { value: 'NAME', about: 'username of the first administrator (default admin)' },
  'admin-password': {
    value: 'TEXT',
    about:
      "password of the first administrator (default: the environment's ADMIN_PASSWORD; without either, a random one that is printed once)",
  },
  tls: {
    value: 'TLS',
    about: 'auto: make and keep certificates in the data folder; off: plain HTTP; CERT,KEY: these PEM files (default auto)',
  },
  'trusted-proxy': {
    value: 'CIDR[,HEADER...]',
    about:
      'addresses of proxies in front of the server, of whose requests X-Forwarded-For has the address of the client; with HEADER, also the header in which they forward its certificate, and that of the intermediate ones. They must set each of these headers on every request. x-real-ip as a HEADER takes the place of X-Forwarded-For. May be given several times',
  },
  oidc: {
    value: 'on|off',
    about: 'answer as an OpenID provider below /oidc, through which current consoles, SDKs and command lines log in (default on)',
  },
  routers: {
    value: 'on|off',
    about:
      'take the connections of routers on the port of the API, which needs TLS (default on): create an edge router, then enroll and run it with its token',
  },
  'show-jwks-endpoints': {
    about:
      'show administrators the JWKS addresses of external JWT signers, which are write-only otherwise: the admin console and exports of the command-line client need it',
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
      'names under which metrics are asked for, beside loopback and HOST of --metrics, such as that of a container; * for any. Other names are refused, because browsers could be led here by them',
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
  },
  drain: { value: 'SECONDS', about: 'how long requests under way may take when the server ends, 0 to 3600 (default 10)' },
} as const satisfies OptionTable;

/** What the options mean, in lines. */
export const helpOfServer = (): string => `${helpOfOptions(OPTIONS)}

The data folder is that of the SQLite file, else data. A signal (SIGTERM, SIGINT) ends the server; a second one does so at once.
Exit status: 0 when all was closed, 1 when it could not start or close, 3 when something did not end in time and was given up.`;

/**
 * @returns undefined when help was asked for
 * @throws StartFailure that names the option, what it was given, and what would be right
 */
export const readOptions = (
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ServerOptions | undefined => {
  const values = readArguments(args, OPTIONS);
  if (values === 'help') return undefined;
  const metrics = values.get('metrics');
  const metricsHosts = values.get('metrics-hosts');
  const log = values.get('log');
  const snapshots = values.get('snapshots');
  const address = values.get('address');
  const username = values.get('admin-username');
  const fromEnvironment = values.has('admin-password') ? undefined : environment.ADMIN_PASSWORD || undefined;
  const password = values.get('admin-password') ?? fromEnvironment;
  return {
    host: hostOf(values.get('host') ?? '127.0.0.1'),
    port: portOf(values.get('port') ?? '1280'),
    ...(address === undefined ? {} : { address: addressOf(address) }),
    storage: storageOf(values.get('storage')),
    ...(isWaiting(values.get('migrations') ?? 'auto') ? { waitsForMigrations: true } : {}),
    tls: tlsOf(values.get('tls') ?? 'auto'),
    ...(values.has('trusted-proxy') ? { trustedProxies: trustedProxiesOf(values.all('trusted-proxy')) } : {}),
    oidc: isOn('oidc', values.get('oidc')),
    routers: isOn('routers', values.get('routers')),
    ...(values.has('show-jwks-endpoints') ? { showJwksEndpoints: true } : {}),
    ...(snapshots === undefined ? {} : { snapshots }),
    ...(metrics === undefined ? {} : { metrics: listenerOf(metrics) }),
    ...(metricsHosts === undefined ? {} : { metricsHosts: namesIn(metricsHosts) }),
    ...(values.has('health') ? { health: true } : {}),
    ...(log === undefined ? {} : { log: formOf(log) }),
    ...(values.has('spa') ? { applications: applicationsOf(values.all('spa')) } : {}),
    drainMs: drainOf(values.get('drain') ?? '10') * 1000,
    ...secretKeyIn(values, environment),
    administrator: { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) },
    given: [
      ...(username === undefined ? [] : ['--admin-username']),
      ...(fromEnvironment ? ['ADMIN_PASSWORD'] : password === undefined ? [] : ['--admin-password']),
    ],
  };
};

const isHost = (host: string): boolean =>
  isIP(host) ? !host.includes('%') : host.length <= 253 && /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host) && !/^[\d.]+$/.test(host);

const hostOf = (host: string): string => {
  if (isHost(host)) return host;
  throw new StartFailure(`--host must be a host name or an IP address, got '${host}'`);
};

/** The invalid value is not repeated in the message: it may be a password. */
const addressOf = (address: string): string => {
  const { protocol, origin, href, hostname } = URL.parse(address) ?? {};
  const isOrigin = href === `${origin}/` && (protocol === 'https:' || protocol === 'http:');
  if (origin && isOrigin && isHost(hostInUrl(hostname ?? ''))) return origin;
  throw new StartFailure('--address must be an address without a path, such as https://overlay.example.com or https://10.0.0.7:1280');
};

const portOf = (port: string): number => {
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65535) return Number(port);
  throw new StartFailure(`--port must be a number from 0 to 65535, got '${port}'`);
};

const isOn = (name: string, text = 'on'): boolean => {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new StartFailure(`--${name} must be on or off, got '${text}'`);
};

const drainOf = (seconds: string): number => {
  if (/^\d{1,4}$/.test(seconds) && Number(seconds) <= 3600) return Number(seconds);
  throw new StartFailure(`--drain must be a number of seconds from 0 to 3600, got '${seconds}'`);
};

const isWaiting = (when: string): boolean => {
  if (when === 'auto' || when === 'wait') return when === 'wait';
  throw new StartFailure(`--migrations must be auto or wait, got '${when}'`);
};

const tlsOf = (tls: string): ServerOptions['tls'] => {
  if (tls === 'auto' || tls === 'off') return { is: tls };
  const [cert, key, ...rest] = tls.split(',');
  if (cert && key && rest.length === 0) return { is: 'files', cert, key };
  throw new StartFailure(`--tls must be auto, off, or the PEM files of a certificate and its key as CERT,KEY, got '${tls}'`);
};

const listenerOf = (metrics: string): { readonly host: string; readonly port: number } => {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(metrics) ?? [];
  if (port !== '' && Number(port) <= 65535 && isHost(hostInUrl(host))) return { host: hostInUrl(host), port: Number(port) };
  throw new StartFailure(`--metrics must be a port from 0 to 65535, or HOST:PORT, such as 9464 or 0.0.0.0:9464, got '${metrics}'`);
};

const namesIn = (hosts: string): readonly string[] => {
  const names = hosts.split(',').map((host) => hostInUrl(host).toLowerCase());
  if (names.every((name) => name === '*' || isHost(name))) return names;
  throw new StartFailure(`--metrics-hosts must be host names or IP addresses with a comma between them, or *, got '${hosts}'`);
};

const formOf = (log: string): 'json' | 'text' => {
  if (log === 'json' || log === 'text') return log;
  throw new StartFailure(`--log must be json or text, got '${log}'`);
};

/** What the server itself answers for, and an application must not hide. */
const TAKEN = ['/edge', '/fabric', '/oidc', '/health', '/ready'];

const applicationsOf = (spas: readonly string[]): readonly Application[] => {
  const applications = spas.map((spa) => {
    const [, path, folder] = /^(\/[A-Za-z0-9][\w-]*)=(.+)$/s.exec(spa) ?? [];
    if (path === undefined || folder === undefined)
      throw new StartFailure(`--spa must be /PATH=FOLDER, such as /zac=dist/console, got '${spa}'`);
    if (TAKEN.includes(path))
      throw new StartFailure(`--spa cannot serve an application at ${path}, which is the server's own: choose another path`);
    return { path, folder };
  });
  const twice = applications.find(({ path }, i) => applications.findIndex((other) => other.path === path) < i);
  if (twice) throw new StartFailure(`--spa was given two applications at ${twice.path}`);
  return applications;
};
