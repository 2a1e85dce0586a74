import { on, once } from 'node:events';
import { connect } from 'node:net';

/** A connection by a tunneler, which is a circuit. */
export interface Connection {
  /** Sends a line. @returns it, once it has come back; undefined if the connection ends, or nothing comes for ten seconds */
  echo(line: string): Promise<string | undefined>;
  readonly ended: Promise<unknown>;
  end(): void;
}

const MOST_MS = 10_000;

export const connectTo = async (port: number): Promise<Connection> => {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  socket.setEncoding('utf8').on('error', () => undefined);
  const ended = new Promise<void>((done) => socket.once('close', () => done()));
  await once(socket, 'connect');
  return {
    echo: async (line) => {
      if (socket.destroyed) return undefined;
      const parts = on(socket, 'data', { signal: AbortSignal.timeout(MOST_MS), close: ['close'] });
      socket.write(`${line}\n`);
      let came = '';
      try {
        for await (const [part] of parts) if ((came += part).includes(line)) return line;
      } catch {
        // Nothing has come in time, or the connection has failed.
      }
      return undefined;
    },
    ended,
    end: () => socket.destroy(),
  };
};
