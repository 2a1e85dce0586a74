import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Takes over connections of an HTTP server that become WebSockets. */
export interface UpgradeHandler {
  /** True for a request to the management channel, for the option `shouldUpgradeCallback` of Node's servers. */
  isFor(req: Pick<IncomingMessage, 'url' | 'headers'>): boolean;
  /** A listener for the event `upgrade` of `http` and `https` servers. Closes connections whose requests are for other paths. */
  readonly upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Ends all connections. */
  close(): void;
}
