import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CoreAnswer, CoreRequest } from '../../src/adapter-kit.ts';
import { NodeRequest } from './node-request.ts';
import { type RefusalStatus, refusalBody } from './refusal.ts';
import { forwardedCertificates, type TrustedProxies } from './trusted-proxies.ts';

/** Whatever answers requests: a controller. */
export interface Handling {
  handle(request: CoreRequest): Promise<CoreAnswer>;
}

export interface NodeHandlerOptions {
  /** Path below which the controller answers, e.g. `/overlay`. Default: the root. Hosts that strip the prefix themselves (Express's `use`) need none. */
  readonly mount?: string;
  /** Requests handled at once, beyond which others get 503 with `Retry-After`. Default 1,000. */
  readonly maxConcurrent?: number;
  /** Whose word counts for the certificate that a client presented. Default: nobody's but that of this server's own TLS connections. */
  readonly trustedProxies?: TrustedProxies;
}

/** `next` is called for requests that are not below the mount point; without it they get 404. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse, next?: () => void) => void;

/**
 * A listener for any server of Node's.
 *
 * ```ts
 * http.createServer(nodeHandler(controller, { mount: '/overlay' })).listen(8080);
 * ```
 */
export const nodeHandler = (controller: Handling | Handling['handle'], options: NodeHandlerOptions = {}): NodeListener =>
  nodeAnswerer(controller, options).listener;

/** The listener, and what a server that it belongs to must know of it. */
export interface NodeAnswerer {
  readonly listener: NodeListener;
  /** For `checkContinue`: says `100 Continue` only once the body is wanted. */
  readonly continueListener: NodeListener;
  /** From now on every answer closes its connection. */
  drain(): void;
}

export const nodeAnswerer = (
  controller: Handling | Handling['handle'],
  { mount = '', maxConcurrent = 1000, trustedProxies }: NodeHandlerOptions,
): NodeAnswerer => {
  const handle = typeof controller === 'function' ? controller : (request: CoreRequest) => controller.handle(request);
  const prefix = mount.replace(/\/+$/, '');
  const forwarded = trustedProxies && forwardedCertificates(trustedProxies);
  let active = 0;
  let draining = false;

  // A tick later, when a body that came with the headers has come.
  const refuse = (req: IncomingMessage, res: ServerResponse, status: RefusalStatus, more?: Readonly<Record<string, string>>) =>
    process.nextTick(() => {
      if (res.headersSent) res.destroy();
      else send(req, res, { status, headers: { 'content-type': 'application/json', ...more }, body: refusalBody(status) }, draining);
    });

  const answer = async (req: IncomingMessage, res: ServerResponse, target: string, awaitsContinue: boolean): Promise<void> => {
    active++;
    try {
      send(req, res, await handle(new NodeRequest(req, res, target, awaitsContinue, forwarded)), draining);
    } catch {
      refuse(req, res, 500);
    } finally {
      active--;
    }
  };

  const listen =
    (awaitsContinue: boolean): NodeListener =>
    (req, res, next) => {
      const target = below(prefix, req.url ?? '/');
      if (target !== undefined) {
        if (active >= maxConcurrent) refuse(req, res, 503, { 'retry-after': '1' });
        else void answer(req, res, target, awaitsContinue);
      } else if (next) next();
      else refuse(req, res, 404);
    };
  return {
    listener: listen(false),
    continueListener: listen(true),
    drain: () => {
      draining = true;
    },
  };
};

/** Path and query below a prefix; undefined when the prefix is another's. */
const below = (prefix: string, url: string): string | undefined => {
  if (prefix === '') return url;
  if (!url.startsWith(prefix)) return undefined;
  const rest = url.slice(prefix.length);
  if (rest === '' || rest[0] === '?') return `/${rest}`;
  return rest[0] === '/' ? rest : undefined;
};

const send = (req: IncomingMessage, res: ServerResponse, { status, headers, body }: CoreAnswer, last: boolean): void => {
  if (res.destroyed) return;
  const isUnread = !req.complete;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  res.writeHead(status, { ...headers, 'content-length': length, ...(isUnread || last ? { connection: 'close' } : {}) });
  if (isUnread) linger(req, res, body);
  else res.end(body);
};

/** How long and how far a client may go on sending a body that nobody wants. */
const LINGER = { milliseconds: 500, bytes: 16 * 1024 * 1024 } as const;

/** Closing while data comes in resets the connection, and the client loses its answer: answers, throws away what still comes for a while, and closes then. */
const linger = (req: IncomingMessage, res: ServerResponse, body: string | Uint8Array): void => {
  res.flushHeaders();
  if (req.method !== 'HEAD' && body.length > 0) res.write(body);
  let discarded = 0;
  const close = () => {
    clearTimeout(timer);
    req.off('data', discard);
    res.end();
  };
  const cutOff = () => {
    close();
    req.destroy();
  };
  const discard = (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > LINGER.bytes) cutOff();
  };
  const timer = setTimeout(cutOff, LINGER.milliseconds);
  req.on('data', discard).once('end', close).once('close', close).on('error', close).resume();
};
