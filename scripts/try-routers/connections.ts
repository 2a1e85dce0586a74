import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A connection by a tunneler, which is a circuit. */
export interface Connection {
  /** Sends a line. @returns it, once it has come back; undefined if the connection ends, or nothing comes for ten seconds */
  echo(line: string): Promise<string | undefined>;
  readonly ended: Promise<unknown>;
  end(): void;
}

export const connectTo = async (port: number): Promise<Connection> => {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8').on('error', () => undefined);
  const ended = new Promise<void>((done) => socket.once('close', () => done()));
  await once(socket, 'connect');
  let came = '';
  socket.on('data', (part) => {
    came += part;
  });
  return {
    echo: async (line) => {
      came = '';
      socket.write(`${line}\n`);
      for (let tries = 0; tries < 2000 && !socket.closed; tries++) {
        if (came.includes(line)) return line;
        await pause(5);
      }
      return undefined;
    },
    ended,
    end: () => socket.destroy(),
  };
};
