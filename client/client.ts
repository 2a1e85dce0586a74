import type { SurfaceName } from '../src/contract/api/surfaces/index.ts';
import { checkedOptions } from '../src/contract/options.ts';
import type { Api } from '../src/contract/types/api.ts';
import { shownAddress } from '../src/contract/wire/shown-address.ts';
import { Caller, type RemoteCallOptions } from './caller.ts';
import { remoteOperations } from './operations.ts';
import type { RemoteOperation } from './remote-operation.ts';
import type { ClientCredentials } from './session.ts';
import { createTransport, type TransportOptions, wait } from './transport.ts';

/** The controller that a client calls, and its credentials. */
export interface ClientOptions extends TransportOptions {
  /**
   * The address of the controller, e.g. `https://controller.example:1280`, including the mount path, if any. In a browser, it may be a path
   * on the server of the page.
   */
  readonly baseUrl: string;
  /** The credentials for the login. Default: none, which is sufficient for operations without authentication. */
  readonly credentials?: ClientCredentials;
  /**
   * The API to use for operations that are part of several APIs: `client` for devices, `management` for administrators. Default:
   * `management`.
   */
  readonly api?: Extract<SurfaceName, 'management' | 'client'>;
}

/**
 * Every operation as a function over HTTP, in the same shape as `controller.api`: `client.<group>.<verb>(input)`. Excludes the operations
 * of the OpenID provider, which answer browsers and relying parties in their own formats.
 */
export interface Client extends Omit<Api<RemoteCallOptions>, ProviderGroup> {}

/** The groups that are not in `remoteOperations`. */
type ProviderGroup = 'oidc' | 'oidcLogin';

/**
 * Creates a client of a remote controller, with the same types as in process.
 *
 * The client opens an API session on first use, and a new one after the session has ended. It retries requests that were rejected before
 * anything was done (429). If there is no answer or the server is unavailable, it retries requests that are safe to repeat: those with an
 * idempotency key, and all others except POST requests and those with `ifVersion`.
 *
 * ```ts
 * const client = createClient({ baseUrl: 'https://127.0.0.1:1280', credentials: { username: 'admin', password } });
 * const { data } = await client.identities.list({ filter: 'isAdmin = true' });
 * ```
 * Every function throws `ApiError`, as in process. If there is no answer, its code is `SERVER_UNAVAILABLE`, and its `cause` gives the
 * reason.
 * @throws TypeError for an unknown option or an invalid `baseUrl`
 */
export const createClient = (options: ClientOptions): Client => {
  const { baseUrl, credentials, api = 'management', ...transport } = checkedOptions('createClient', options, OPTIONS);
  const caller = new Caller(createTransport(addressOf(baseUrl), transport), api, credentials);
  const pause = transport.wait ?? wait;
  const functionOf = (operation: RemoteOperation) =>
    operation.answer === 'events'
      ? (input: object = {}) => caller.follow(operation, input, pause)
      : (input: object = {}, callOptions: RemoteCallOptions = {}) => caller.call(operation, input, callOptions);
  const groups = Object.entries(remoteOperations).map(([name, operations]) => [
    name,
    Object.fromEntries(Object.entries(operations).map(([verb, operation]) => [verb, functionOf(operation)])),
  ]);
  return Object.fromEntries(groups) as Client; // one function for each operation of the table, under its names
};

const OPTIONS = { baseUrl: true, credentials: true, api: true, fetch: true, timeoutMs: true, retries: true, wait: true } as const;

/**
 * Checks the address, and removes trailing slashes.
 * @throws TypeError for an invalid address
 */
const addressOf = (baseUrl: string): string => {
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl, page) ? new URL(baseUrl, page) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new TypeError(
      `baseUrl must be like https://controller.example:1280, without credentials, query or fragment, got '${shownAddress(String(baseUrl))}'`,
    );
  return baseUrl.replace(/\/+$/, '');
};
