<<<<<<< HEAD

import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge } from './node-bridge.ts';
import type { NodeIncoming, NodeOutgoing } from './node-request.ts';

=======

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
>>>>>>> main

/** `next` is called for requests that are not below the mount point; without it they get 404. */
export type NodeListener = (req: NodeIncoming, res: NodeOutgoing, next?: () => void) => void;

/**
 * A listener for any server of Node's: `http`, `https`, `http2`.
 *
 * ```ts
 * http.createServer(nodeHandler(controller, { mount: '/overlay' })).listen(8080);
 * ```
 */
<<<<<<< HEAD
export const nodeHandler = (controller: Handling, options?: NodeOptions): NodeListener => {
  const bridge = nodeBridge(controller, options);
  return (req, res, next) => {
    const host = { req, res };
    if (bridge.answer(host)) return;
    if (next) next();
    else bridge.refuse(host);
=======
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
>>>>>>> main
  };
};
