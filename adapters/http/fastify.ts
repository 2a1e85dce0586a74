/**
 * The adapter for Fastify.
 * @module overlay-controller/http/fastify
 */
import { checkedOptions } from '../../src/adapter-kit.ts';
import type { Handling } from './handling.ts';
import { type NodeOptions, nodeBridge, REQUEST_LIMITS } from './node-bridge.ts';
import { hostRequestId, type NodeIncoming, type NodeOutgoing } from './node-request.ts';
import { isApiError, REPRESENTATION_HEADERS, type RefusalOptions } from './own-errors.ts';

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
  readonly sent: boolean;
  code(status: number): FastifyReply;
  header(name: string, value: string): FastifyReply;
  removeHeader(name: string): FastifyReply;
  send(body: unknown): FastifyReply;
}

/** A plugin for `app.register`, with the mount path as `prefix`. */
export type FastifyPlugin = (scope: FastifyScope, options: object, done: () => void) => void;

/**
 * Creates a plugin for Fastify 5. The host's hooks run, but not its body parsers, because the controller reads bodies itself. The answer
 * bypasses Fastify: it has the headers that hooks have set, but `onSend` hooks are not called.
 *
 * ```ts
 * app.register(fastifyPlugin(controller), { prefix: '/overlay' });
 * ```
 */
export const fastifyPlugin =
  (controller: Handling, options: Omit<NodeOptions, 'mount'> = {}): FastifyPlugin =>
  (scope, _, done) => {
    checkedOptions('fastifyPlugin', options, { trustedProxies: true, ...REQUEST_LIMITS });
    const bridge = nodeBridge(controller, { ...options, mount: scope.prefix });
    const handler = ({ raw: req, ip, id }: FastifyRequest, reply: FastifyReply): void => {
      const { raw: res } = reply;
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) res.setHeader(name, value);
      if (bridge.answer({ req, res, remoteAddress: ip, requestId: id })) reply.hijack();
      else reply.callNotFound();
    };
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, skip) => skip(null));
    scope.all('/', handler);
    scope.all('/*', handler);
    done();
  };

/** An error handler for `app.setErrorHandler`. */
export type FastifyErrorHandler<Request extends FastifyRequest = FastifyRequest, Reply extends FastifyReply = FastifyReply> = (
  error: unknown,
  request: Request,
  reply: Reply,
) => unknown;

/**
 * Creates an error handler for the host's own routes, for Fastify 5. It answers an `ApiError` as the controller would: with its status, the
 * envelope, `Retry-After`, and headers that prevent caching and MIME sniffing.
 *
 * ```ts
 * app.setErrorHandler(fastifyErrorHandler());
 * ```
 * @param fallback handles all other errors, like a handler of `app.setErrorHandler`. Default: the handler of the enclosing scope,
 * ultimately Fastify's own
 */
export const fastifyErrorHandler =
  <Request extends FastifyRequest, Reply extends FastifyReply>(
    fallback: FastifyErrorHandler<Request, Reply> = rethrow,
    options?: RefusalOptions,
  ): FastifyErrorHandler<Request, Reply> =>
  (error, request, reply) => {
    if (reply.sent || !isApiError(error)) return fallback(error, request, reply);
    const { raw: req, id: requestId } = request;
    const { status, headers, body } = error.toAnswer({ ...options, requestId: hostRequestId({ req, res: reply.raw, requestId }) });
    for (const name of REPRESENTATION_HEADERS) reply.removeHeader(name);
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    reply.code(status);
    reply.send(body);
    return undefined;
  };

/** Rethrows: Fastify passes an error that a handler throws to the handler of the enclosing scope. */
const rethrow: FastifyErrorHandler = (error) => {
  throw error;
};
