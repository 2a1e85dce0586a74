import { once } from 'node:events';
import tls from 'node:tls';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** How long an answer may take before it counts as none. */
const PATIENCE_MS = 20_000;

/** A connection that sends the given bytes, and reads answers as the server writes them: with `content-length`. */
export class Connection {
  readonly #port: number;
  #socket: tls.TLSSocket | undefined;
  #received = Buffer.alloc(0);
  /** Called when something has come, or nothing will. */
  #moved = () => {};
  #last: Promise<unknown> = Promise.resolve();

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request, once those before it are answered, and gives its answer; undefined when the server closed without one. */
  ask(request: Uint8Array | string, withoutBody = false): Promise<Reply | undefined> {
    const reply = this.#last.then(() => this.#ask(request, withoutBody));
    this.#last = reply.catch(() => undefined);
    return reply;
  }

  async #ask(request: Uint8Array | string, withoutBody: boolean): Promise<Reply | undefined> {
    const isReused = this.#socket?.writable === true;
    const reply = await this.#send(request, withoutBody);
    // The server closes a connection that was idle for some seconds: a request that crosses that on its way is made again (RFC 9112, 9.3.1).
    return reply || !isReused || this.#received.length > 0 ? reply : this.#send(request, withoutBody);
  }

  async #send(request: Uint8Array | string, withoutBody: boolean): Promise<Reply | undefined> {
    const socket = await this.#open();
    if (!socket) return undefined;
    this.#received = Buffer.alloc(0);
    socket.write(request);
    for (;;) {
      const reply = readReply(this.#received, withoutBody);
      if (reply) {
        if (reply.headers.connection === 'close') this.close();
        return reply;
      }
      if (socket.destroyed || socket.readableEnded) return undefined;
      const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
      await new Promise<void>((moved) => {
        this.#moved = moved;
      });
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<tls.TLSSocket | undefined> {
    if (this.#socket && !this.#socket.destroyed && this.#socket.writable) return this.#socket;
    const socket = tls.connect({ port: this.#port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => undefined).on('close', () => this.#moved());
    socket.on('data', (part: Buffer) => {
      this.#received = Buffer.concat([this.#received, part]);
      this.#moved();
    });
    await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).catch(() => undefined);
    this.#socket = socket;
    return socket.destroyed ? undefined : socket;
  }
}

const readReply = (received: Buffer, withoutBody: boolean): Reply | undefined => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(line.split(' ')[1]);
  if (status === 100) return readReply(received.subarray(end + 4), withoutBody);
  const headers = Object.fromEntries(
    lines.map((each) => [
      each.slice(0, each.indexOf(':')).toLowerCase(),
      each
        .slice(each.indexOf(':') + 1)
        .trim()
        .toLowerCase(),
    ]),
  );
  const length = withoutBody ? 0 : Number(headers['content-length'] ?? 0);
  const body = received.subarray(end + 4);
  return body.length < length ? undefined : { status, headers, text: body.subarray(0, length).toString() };
};
