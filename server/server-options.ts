import type { TrustedProxies } from '../adapters/http/node.ts';
import type { Settings } from '../src/index.ts';
import type { SecretKeyOptions } from './secret-key.ts';
import type { Application } from './single-page.ts';
import type { StorageChoice } from './storage-option.ts';

/** The options of the server, as read from the command line, the environment and the file of `--config`. */
export interface ServerOptions extends SecretKeyOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The advertised address, if it differs from `host` and `port`: `https://HOST` or `https://HOST:PORT`. */
  readonly address?: string;
  readonly storage: StorageChoice;
  /** Waits for others to run the migrations. */
  readonly waitsForMigrations?: true;
  /** Folder for snapshots of the database; default: `snapshots` in the data folder. */
  readonly snapshots?: string;
  readonly tls: { readonly is: 'auto' } | { readonly is: 'off' } | { readonly is: 'files'; readonly cert: string; readonly key: string };
  /** Proxies whose headers identify the client of a request. */
  readonly trustedProxies?: readonly TrustedProxies[];
  /** Serves the OpenID provider. */
  readonly oidc: boolean;
  /** Serves the console. */
  readonly console: boolean;
  /** Accepts routers on the port of the API. */
  readonly routers: boolean;
  /** A port of their own for routers. 0: any free port. */
  readonly routerPort?: number;
  /** Where routers reach the server, if not at the host of `address`: `tls:HOST:PORT`. */
  readonly routerAddress?: string;
  /** The id by which routers know the server. */
  readonly controllerId?: string;
  /** How long open requests may take to finish at shutdown, in ms. */
  readonly drainMs: number;
  readonly administrator: { readonly username?: string; readonly password?: string };
  /** The endpoint that serves metrics, over plain HTTP. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Host names under which metrics are served, in addition to those of this machine; `*` for any. */
  readonly metricsHosts?: readonly string[];
  /** Serves the probes. */
  readonly health?: true;
  /** Log format; with it, calls are logged too. */
  readonly log?: 'json' | 'text';
  /** Single-page applications to serve in addition to the APIs. */
  readonly applications?: readonly Application[];
  /** The given parts of `administrator`, as spelled in their sources, such as `--admin-password` or `ADMIN_PASSWORD`. */
  readonly given: readonly string[];
  /** The given settings, checked. */
  readonly settings: Partial<Settings>;
  /** With `--print-config`, the text to print instead of starting: the effective options and their sources. */
  readonly configuration?: string;
}
