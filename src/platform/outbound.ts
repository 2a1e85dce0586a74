import { type AddressRule, literalAddress } from './addresses.ts';

/** Requests that the controller itself makes, to addresses that people gave it. */
export interface Outbound {
  /**
   * Gets what stands under an http or https address. Redirects are followed within the address's origin, three at most.
   * @throws OutboundRefused for what the rules forbid; other errors for what did not work
   */
  get(url: string, options: OutboundOptions): Promise<OutboundAnswer>;
}

/** The limits of one outbound request. */
export interface OutboundOptions {
  /** Which addresses may be connected to. */
  readonly permits: AddressRule;
  /** Of the body, at most. */
  readonly maxBytes: number;
  /** For all of it. ms */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What stood under an address. */
export interface OutboundAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  /** Value of a header by its lower-case name. Without, the answer says nothing of how long it may be kept. */
  readonly header?: ((name: string) => string | undefined) | undefined;
}

/** The rules forbid to ask for this, or to take what came back. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

/** One request, without following redirects. It must end, and its body too, when the signal is aborted. */
export type OutboundTransport = (
  url: URL,
  options: { readonly signal: AbortSignal; readonly permits: AddressRule },
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
 * Everything about outbound requests but the connection itself. Addresses that stand in the URL are judged here; those that a name leads
 * to only the transport can judge.
 */
export const createOutbound = (transport: OutboundTransport): Outbound => ({
  get: async (text, { permits, maxBytes, timeoutMs, signal }) => {
    const over = new AbortController();
    const ends = AbortSignal.any([over.signal, AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
    let url = readUrl(text);
    try {
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const literal = literalAddress(url);
        if (literal !== undefined && !permits(literal)) throw new OutboundRefused(`requests to ${url.hostname} are not allowed`);
        const { status, location, body, header } = await transport(url, { signal: ends, permits });
        if (!REDIRECTS.includes(status) || location === undefined) return { status, body: await collect(body, maxBytes), header };
        url = redirected(url, location);
      }
      throw new OutboundRefused(`more than ${MAX_REDIRECTS} redirects`);
    } finally {
      over.abort(); // what was not read is not waited for
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
 * By the runtime's own `fetch`. It cannot tell which addresses a name leads to: names that lead into a network of the host's own are only
 * kept out by a transport that looks them up itself, as `nodePlatform` has one, or by the network.
 */
export const fetchTransport: OutboundTransport = async (url, { signal }) => {
  const { status, headers, body } = await fetch(url, {
    signal,
    redirect: 'manual',
    credentials: 'omit',
    headers: { accept: 'application/json' },
  });
  const header = (name: string) => headers.get(name) ?? undefined;
  return { status, location: header('location'), body: chunksOf(body), header };
};

/** Not every runtime's streams can be iterated. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) yield part.value;
}
