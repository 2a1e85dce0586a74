/** Serves web-standard requests on a Node server, as `Bun.serve`, `Deno.serve` and `@hono/node-server` do. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** The Node request and response behind a web-standard request, named as in `@hono/node-server`. */
export interface NodeBindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export const webListener =
  (fetch: (request: Request, bindings: NodeBindings) => Response | Promise<Response>): RequestListener =>
  async (incoming, outgoing) => {
    try {
      const request = requestOf(incoming, outgoing);
      const response = request ? await fetch(request, { incoming, outgoing }) : new Response(null, { status: 405 });
      // Each cookie is a separate header.
      for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
      // If the request body has still not arrived, the connection is closed after the answer.
      if (!incoming.complete) outgoing.setHeader('connection', 'close');
      outgoing.writeHead(response.status);
      if (response.body) await pipeline(response.body, outgoing);
      else outgoing.end();
    } catch (error) {
      console.error(error);
      outgoing.destroy();
    }
  };

/** Undefined for methods and targets that a web-standard request cannot have. */
const requestOf = (incoming: IncomingMessage, outgoing: ServerResponse): Request | undefined => {
  const { method = 'GET', url = '/', headers, rawHeaders } = incoming;
  const address = `http${'encrypted' in incoming.socket ? 's' : ''}://${headers.host}${url}`;
  if (!URL.canParse(address) || ['TRACE', 'CONNECT'].includes(method)) return undefined;
  const allHeaders = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) allHeaders.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
  const disconnected = new AbortController();
  outgoing.once('close', () => outgoing.writableFinished || disconnected.abort());
  const body = ['GET', 'HEAD'].includes(method) ? null : bodyOf(incoming);
  // `duplex` is required for streams, but missing in the types.
  return new Request(address, { method, headers: allHeaders, body, signal: disconnected.signal, duplex: 'half' } as RequestInit);
};

/** Reads the body on demand. If the reader stops early, the socket stays open, because the answer still needs it. */
const bodyOf = (incoming: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream({
    async pull(stream) {
      const { done, value } = await chunks.next();
      if (done) stream.close();
      else stream.enqueue(new Uint8Array(value));
    },
    async cancel() {
      await chunks.return?.();
    },
  });
};
