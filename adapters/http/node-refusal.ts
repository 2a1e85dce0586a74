import http from 'node:http';
import type { Duplex } from 'node:stream';
import { REFUSAL_HEADERS, type RefusalStatus, refusalBody } from './refusal.ts';

/** Answers a malformed HTTP request, if the socket is still writable, and closes the socket. */
export const refuseConnection = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  const status = statusOf(error.code ?? '');
  if (status === undefined || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = refusalBody(status);
  const reason = http.STATUS_CODES[status] ?? '';
  const headers = { ...REFUSAL_HEADERS, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
};

const statusOf = (code: string): RefusalStatus | undefined => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  return code.startsWith('HPE_') ? 400 : undefined;
};
