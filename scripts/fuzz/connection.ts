import { once } from 'node:events';
import tls from 'node:tls';
import { type Reply, ReplyReader } from './reply-reader.ts';

/** How long a response may stall before the connection is closed. */
const IDLE_TIMEOUT_MS = 20_000;

/** A connection that sends arbitrary bytes, and reads the responses of the server. */
export class Connection {
  readonly #port: number;
  #socket: tls.TLSSocket | undefined;
  /** Receives the data of the current response. */
  #take: (part: Buffer) => void = () => undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends a request once all earlier ones have been answered.
   * @returns the response; undefined if the server closed the connection without one
   */
  ask(request: Uint8Array | string, withoutBody = false): Promise<Reply | undefined> {
    const reply = this.#last.then(() => this.#ask(request, withoutBody));
    this.#last = reply.catch(() => undefined);
    return reply;
  }

  async #ask(request: Uint8Array | string, withoutBody: boolean): Promise<Reply | undefined> {
    const isReused = this.#socket?.writable === true;
    const reader = new ReplyReader(withoutBody);
    const reply = await this.#send(request, reader);
    // The server closes a connection that was idle for some seconds. A request that was sent at that moment is retried (RFC 9112, 9.3.1).
    return reply || !isReused || reader.hasBegun ? reply : this.#send(request, new ReplyReader(withoutBody));
  }

  async #send(request: Uint8Array | string, reader: ReplyReader): Promise<Reply | undefined> {
    const socket = await this.#open();
    if (!socket) return undefined;
    const reply = await new Promise<Reply | undefined>((resolve) => {
      const closed = () => resolve(undefined);
      socket.setTimeout(IDLE_TIMEOUT_MS);
      socket.once('close', closed);
      this.#take = (part) => {
        const whole = reader.take(part);
        if (!whole) return;
        socket.off('close', closed);
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
