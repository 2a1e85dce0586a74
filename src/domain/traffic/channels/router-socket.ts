import type { AcceptedWire } from '../../../control-channel/accept.ts';
import type { Wire } from '../../../control-channel/channel.ts';

/** A connection on which a router may speak, as an adapter has it: TLS, with the certificates that the other end proved itself by. */
export interface RouterSocket extends Wire {
  /** DER of what was presented in the TLS handshake, leaf first. The handshake has proved that the other end has the key of the leaf; all else is checked here. */
  readonly certificates: readonly Uint8Array[];
  /** For the log. */
  readonly remoteAddress: string;
}

/** Takes a connection of a router; what adapters of sockets call. The adapter ends the connection when `signal` of what it gets is aborted. */
export type AcceptRouter = (socket: RouterSocket) => AcceptedWire;
