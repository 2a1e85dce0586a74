export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const NOTHING = Buffer.alloc(0);
const LINE_END = '\r\n';
/** Bytes of a body that are kept: what comes after them is only counted. */
const MOST_KEPT = 64 * 1024 * 1024;

/** Reads one answer from the parts in which it comes, each of them once, however long it is: with `content-length`, or in chunks. */
export class ReplyReader {
  readonly #withoutBody: boolean;
  #head: Omit<Reply, 'text'> | undefined;
  /** The incomplete last line. */
  #held: Buffer = NOTHING;
  readonly #body: Buffer[] = [];
  #kept = 0;
  /** Bytes of the body, or of its chunk, that are still to come; then some that end a chunk. */
  #left = 0;
  #skipped = 0;
  #isLast = true;

  constructor(withoutBody: boolean) {
    this.#withoutBody = withoutBody;
  }

  /** True once anything was received. */
  get hasBegun(): boolean {
    return this.#head !== undefined || this.#held.length > 0;
  }

  /** @returns the answer, once it is whole */
  take(part: Buffer): Reply | undefined {
    let rest = this.#held.length === 0 ? part : Buffer.concat([this.#held, part]);
    this.#held = NOTHING;
    for (;;) {
      if (!this.#head) {
        const end = rest.indexOf(`${LINE_END}${LINE_END}`);
        if (end < 0) return this.#hold(rest);
        this.#begin(headOf(rest.subarray(0, end).toString('latin1')));
        rest = rest.subarray(end + 4);
        continue;
      }
      const taken = rest.subarray(0, this.#left);
      if (taken.length > 0 && (this.#kept += taken.length) < MOST_KEPT) this.#body.push(taken);
      const over = Math.min(taken.length + this.#skipped, rest.length);
      this.#left -= taken.length;
      if (this.#left > 0) return undefined;
      this.#skipped -= over - taken.length;
      rest = rest.subarray(over);
      if (this.#skipped > 0) return undefined;
      if (this.#isLast) return { ...this.#head, text: Buffer.concat(this.#body).toString() };
      const end = rest.indexOf(LINE_END);
      if (end < 0) return this.#hold(rest);
      this.#left = Number.parseInt(rest.subarray(0, end).toString('latin1'), 16);
      this.#skipped = LINE_END.length;
      this.#isLast = this.#left === 0;
      rest = rest.subarray(end + LINE_END.length);
    }
  }

  #begin(head: Omit<Reply, 'text'>): void {
    if (head.status === 100) return;
    this.#head = head;
    const isChunked = !this.#withoutBody && head.headers['transfer-encoding'] === 'chunked';
    this.#isLast = !isChunked;
    this.#left = this.#withoutBody || isChunked ? 0 : Number(head.headers['content-length'] ?? 0);
  }

  #hold(rest: Buffer): undefined {
    this.#held = rest;
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
