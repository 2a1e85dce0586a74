import { fetchHandler } from '../adapters/http/fetch.ts';
import { type Client, type ClientCredentials, createClient } from '../client/index.ts';
import type { ManagementController } from '../src/index.ts';
import type { TestClock } from './clock.ts';
import type { TestOutbound } from './outbound.ts';
import { type TestSession, testSession } from './session.ts';

/** Sends a request to the controller as an HTTP message, without a socket; for the option `fetch` of `createClient`. */
export type TestFetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Credentials and headers of a request, in addition to the input of the operation. */
export interface PresentedCredentials {
  /** Returns the client certificates of the TLS handshake in DER, leaf first. Called for each request. */
  readonly certificates?: () => readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly credentials?: ClientCredentials;
}

/** The dependencies shared by the parts of a test network. */
export interface Kit {
  readonly controller: ManagementController;
  readonly clock: TestClock;
  readonly outbound: TestOutbound;
  /** Creates a function that sends requests with these credentials. */
  fetch(presented?: PresentedCredentials): TestFetch;
  /** Creates a client that calls operations as HTTP messages, with the same types and errors as in process. */
  client(presented?: PresentedCredentials): Client;
  /**
   * Creates a test session.
   * @param login details of an API session, as returned by a login
   */
  session(login: { readonly id: string; readonly token: string; readonly identityId: string }): TestSession;
}

export const createKit = (controller: ManagementController, clock: TestClock, outbound: TestOutbound): Kit => {
  const handle = fetchHandler(controller);
  const fetch: Kit['fetch'] =
    ({ certificates, headers } = {}) =>
    (url, init) => {
      const request = new Request(url, init);
      for (const [name, value] of Object.entries(headers ?? {})) request.headers.set(name, value);
      return handle(request, { peerCertificates: certificates?.() ?? [], remoteAddress: '127.0.0.1' });
    };
  const session = testSession(controller, clock);
  return {
    controller,
    clock,
    outbound,
    fetch,
    client: ({ credentials, ...presented } = {}) =>
      createClient({
        baseUrl: controller.settings.address,
        api: 'client',
        fetch: fetch(presented),
        retries: 0, // tests expect to see every error
        ...(credentials ? { credentials } : {}),
      }),
    session,
  };
};
