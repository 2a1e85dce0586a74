import https from 'node:https';

/** The server under load, and the credentials for it. */
export interface Target {
  readonly port: number;
  /** The token of an API session, or an access token of the OpenID provider, which is a JWT. */
  readonly token?: string;
}

/** The headers that authenticate a request. */
export const credentials = (token: string | undefined): Readonly<Record<string, string>> => {
  if (token === undefined) return {};
  return token.includes('.') ? { authorization: `Bearer ${token}` } : { 'zt-session': token };
};

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Further headers, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Load {
  readonly operations: number;
  readonly seconds: number;
  /** Median latency in milliseconds. */
  readonly p50: number;
  /** 99th percentile of the latency in milliseconds. */
  readonly p99: number;
  readonly statuses: Readonly<Record<number, number>>;
}

/** A client that runs a closed loop over keep-alive connections: each connection has one request in flight. */
export const createClient = ({ port, token }: Target, connections: number) => {
  const agent = new https.Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
  const send = ({ method, path, body, headers: further }: Request): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        accept: 'application/json',
        ...credentials(token),
        ...further,
        ...(payload ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) } : {}),
      };
      const request = https.request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      });
      // A server that was busy for a long time may close a connection as idle just as the next request is sent. The request is then
      // retried.
      const isStaleConnection = (error: Error) => request.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      const retry = () => resolve(send({ method, path, body, ...(further ? { headers: further } : {}) }));
      request.on('error', (error) => (isStaleConnection(error) ? retry() : reject(error)));
      request.end(payload);
    });
  const run = async (next: () => Request, seconds: number): Promise<Load> => {
    const latencies: number[] = [];
    const statuses: Record<number, number> = {};
    const start = performance.now();
    const end = start + seconds * 1000;
    const loop = async () => {
      while (performance.now() < end) {
        const began = performance.now();
        const { status } = await send(next());
        latencies.push(performance.now() - began);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: connections }, loop));
    latencies.sort((a, b) => a - b);
    const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? 0;
    return { operations: latencies.length, seconds: (performance.now() - start) / 1000, p50: at(0.5), p99: at(0.99), statuses };
  };
  return { send, run, close: () => agent.destroy() };
};
