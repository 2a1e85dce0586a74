import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { clearTimeout, setTimeout } from 'node:timers';
import type { CoreAnswer } from '../../src/adapter-kit.ts';
import type { HostRequest } from './node-request.ts';
import type { NodeStreams } from './node-stream.ts';
import { abandonBody, isBodiless, isWhole, type WholeBody } from './whole.ts';

/** Options for sending an answer. */
export interface Sending {
  readonly streams: NodeStreams;
  /** True if the connection must be closed after this answer. */
  readonly last: boolean;
}

/**
 * Writes an answer, in addition to the headers that the host has set, and disposes of an unread body.
 * @throws errors of Node for headers that are invalid or already sent
 */
export const send = ({ req, res }: Pick<HostRequest, 'req' | 'res'>, answer: CoreAnswer, sending: Sending): void => {
  try {
    // Request and response always have the same version of HTTP, which the types cannot express.
    if ('stream' in res) sendOnStream(req as Http2ServerRequest, res, answer, sending);
    else sendOnConnection(req as IncomingMessage, res, answer, sending);
  } catch (error) {
    abandonBody(answer.body);
    throw error;
  }
};

/** The headers for Node, with the length of a body that is not streamed. An array of values becomes several headers. */
const headersOf = ({ status, headers, body }: CoreAnswer): OutgoingHttpHeaders => {
  // Node does not modify arrays of values, so readonly ones are safe.
  const allHeaders = { ...headers } as OutgoingHttpHeaders;
  if (isWhole(body) && !isBodiless(status)) allHeaders['content-length'] = lengthOf(body);
  return allHeaders;
};

const lengthOf = (body: WholeBody): number => (typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);

const sendOnConnection = (req: IncomingMessage, res: ServerResponse, answer: CoreAnswer, { streams, last }: Sending): void => {
  const { status, body } = answer;
  if (res.destroyed) {
    abandonBody(body);
    return;
  }
  const isUnread = !req.complete;
  const headers = headersOf(answer);
  if (isUnread || last) headers.connection = 'close';
  res.writeHead(status, headers);
  if (isWhole(body)) {
    if (isUnread) linger(req, res, body);
    // Node writes ASCII text faster as Latin-1; the bytes are the same.
    else res.end(body, headers['content-length'] === body.length ? 'latin1' : 'utf8');
  } else if (req.method === 'HEAD') {
    abandonBody(body);
    res.end();
  } else {
    // The first chunk of an endless body may arrive much later.
    if (answer.isEndless) res.flushHeaders();
    if (isUnread) discard(req, () => req.destroy());
    streams.send(res, { ...answer, body });
  }
};

/** HTTP/2: only the stream is closed, because others share its connection. */
const sendOnStream = (req: Http2ServerRequest, res: Http2ServerResponse, answer: CoreAnswer, { streams }: Sending): void => {
  const { stream } = res;
  const { status, body } = answer;
  if (stream.destroyed) {
    abandonBody(body);
    return;
  }
  res.writeHead(status, headersOf(answer));
  // RFC 9113, 8.1: after a complete answer, the server may reset the stream so that the client stops sending.
  if (!stream.endAfterHeaders && !req.readableEnded) stream.once('finish', () => stream.close());
  if (req.method === 'HEAD') {
    abandonBody(body);
    res.end();
  } else if (!isWhole(body)) streams.send(res, { ...answer, body });
  else if (body.length === 0) res.end();
  else res.end(body);
};

/** Limits on how much of an unread body a client may still send. */
const LINGER = { milliseconds: 500, bytes: 16 * 1024 * 1024, chunks: 4000 } as const;

/**
 * Sends the answer, discards incoming data for a while, then closes the connection. Closing it while data arrives would reset it, and the
 * client would lose the answer.
 */
const linger = (req: IncomingMessage, res: ServerResponse, body: WholeBody): void => {
  res.flushHeaders();
  if (req.method !== 'HEAD' && body.length > 0) res.write(body);
  const close = () => {
    clearTimeout(timer);
    stop();
    res.end();
  };
  const cutOff = () => {
    close();
    req.destroy();
  };
  const stop = discard(req, cutOff);
  const timer = setTimeout(cutOff, LINGER.milliseconds);
  req.once('end', close).once('close', close).on('error', close);
};

/**
 * Discards the rest of a request.
 * @param onExcess called if the limits are exceeded
 * @returns a function that stops discarding
 */
const discard = (req: IncomingMessage, onExcess: () => void): (() => void) => {
  let [bytes, chunks] = [0, 0];
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    // Only closing the connection stops the parser: when paused, it still parses the data that has arrived, which may be 2 MiB of tiny
    // chunks.
    if (bytes > LINGER.bytes || ++chunks > LINGER.chunks) onExcess();
  };
  req
    .on('data', count)
    .on('error', () => undefined)
    .resume();
  return () => void req.off('data', count);
};
