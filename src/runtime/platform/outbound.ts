import { type AddressRule, literalAddress } from './addresses.ts';
import { createOutboundMessage, type OutboundMessage, OutboundRefused } from './outbound-message.ts';

export { type OutboundMessage, OutboundRefused } from './outbound-message.ts';

/** Requests of the controller itself to addresses that its users have entered. */
export interface Outbound {
  /**
   * Sends a request to an http or https URL. Up to three redirects of a GET are followed within the origin of the URL. For other methods,
   * the redirect itself is returned, because repeating the request might repeat its effect.
   * @throws OutboundRefused if the rules forbid the request or the response; errors of the transport
   */
  request(url: string, options: OutboundOptions): Promise<OutboundAnswer>;
}

/** An outbound request and its limits. */
export interface OutboundOptions {
  /** Default: `GET`. `CONNECT` and `TRACE` are refused. */
  readonly method?: string;
  /**
   * Values by name. Defaults: `accept: application/json` and `user-agent: overlay-controller`. Headers that control framing or routing
   * (`content-length`, `host`, ...) are refused.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** At most 1 MiB; not allowed with `GET` and `HEAD`. */
  readonly body?: Uint8Array | undefined;
  /** Returns true for addresses to which connections are allowed. */
  readonly permits: AddressRule;
  /** Maximum size of the response body, in bytes. */
  readonly maxBytes: number;
  /** Time limit for the whole request, including redirects and the body. ms */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The response. */
export interface OutboundAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  /** Returns the value of a header by its lower-case name. If undefined, the response counts as one without headers. */
  readonly header?: ((name: string) => string | undefined) | undefined;
}

/** Sends one request, without following redirects. Aborting the signal must end the request and its body. */
export type OutboundTransport = (
  url: URL,
  request: OutboundMessage & { readonly signal: AbortSignal; readonly permits: AddressRule },
) => Promise<{
  readonly status: number;
  readonly location: string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  /** See `OutboundAnswer`. */
  readonly header?: OutboundAnswer['header'];
}>;

const MAX_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Implements outbound requests on a transport, which makes the connections. An IP address in the URL is checked here; only the transport
 * can check the addresses to which a name resolves.
 */
export const createOutbound = (transport: OutboundTransport): Outbound => ({
  request: async (text, { permits, maxBytes, timeoutMs, signal, ...parts }) => {
    const message = createOutboundMessage(parts);
    const finished = new AbortController();
    const aborted = AbortSignal.any([finished.signal, AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
    let url = parseUrl(text);
    try {
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const literal = literalAddress(url);
        if (literal !== undefined && !permits(literal)) throw new OutboundRefused(`requests to ${url.hostname} are not allowed`);
        const { status, location, body, header } = await transport(url, { ...message, signal: aborted, permits });
        const isFollowed = message.method === 'GET' && REDIRECTS.includes(status) && location !== undefined;
        if (!isFollowed) return { status, body: await collect(body, maxBytes), header };
        url = resolveRedirect(url, location);
      }
      throw new OutboundRefused(`more than ${MAX_REDIRECTS} redirects`);
    } finally {
      finished.abort(); // cancels a body that was not read completely
    }
  },
});

const parseUrl = (text: string): URL => {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new OutboundRefused('only http and https URLs are allowed');
  if (url.username !== '' || url.password !== '') throw new OutboundRefused('URLs with a username or password are not allowed');
  return url;
};

const resolveRedirect = (from: URL, location: string): URL => {
  const to = URL.parse(location, from.href);
  if (to?.origin !== from.origin) throw new OutboundRefused(`redirects to another origin than ${from.origin} are not allowed`);
  return parseUrl(to.href);
};

const collect = async (body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.byteLength;
    if (size > maxBytes) throw new OutboundRefused(`the response has more than ${maxBytes} bytes`);
    parts.push(part);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return bytes;
};

/**
 * A transport that uses the runtime's `fetch`. It cannot check the addresses to which a name resolves: names that resolve to a private
 * network of the host are refused only by a transport that resolves names itself, such as that of `nodePlatform`, or by the network.
 */
export const fetchTransport: OutboundTransport = async (url, { method, headers, body, signal }) => {
  const response = await fetch(url, {
    method,
    headers,
    ...(body && { body: new Uint8Array(body) }), // fetch does not accept a view of shared memory
    signal,
    redirect: 'manual',
    credentials: 'omit',
  });
  const header = (name: string) => response.headers.get(name) ?? undefined;
  return { status: response.status, location: header('location'), body: readChunks(response.body), header };
};

/** Iterates with a reader, because not every runtime's streams are iterable. */
async function* readChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) yield part.value;
}
