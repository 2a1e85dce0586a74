import { fetchHandler } from '../adapters/http/fetch.ts';
import { type Client, type ClientCredentials, createClient } from '../src/client/index.ts';
import type { ManagementController } from '../src/index.ts';
import type { TestClock } from './clock.ts';
import type { TestOutbound } from './outbound.ts';
import { type TestSession, testSession } from './session.ts';

/** Requests to the controller over HTTP messages, without a socket: for the option `fetch` of `createClient`. */
export type TestFetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Credentials and headers of a request beside the input of the operation. */
export interface Presenting {
  /** DER of the client certificates in the TLS handshake, leaf first. Called for each request. */
  readonly certificates?: () => readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly credentials?: ClientCredentials;
}

/** Common dependencies of the parts of a test network. */
export interface Kit {
  readonly controller: ManagementController;
  readonly clock: TestClock;
  readonly outbound: TestOutbound;
  fetch(by?: Presenting): TestFetch;
  /** The operations over HTTP messages, with the types and errors of those in process. */
  client(by?: Presenting): Client;
  /** @param login details of an API session, as a login answers them */
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
    client: ({ credentials, ...by } = {}) =>
      createClient({
        baseUrl: controller.settings.address,
        api: 'client',
        fetch: fetch(by),
        retries: 0, // a test wants to see each refusal
        ...(credentials ? { credentials } : {}),
      }),
    session,
  };
};
