import { Hono } from 'hono';
import { honoHandler } from '../../../adapters/http/hono.ts';
import { type NodeBindings, webListener } from '../../../examples/hosts/web.ts';
import { httpSuite } from '../http.suite.ts';

httpSuite({
  name: 'Hono',
  application: (controller, mount) => {
    const app = new Hono<{ Bindings: NodeBindings }>();
    app.use(async (c, next) => {
      c.header('x-host', 'yes');
      await next();
    });
    app.all(`${mount}/*`, honoHandler(controller, { mount }));
    app.notFound((c) => c.body(null, 418));
    return webListener((request, bindings) => app.fetch(request, bindings));
  },
  deviations: [{ test: 'methods that few know are 405, too', reason: 'a web-standard request cannot have the method TRACE' }],
});
