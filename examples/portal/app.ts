/** The portal: its own routes for people, and the client API of the controller for their devices. */
import { context, SpanKind, trace } from '@opentelemetry/api';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { fastifyErrorHandler, fastifyPlugin } from '../../adapters/http/fastify.ts';
import type { Metrics } from '../../adapters/observability/metrics.ts';
import { type ManagementController, surfaces } from '../../src/index.ts';
import type { User } from './users.ts';

export interface Portal {
  readonly controller: ManagementController;
  readonly metrics: Metrics;
  /** Returns the user that a single sign-on token was issued to. @throws if the token is invalid */
  signedOn(token: string): Promise<User>;
}

interface Device {
  readonly id: string;
}

export const portalApp = ({ controller, metrics, signedOn }: Portal): FastifyInstance => {
  const app = fastify();
  const tracer = trace.getTracer('portal');
  const userOf = async ({ headers: { authorization = '' } }: FastifyRequest): Promise<User> => {
    const user = await signedOn(authorization.replace(/^Bearer /i, '')).catch(() => undefined);
    if (!user) throw Object.assign(new Error('log in through single sign-on first'), { statusCode: 401 });
    return user;
  };
  /** The call options that make the controller act for the user of a request. */
  const as = ({ actor }: User, { id }: FastifyRequest) => ({ actor, requestId: `portal-${id}` });

  app.setErrorHandler(fastifyErrorHandler());
  // Each request has a span, which is the parent of the controller's spans for the request.
  app.addHook('onRequest', (request, reply, done) => {
    const span = tracer.startSpan(`${request.method} ${request.routeOptions.url ?? 'unknown'}`, { kind: SpanKind.SERVER });
    reply.raw.once('close', () => span.setAttribute('http.response.status_code', reply.statusCode).end());
    context.with(trace.setSpan(context.active(), span), done);
  });

  app.post<{ Body: { readonly name: string } }>('/devices', async (request, reply) => {
    const user = await userOf(request);
    const { id } = await controller.api.identities.create(
      {
        body: {
          name: `${user.actor.slice('sso:'.length)}: ${request.body.name}`,
          type: 'Device',
          isAdmin: false,
          roleAttributes: [user.team],
          tags: { owner: user.actor },
          enrollment: { ott: true },
        },
      },
      as(user, request),
    );
    const { enrollment } = await controller.api.identities.get({ id }, as(user, request));
    return reply.code(201).send({ id, token: enrollment.ott?.jwt });
  });
  app.get('/devices', async (request) => {
    const user = await userOf(request);
    const { data } = await controller.api.identities.list({ filter: 'sort by name' }, as(user, request));
    return data.map(({ id, name, hasApiSession }) => ({ id, name, isOnline: hasApiSession }));
  });
  app.delete<{ Params: Device; Body?: { readonly reason?: string } }>('/devices/:id', async (request, reply) => {
    const user = await userOf(request);
    const { reason } = request.body ?? {};
    await controller.api.identities.delete({ id: request.params.id }, { ...as(user, request), ...(reason ? { reason } : {}) });
    return reply.code(204).send();
  });
  app.get('/audit', async (request) => {
    const user = await userOf(request);
    if (!user.isTeamAdmin) throw Object.assign(new Error('only team administrators may read the audit'), { statusCode: 403 });
    const { data } = await controller.api.changes.list({ kinds: ['identity'], limit: 500 });
    return data
      .filter(({ before, after }) => (after ?? before)?.roleAttributes.includes(user.team))
      .map(({ at, actor, action, reason, before, after }) => ({ at, actor, action, reason, device: (after ?? before)?.name }));
  });
  app.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.text(controller)));
  // At the root, because the address in enrollment tokens has no path. The routes above take precedence.
  app.register(fastifyPlugin(controller.only(surfaces.client)));
  return app;
};
