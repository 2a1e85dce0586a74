export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const NOTHING = Buffer.alloc(0);
const LINE_END = '\r\n';
/** Maximum number of bytes of a body to keep. Further bytes are only counted. */
const MAX_KEPT = 64 * 1024 * 1024;

/**
 * Reads a response with `content-length` or in chunks, from the parts in which it arrives. Reads each part only once, so the cost is linear
 * in the length.
 */
export class ReplyReader {
  readonly #withoutBody: boolean;
  #head: Omit<Reply, 'text'> | undefined;
  /** The incomplete last line. */
  #pending: Buffer = NOTHING;
  readonly #body: Buffer[] = [];
  #kept = 0;
  /** Number of bytes of the body, or of its current chunk, that have not been received yet. */
  #remaining = 0;
  /** Number of bytes to skip after them: the line end after a chunk. */
  #toSkip = 0;
  #isLast = true;

  constructor(withoutBody: boolean) {
    this.#withoutBody = withoutBody;
  }

  /** True if any data has been received. */
  get hasBegun(): boolean {
    return this.#head !== undefined || this.#pending.length > 0;
  }

  /** @returns the response once it is complete */
  take(part: Buffer): Reply | undefined {
    let rest = this.#pending.length === 0 ? part : Buffer.concat([this.#pending, part]);
    this.#pending = NOTHING;
    for (;;) {
      if (!this.#head) {
        const end = rest.indexOf(`${LINE_END}${LINE_END}`);
        if (end < 0) return this.#hold(rest);
        this.#begin(headOf(rest.subarray(0, end).toString('latin1')));
        rest = rest.subarray(end + 4);
        continue;
      }
      const taken = rest.subarray(0, this.#remaining);
      if (taken.length > 0 && (this.#kept += taken.length) < MAX_KEPT) this.#body.push(taken);
      const consumed = Math.min(taken.length + this.#toSkip, rest.length);
      this.#remaining -= taken.length;
      if (this.#remaining > 0) return undefined;
      this.#toSkip -= consumed - taken.length;
      rest = rest.subarray(consumed);
      if (this.#toSkip > 0) return undefined;
      if (this.#isLast) return { ...this.#head, text: Buffer.concat(this.#body).toString() };
      const end = rest.indexOf(LINE_END);
      if (end < 0) return this.#hold(rest);
      this.#remaining = Number.parseInt(rest.subarray(0, end).toString('latin1'), 16);
      this.#toSkip = LINE_END.length;
      this.#isLast = this.#remaining === 0;
      rest = rest.subarray(end + LINE_END.length);
    }
  }

  #begin(head: Omit<Reply, 'text'>): void {
    if (head.status === 100) return;
    this.#head = head;
    const isChunked = !this.#withoutBody && head.headers['transfer-encoding'] === 'chunked';
    this.#isLast = !isChunked;
    this.#remaining = this.#withoutBody || isChunked ? 0 : Number(head.headers['content-length'] ?? 0);
  }

  #hold(rest: Buffer): undefined {
    this.#pending = rest;
  }
}

const headOf = (text: string): Omit<Reply, 'text'> => {
  const [line = '', ...lines] = text.split(LINE_END);
  const headers = Object.fromEntries(
    lines.map((each) => {
      const colon = each.indexOf(':');
      return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(line.split(' ')[1]), headers };
};
