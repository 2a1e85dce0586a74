/**
 * For Fastify.
 * @module overlay-controller/http/fastify
 */
import { checkedOptions } from '../../src/adapter-kit.ts';
import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge } from './node-bridge.ts';
import type { NodeIncoming, NodeOutgoing } from './node-request.ts';
import { BODY_LIMITS } from './waiting-bodies.ts';

/** The members of a Fastify instance, request and reply that are used here. */
interface FastifyScope {
  readonly prefix: string;
  removeAllContentTypeParsers(): void;
  addContentTypeParser(type: string, parser: (request: unknown, payload: unknown, done: (error: null) => void) => void): unknown;
  all(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => void): unknown;
}
interface FastifyRequest {
  readonly raw: NodeIncoming;
  readonly ip: string;
  readonly id: string;
}
interface FastifyReply {
  readonly raw: NodeOutgoing;
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
  hijack(): unknown;
  callNotFound(): unknown;
}

/** Passed to `app.register`, with the mount path as `prefix`. */
export type FastifyPlugin = (scope: FastifyScope, options: object, done: () => void) => void;

/**
 * For Fastify 5. The host's hooks run, its body parsers do not: the controller reads bodies itself. The answer bypasses Fastify: it has the headers that
 * hooks have set, but `onSend` hooks do not see it.
 *
 * ```ts
 * app.register(fastifyPlugin(controller), { prefix: '/overlay' });
 * ```
 */
export const fastifyPlugin =
  (controller: Handling, options: Omit<NodeOptions, 'mount'> = {}): FastifyPlugin =>
  (scope, _, done) => {
    checkedOptions('fastifyPlugin', options, { maxConcurrent: true, trustedProxies: true, ...BODY_LIMITS });
    const bridge = nodeBridge(controller, { ...options, mount: scope.prefix });
    const handler = ({ raw: req, ip, id }: FastifyRequest, reply: FastifyReply): void => {
      const { raw: res } = reply;
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) res.setHeader(name, value);
      if (bridge.answer({ req, res, remoteAddress: ip, requestId: id })) reply.hijack();
      else reply.callNotFound();
    };
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    scope.all('/', handler);
    scope.all('/*', handler);
    done();
  };
