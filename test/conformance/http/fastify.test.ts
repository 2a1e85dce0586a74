import fastify from 'fastify';
import { fastifyPlugin } from '../../../adapters/http/fastify.ts';
import { httpSuite } from '../http.suite.ts';

httpSuite({
  name: 'Fastify',
  application: async (controller, mount) => {
    const app = fastify();
    app.addHook('onRequest', async (_, reply) => void reply.header('x-host', 'yes'));
    app.setNotFoundHandler((_, reply) => reply.code(418).send());
    app.register(fastifyPlugin(controller), { prefix: mount });
    await app.ready();
    return (req, res) => app.routing(req, res);
  },
  deviations: [
    { test: 'methods that few know are 405, too', reason: 'Fastify routes only the methods that it was told of' },
    { test: 'a media type that is none is 415 in the envelope', reason: 'Fastify answers 415 itself' },
  ],
});
