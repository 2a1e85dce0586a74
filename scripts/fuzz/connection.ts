import { once } from 'node:events';
import tls from 'node:tls';
import { type Reply, ReplyReader } from './reply-reader.ts';

/** How long nothing of an answer may come before it counts as none. */
const PATIENCE_MS = 20_000;

/** A connection that sends the given bytes, and reads answers as the server writes them. */
export class Connection {
  readonly #port: number;
  #socket: tls.TLSSocket | undefined;
  /** Takes what comes. */
  #take: (part: Buffer) => void = () => undefined;
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
    const reader = new ReplyReader(withoutBody);
    const reply = await this.#send(request, reader);
    // The server closes a connection that was idle for some seconds: a request that crosses that on its way is made again (RFC 9112, 9.3.1).
    return reply || !isReused || reader.hasBegun ? reply : this.#send(request, new ReplyReader(withoutBody));
  }

  async #send(request: Uint8Array | string, reader: ReplyReader): Promise<Reply | undefined> {
    const socket = await this.#open();
    if (!socket) return undefined;
    const reply = await new Promise<Reply | undefined>((resolve) => {
      const gone = () => resolve(undefined);
      socket.setTimeout(PATIENCE_MS);
      socket.once('close', gone);
      this.#take = (part) => {
        const whole = reader.take(part);
        if (!whole) return;
        socket.off('close', gone);
        resolve(whole);
      };
      socket.write(request);
    });
    socket.setTimeout(0);
    if (reply?.headers.connection === 'close') this.close();
    return reply;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<tls.TLSSocket | undefined> {
    if (this.#socket && !this.#socket.destroyed && this.#socket.writable) return this.#socket;
    const socket = tls.connect({ port: this.#port, host: '127.0.0.1', rejectUnauthorized: false });
    socket
      .on('error', () => undefined)
      .on('timeout', () => socket.destroy())
      .on('data', (part: Buffer) => this.#take(part));
    await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).catch(() => undefined);
    this.#socket = socket;
    return socket.destroyed ? undefined : socket;
  }
}
