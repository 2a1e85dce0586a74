import type { ServerSentEvent } from '../api/surfaces/http-output.ts';
import type { SurfaceName } from '../api/surfaces/index.ts';
import { expectedVersion } from '../if-version.ts';
import { checkedOptions, refuseUnknownInput } from '../options.ts';
import type { Api } from '../types/api.ts';
import { shownAddress } from '../wire/shown-address.ts';
import { follow } from './follow.ts';
import { remoteOperations } from './operations.ts';
import type { RemoteOperation } from './remote-operation.ts';
import { inputNamesOf, outgoing, takesVersion } from './request.ts';
import { type ClientCredentials, createSession } from './session.ts';
import { createTransport, SessionRefused, type TransportOptions, wait } from './transport.ts';

/** The controller that a client calls, and its credentials. */
export interface ClientOptions extends TransportOptions {
  /**
   * The address of the controller, e.g. `https://controller.example:1280`, with the mount path, if any. In a browser, a path alone refers to the
   * page's own server.
   */
  readonly baseUrl: string;
  /** Default: none, which suffices for operations without authentication. */
  readonly credentials?: ClientCredentials;
  /** The API to use for operations that several APIs have: `client` is for devices, `management` for administrators. Default `management`. */
  readonly api?: Extract<SurfaceName, 'management' | 'client'>;
}

/** Options of a single call. */
export interface RemoteCallOptions {
  readonly signal?: AbortSignal;
  /** The version that the entity must still have, as in process; see `versionOf`. Such a request is not retried after a missing answer or a 503. */
  readonly ifVersion?: number | undefined;
  /** As in process. With a key, a request that creates is also repeated after a missing answer or a 503, and while an earlier attempt is in progress. */
  readonly idempotencyKey?: string | undefined;
  /** True to be told what the call would do, as in process: it resolves to a `Preview` of its answer. `previewing(client)` has the types of that. */
  readonly preview?: true | undefined;
  /** How much access the call may take away, as in process. */
  readonly maxLost?: number | undefined;
  /** The reason for the call, kept in change records, as in process. */
  readonly reason?: string | undefined;
  /** True to carry the call out even if policy tests would then fail, as in process. */
  readonly overrideTests?: true | undefined;
}

/**
 * Every operation as a function over HTTP, in the same shape as `controller.api`: `client.<group>.<verb>(input)`. Excludes the operations of the OpenID
 * provider, which answer browsers and relying parties in their own formats.
 */
export interface Client extends Omit<Api<RemoteCallOptions>, ProviderGroup> {}

/** The groups that are missing in `remoteOperations`. */
type ProviderGroup = 'oidc' | 'oidcLogin';

/**
 * Creates a client of a remote controller, with the same types as in process.
 *
 * It opens an API session on first use, and a new one once that has ended. It retries a request that was rejected before any work was done (429). If there
 * is no answer or the server is unavailable, it retries requests that are safe to repeat (all except POST and those with `ifVersion`).
 *
 * ```ts
 * const client = createClient({ baseUrl: 'https://127.0.0.1:1280', credentials: { username: 'admin', password } });
 * const { data } = await client.identities.list({ filter: 'isAdmin = true' });
 * ```
 * Every function throws ApiError as in process, and also `SERVER_UNAVAILABLE` if there is no answer; its `cause` has the reason.
 * @throws TypeError for an unknown option or an invalid `baseUrl`
 */
export const createClient = (options: ClientOptions): Client => {
  const { baseUrl, credentials, api = 'management', ...transport } = checkedOptions('createClient', options, OPTIONS);
  const send = createTransport(addressOf(baseUrl), transport);

  const session = createSession(credentials, async (method, body, headers) => {
    const login = remoteOperations.authentication?.authenticate as RemoteOperation; // the table has it
    const opened = await send(login, outgoing(login, { method, body }, api), headers);
    return (opened as { readonly token: string }).token; // its declared answer
  });

  const inSession = async (operation: RemoteOperation, input: object, { signal, ...how }: RemoteCallOptions): Promise<unknown> => {
    const request = outgoing(operation, { ...input }, api, how);
    const headers = operation.isOpen ? {} : await session.headers();
    try {
      return await send(operation, request, headers, signal);
    } catch (error) {
      if (!(error instanceof SessionRefused) || !session.renew(headers)) throw error;
      return send(operation, request, await session.headers(), signal);
    }
  };

  const call = async (operation: RemoteOperation, input: object, remote: RemoteCallOptions): Promise<unknown> => {
    checkedOptions(operation.operationId, remote, {
      signal: true,
      ifVersion: true,
      preview: true,
      idempotencyKey: true,
      maxLost: true,
      overrideTests: true,
      reason: true,
    });
    if ('ifVersion' in remote) expectedVersion(operation.operationId, takesVersion(operation), remote.ifVersion);
    refuseUnknownInput(operation.operationId, input, inputNamesOf(operation));
    remote.signal?.throwIfAborted();
    try {
      return await inSession(operation, input, remote);
    } catch (error) {
      throw error instanceof SessionRefused ? error.refusal : error;
    }
  };

  const eventsOf = (operation: RemoteOperation, { signal, ...input }: { readonly signal?: AbortSignal }): AsyncIterable<unknown> => ({
    [Symbol.asyncIterator]: () =>
      follow({
        // The operation declares that it answers with events.
        connect: (lastEventId) =>
          call(operation, { ...input, lastEventId }, signal ? { signal } : {}) as Promise<AsyncIterable<ServerSentEvent>>,
        wait: transport.wait ?? wait,
        signal,
      }),
  });

  const client: Record<string, Record<string, unknown>> = {};
  for (const [name, operations] of Object.entries(remoteOperations))
    client[name] = Object.fromEntries(
      Object.entries(operations).map(([verb, operation]) => [
        verb,
        operation.answer === 'events'
          ? (input: object = {}) => eventsOf(operation, input)
          : (input: object = {}, remote: RemoteCallOptions = {}) => call(operation, input, remote),
      ]),
    );
  return client as unknown as Client; // one function for each operation of the table, under its names
};

const OPTIONS = { baseUrl: true, credentials: true, api: true, fetch: true, timeoutMs: true, retries: true, wait: true } as const;

/** Checks the address, and removes trailing slashes. @throws TypeError for an invalid address */
const addressOf = (baseUrl: string): string => {
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl, page) ? new URL(baseUrl, page) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new TypeError(
      `baseUrl must be like https://controller.example:1280, without credentials and query, got '${shownAddress(String(baseUrl))}'`,
    );
  return baseUrl.replace(/\/+$/, '');
};
