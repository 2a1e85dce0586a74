import { on, once } from 'node:events';
import { connect } from 'node:net';

/** A connection through a tunneler, which becomes a circuit. */
export interface Connection {
  /** Sends a line. @returns the line once it has been echoed; undefined if the connection ends, or after ten seconds */
  echo(line: string): Promise<string | undefined>;
  readonly ended: Promise<unknown>;
  end(): void;
}

const ECHO_TIMEOUT_MS = 10_000;

export const connectTo = async (port: number): Promise<Connection> => {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  socket.setEncoding('utf8').on('error', () => undefined);
  const ended = new Promise<void>((done) => socket.once('close', () => done()));
  await once(socket, 'connect');
  return {
    echo: async (line) => {
      if (socket.destroyed) return undefined;
      const parts = on(socket, 'data', { signal: AbortSignal.timeout(ECHO_TIMEOUT_MS), close: ['close'] });
      socket.write(`${line}\n`);
      let received = '';
      try {
        for await (const [part] of parts) if ((received += part).includes(line)) return line;
      } catch {
        // The line has not been echoed in time, or the connection has failed.
      }
      return undefined;
    },
    ended,
    end: () => socket.destroy(),
  };
};
