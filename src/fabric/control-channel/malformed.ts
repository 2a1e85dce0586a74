/** Thrown if the peer violates the protocol. The connection is closed. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}
