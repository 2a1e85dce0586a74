/** What came is not of the protocol. The connection it came on cannot be trusted any more, and is closed. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}
