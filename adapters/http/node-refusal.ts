import http from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RefusalStatus, refusalBody, refusalHeaders } from './refusal.ts';

/**
 * A listener for the event `clientError` of `http` and `https` servers. Answers a request that is not valid HTTP, or plain HTTP on a port
 * for HTTPS, if the socket is still writable and no other answer has begun, and closes the socket.
 *
 * ```ts
 * https.createServer(options, app).on('clientError', refuseConnection);
 * ```
 */
export const refuseConnection = (error: NodeJS.ErrnoException, connection: Duplex): void => {
  const isPlain = PLAIN_HTTP.includes(error.code ?? '');
  const socket = (isPlain && socketBelow(connection)) || connection;
  const status = isPlain ? 400 : statusOf(error.code ?? '');
  if (status === undefined || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const body = refusalBody(status, undefined, isPlain ? 'This port requires HTTPS: the address must begin with https://' : undefined);
  const reason = http.STATUS_CODES[status] ?? '';
  const headers = { ...refusalHeaders(status), 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
};

/** The error codes of a TLS handshake that begins like an HTTP request. */
const PLAIN_HTTP: readonly string[] = ['ERR_SSL_HTTP_REQUEST', 'ERR_SSL_HTTPS_PROXY_REQUEST'];

/**
 * The TCP socket of a failed TLS handshake, which can still be written to. Node does not document it; without it, the connection is closed
 * without an answer.
 */
const socketBelow = (connection: Duplex): Socket | undefined =>
  '_parent' in connection && connection._parent instanceof Socket ? connection._parent : undefined;

/**
 * True if the current answer of a connection has begun, so that text written now would become part of it. Node's own listener uses this
 * property, which is not documented.
 */
const isAnswering = (connection: Duplex): boolean =>
  '_httpMessage' in connection && connection._httpMessage instanceof http.ServerResponse && connection._httpMessage.headersSent;

const statusOf = (code: string): RefusalStatus | undefined => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  return code.startsWith('HPE_') ? 400 : undefined;
};
