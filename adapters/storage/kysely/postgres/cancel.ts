import { connect } from 'node:net';
import type { PgClient } from './driver.ts';

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-CANCELREQUEST */
const CANCEL_REQUEST = 80877102;

/**
 * Cancels the running statement of a client with a CancelRequest, on a separate connection as the protocol requires. The request is unencrypted; its key
 * can do nothing else.
 * @returns when the server has closed the connection, or after `timeout` milliseconds
 */
export const cancel = ({ host, port, processID, secretKey }: PgClient, timeout: number): Promise<void> =>
  new Promise((resolve) => {
    if (host === undefined || port === undefined || typeof processID !== 'number' || typeof secretKey !== 'number') return resolve();
    const message = Buffer.alloc(16);
    [message.length, CANCEL_REQUEST, processID, secretKey].forEach((value, index) => {
      message.writeInt32BE(value, 4 * index);
    });
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const timer = setTimeout(() => socket.destroy(), timeout);
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.resume();
    socket.end(message);
  });
