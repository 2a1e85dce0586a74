import { connect } from 'node:net';
import type { PgClient } from './driver.ts';

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-CANCELREQUEST */
const CANCEL_REQUEST = 80877102;

/**
 * Asks the server to stop the statement that runs on a client's connection, on a connection of its own, as the protocol has it: unencrypted, for it holds
 * nothing but a key that is good for this.
 * @returns once the server has taken note of it, or has not within `timeout` milliseconds
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
    socket.on('error', () => undefined); // it is closed then
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.resume();
    socket.end(message);
  });
