import { setTimeout as pause } from 'node:timers/promises';
import { connectTo } from '../try-routers/connections.ts';
import { until } from '../try-routers/until.ts';

/** A connection that carries a line twice a second. */
export interface Stream {
  /** What has become of it. */
  told(): Promise<string>;
  end(): void;
}

const INTERVAL_MS = 500;

export const openStream = async (port: number): Promise<Stream> => {
  const connection = await connectTo(port);
  let lines = 0;
  let lost: Date | undefined;
  const carry = async () => {
    while ((await connection.echo(`line ${lines}`)) !== undefined) {
      lines++;
      await pause(INTERVAL_MS);
    }
    lost = new Date();
  };
  void carry();
  await until('the first line comes back', async () => lines > 0);
  return {
    told: async () => (lost ? `ended at ${lost.toISOString()}, after ${lines} lines` : `goes on, after ${lines} lines`),
    end: connection.end,
  };
};
