/** What Bun.serve, Deno.serve and `@hono/node-server` have built in: web-standard requests on a server of Node's. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** What a request on Node brings beside it, under the names of `@hono/node-server`. */
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
      // Each cookie is a header of its own.
      for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
      // An unread body closes the connection, but only after it had time to arrive.
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
  const all = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) all.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
  const left = new AbortController();
  outgoing.once('close', () => outgoing.writableFinished || left.abort());
  const body = ['GET', 'HEAD'].includes(method) ? null : bodyOf(incoming);
  // `duplex` is needed for streams, and missing in the types.
  return new Request(address, { method, headers: all, body, signal: left.signal, duplex: 'half' } as RequestInit);
};

/** Read as it is asked for. Who stops reading leaves the rest where it is, for the answer goes the same way. */
const bodyOf = (incoming: IncomingMessage): ReadableStream<Uint8Array> => {
  const parts = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream({
    async pull(stream) {
      const { done, value } = await parts.next();
      if (done) stream.close();
      else stream.enqueue(new Uint8Array(value));
    },
    async cancel() {
      await parts.return?.();
    },
  });
};
