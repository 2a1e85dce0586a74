/** The other end violates the protocol. The connection is closed. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}
