import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { CoreAnswer } from '../../src/adapter-kit.ts';
import type { HostRequest } from './node-request.ts';

/**
 * Writes an answer, beside the headers that the host has set, and gets rid of a body that nobody has read.
 * @param last whether this connection takes no further request
 * @throws what Node throws for headers that cannot be sent, or were sent before
 */
export const send = ({ req, res }: Pick<HostRequest, 'req' | 'res'>, answer: CoreAnswer, last: boolean): void => {
  // Both are of the same version of HTTP, which the compiler does not know.
  if ('stream' in res) sendOnStream(req as Http2ServerRequest, res, answer);
  else sendOnConnection(req as IncomingMessage, res, answer, last);
};

const lengthOf = (body: string | Uint8Array): number => (typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);

const sendOnConnection = (req: IncomingMessage, res: ServerResponse, { status, headers, body }: CoreAnswer, last: boolean): void => {
  if (res.destroyed) return;
  const isUnread = !req.complete;
  res.writeHead(status, { ...headers, 'content-length': lengthOf(body), ...(isUnread || last ? { connection: 'close' } : {}) });
  if (isUnread) linger(req, res, body);
  else res.end(body);
};

/** One stream of many: the connection goes on whatever becomes of this one. */
const sendOnStream = (req: Http2ServerRequest, res: Http2ServerResponse, { status, headers, body }: CoreAnswer): void => {
  const { stream } = res;
  if (stream.destroyed) return;
  res.writeHead(status, { ...headers, 'content-length': lengthOf(body) });
  // RFC 9113, 8.1: whoever has answered may tell the client to stop sending.
  if (!stream.endAfterHeaders && !req.readableEnded) stream.once('finish', () => stream.close());
  if (req.method === 'HEAD' || body.length === 0) res.end();
  else res.end(body);
};

/** How long and how far a client may go on sending a body that nobody wants. */
const LINGER = { milliseconds: 500, bytes: 16 * 1024 * 1024 } as const;

/** Closing while data comes in resets the connection, and the client loses its answer: answers, throws away what still comes for a while, and closes then. */
const linger = (req: IncomingMessage, res: ServerResponse, body: string | Uint8Array): void => {
  res.flushHeaders();
  if (req.method !== 'HEAD' && body.length > 0) res.write(body);
  let discarded = 0;
  const close = () => {
    clearTimeout(timer);
    req.off('data', discard);
    res.end();
  };
  const cutOff = () => {
    close();
    req.destroy();
  };
  const discard = (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > LINGER.bytes) cutOff();
  };
  const timer = setTimeout(cutOff, LINGER.milliseconds);
  req.on('data', discard).once('end', close).once('close', close).on('error', close).resume();
};
