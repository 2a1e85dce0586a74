import { once } from 'node:events';
import tls from 'node:tls';
import { credentials, type Request } from './load.ts';

/** What became of the requests of one kind. */
export interface Outcome {
  /** Requests that were due. */
  readonly due: number;
  /** Latencies of the answers with a status below 400, counted from the time at which the request was due, sorted. ms */
  readonly served: readonly number[];
  /** The same of those with status 429 or 503. */
  readonly refused: readonly number[];
  /** The number of refusals that say when to retry. */
  readonly retryable: number;
  readonly otherStatuses: Readonly<Record<number, number>>;
  /** Requests without an answer: the connection was closed, or the run was over. */
  readonly lost: number;
}

/** Requests that are sent at a rate, whether earlier ones are answered or not. */
export interface Arrivals {
  /** Requests a second. */
  readonly rate: number;
  readonly next: () => Sent;
}

/** A request with the token of its sender. */
export interface Sent extends Request {
  readonly token?: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly isRetryable: boolean;
}

/** A keep-alive connection with at most one request. It speaks as much of HTTP as needed, so that the generator needs little of a core. */
class Connection {
  readonly #socket: tls.TLSSocket;
  #received = '';
  #head: string | undefined;
  /** Number of bytes of the answer that have not arrived; undefined for a body in chunks. */
  #missing: number | undefined;
  #settle: ((answer: Answer | undefined) => void) | undefined;

  private constructor(socket: tls.TLSSocket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => this.#read(part));
    const close = () => this.#end(undefined);
    socket.on('error', close).on('close', close);
  }

  static async open(port: number): Promise<Connection> {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    socket.setNoDelay(true);
    await once(socket, 'secureConnect');
    return new Connection(socket);
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** @returns undefined if the connection was closed */
  send({ method, path, body, headers, token }: Sent): Promise<Answer | undefined> {
    const payload = body === undefined ? '' : JSON.stringify(body);
    const fields: Record<string, string> = { host: '127.0.0.1', accept: 'application/json', ...credentials(token), ...headers };
    if (body !== undefined) Object.assign(fields, { 'content-type': 'application/json', 'content-length': String(payload.length) });
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve) => {
      this.#settle = resolve;
      if (this.isOpen) this.#socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${payload}`, 'latin1');
      else this.#end(undefined);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(part: string): void {
    if (this.#head === undefined) {
      this.#received += part;
      const end = this.#received.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.#head = this.#received.slice(0, end).toLowerCase();
      const length = /\r\ncontent-length: (\d+)/.exec(this.#head)?.[1];
      this.#missing = length === undefined ? undefined : end + 4 + Number(length) - this.#received.length;
    } else if (this.#missing !== undefined) this.#missing -= part.length;
    // Without a length, the body ends with an empty chunk.
    if (this.#missing === undefined ? !part.endsWith('0\r\n\r\n') : this.#missing > 0) return;
    const head = this.#head;
    this.#head = undefined;
    this.#received = '';
    this.#end({ status: Number(head.slice(9, 12)), isRetryable: head.includes('\r\nretry-after:') });
  }

  #end(answer: Answer | undefined): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(answer);
  }
}

/** Connections that are kept open between requests. */
export const openConnections = async (port: number, count: number) => {
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  const open = async (): Promise<void> => {
    const connection = await Connection.open(port);
    all.add(connection);
    idle.push(connection);
  };
  /** Opened some at a time, so that no handshake waits too long. */
  while (idle.length < count) await Promise.all(Array.from({ length: Math.min(20, count - idle.length) }, open));

  const reconnect = (): void => {
    void open().catch(() => undefined);
  };
  const take = (): Connection | undefined => {
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      if (connection.isOpen) return connection;
      reconnect();
    }
    return undefined;
  };

  /** Sends requests in a closed loop. @returns the answers a second */
  const saturate = async (next: () => Sent, loops: number, seconds: number): Promise<number> => {
    let answered = 0;
    const began = performance.now();
    const end = began + seconds * 1000;
    const loop = async () => {
      while (performance.now() < end) {
        const connection = take();
        if (!connection) return;
        const answer = await connection.send(next());
        idle.push(connection);
        if (answer) answered++;
      }
    };
    await Promise.all(Array.from({ length: loops }, loop));
    return (answered / (performance.now() - began)) * 1000;
  };

  /** Sends each kind of requests at its rate. Requests for which no connection is free wait for one, and their latency grows. */
  const run = async <K extends string>(kinds: Readonly<Record<K, Arrivals>>, seconds: number): Promise<Readonly<Record<K, Outcome>>> => {
    const names = Object.keys(kinds) as K[]; // the keys of the parameter
    const tallies = names.map((name) => tallyOf(kinds[name]));
    const waiting: (() => void)[] = [];
    let isOver = false;
    const began = performance.now();
    const send = async (tally: Tally, due: number) => {
      tally.due++;
      let connection = take();
      while (!connection) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        if (isOver) return;
        connection = take();
      }
      const answer = await connection.send(tally.arrivals.next());
      if (connection.isOpen) idle.push(connection);
      else reconnect();
      waiting.shift()?.();
      tally.count(answer, performance.now() - due);
    };
    for (let now = 0; now < seconds * 1000; now = performance.now() - began) {
      for (const tally of tallies)
        for (; tally.due < (now / 1000) * tally.arrivals.rate; ) void send(tally, began + (tally.due / tally.arrivals.rate) * 1000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await new Promise((resolve) => setTimeout(resolve, GRACE_MS));
    isOver = true;
    return Object.fromEntries(names.map((name, i) => [name, tallies[i]?.outcome()])) as Record<K, Outcome>; // one for each name
  };

  const close = () => {
    for (const connection of all) connection.close();
  };
  return { saturate, run, close };
};

/** Time for the last answers. */
const GRACE_MS = 2000;

interface Tally {
  readonly arrivals: Arrivals;
  due: number;
  count(answer: Answer | undefined, latency: number): void;
  outcome(): Outcome;
}

const tallyOf = (arrivals: Arrivals): Tally => {
  const [served, refused]: [number[], number[]] = [[], []];
  const otherStatuses: Record<number, number> = {};
  let [retryable, others] = [0, 0];
  return {
    arrivals,
    due: 0,
    count: (answer, latency) => {
      if (!answer) return;
      if (answer.status < 400) served.push(latency);
      else if (answer.status === 429 || answer.status === 503) {
        refused.push(latency);
        if (answer.isRetryable) retryable++;
      } else {
        others++;
        otherStatuses[answer.status] = (otherStatuses[answer.status] ?? 0) + 1;
      }
    },
    outcome() {
      served.sort((a, b) => a - b);
      refused.sort((a, b) => a - b);
      return { due: this.due, served, refused, retryable, otherStatuses, lost: this.due - served.length - refused.length - others };
    },
  };
};
