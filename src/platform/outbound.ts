import { type AddressRule, literalAddress } from './addresses.ts';
import { type OutboundMessage, OutboundRefused, outboundMessage } from './outbound-message.ts';

export { type OutboundMessage, OutboundRefused } from './outbound-message.ts';

/** Requests that the controller itself makes, to addresses that its users have entered. */
export interface Outbound {
  /**
   * Sends a request to an http or https address. Up to three redirects of a GET are followed, within the address's origin; for other methods, the
   * redirect itself is returned, because repeating the request might repeat its effect.
   * @throws OutboundRefused if the rules forbid the request; other errors for failures
   */
  request(url: string, options: OutboundOptions): Promise<OutboundAnswer>;
}

/** One outbound request, and its limits. */
export interface OutboundOptions {
  /** Default `GET`. `CONNECT` and `TRACE` are refused. */
  readonly method?: string;
  /** By name. Defaults: `accept: application/json` and `user-agent: overlay-controller`. Fields that control framing or routing (`content-length`, `host`, ...) are refused. */
  readonly headers?: Readonly<Record<string, string>>;
  /** At most 1 MiB; not allowed with `GET` and `HEAD`. */
  readonly body?: Uint8Array | undefined;
  /** Decides to which addresses connections are allowed. */
  readonly permits: AddressRule;
  /** Maximum size of the answer's body. */
  readonly maxBytes: number;
  /** Time limit for the whole request, including redirects and the body. ms */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The response. */
export interface OutboundAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  /** The value of a header, by its lower-case name. If undefined, the answer counts as one without headers. */
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
 * Implements outbound requests except for the connection itself. An IP address in the URL is checked here; those that a name resolves to
 * can be checked only by the transport.
 */
export const createOutbound = (transport: OutboundTransport): Outbound => ({
  request: async (text, { permits, maxBytes, timeoutMs, signal, ...given }) => {
    const message = outboundMessage(given);
    const finished = new AbortController();
    const aborted = AbortSignal.any([finished.signal, AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
    let url = readUrl(text);
    try {
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const literal = literalAddress(url);
        if (literal !== undefined && !permits(literal)) throw new OutboundRefused(`requests to ${url.hostname} are not allowed`);
        const { status, location, body, header } = await transport(url, { ...message, signal: aborted, permits });
        const isFollowed = message.method === 'GET' && REDIRECTS.includes(status) && location !== undefined;
        if (!isFollowed) return { status, body: await collect(body, maxBytes), header };
        url = redirected(url, location);
      }
      throw new OutboundRefused(`more than ${MAX_REDIRECTS} redirects`);
    } finally {
      finished.abort(); // cancels a body that was not read to its end
    }
  },
});

const readUrl = (text: string): URL => {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new OutboundRefused('only http and https addresses can be asked');
  if (url.username !== '' || url.password !== '') throw new OutboundRefused('an address with a username or password is not asked');
  return url;
};

const redirected = (from: URL, location: string): URL => {
  const to = URL.parse(location, from.href);
  if (to?.origin !== from.origin) throw new OutboundRefused(`a redirect to another origin than ${from.origin}`);
  return readUrl(to.href);
};

const collect = async (body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.byteLength;
    if (size > maxBytes) throw new OutboundRefused(`an answer of more than ${maxBytes} bytes`);
    parts.push(part);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
};

/**
 * A transport that uses the runtime's `fetch`. It cannot see which addresses a name resolves to: names that resolve into a private network of the host are
 * refused only by a transport that resolves them itself, such as that of `nodePlatform`, or by the network.
 */
export const fetchTransport: OutboundTransport = async (url, { method, headers, body, signal }) => {
  const answer = await fetch(url, {
    method,
    headers,
    ...(body && { body: new Uint8Array(body) }), // fetch does not accept a view of shared memory
    signal,
    redirect: 'manual',
    credentials: 'omit',
  });
  const header = (name: string) => answer.headers.get(name) ?? undefined;
  return { status: answer.status, location: header('location'), body: chunksOf(answer.body), header };
};

/** Iterates with a reader, because not every runtime's streams are iterable. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) yield part.value;
}
