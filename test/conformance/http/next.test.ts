import { type NextHandlers, nextHandlers } from '../../../adapters/http/next.ts';
import { webListener } from '../../../examples/hosts/web.ts';
import { httpSuite } from '../http.suite.ts';

const BLIND = 'Next.js tells a route nothing of the connection';

/** What Next.js does with the exports of a route: it calls the one that is named like the method. */
httpSuite({
  name: 'route handlers of Next.js',
  application: (controller, mount) => {
    const handlers = nextHandlers(controller, { mount });
    const isExported = (method: string): method is keyof NextHandlers => method in handlers;
    return webListener(async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname !== mount && !pathname.startsWith(`${mount}/`)) return new Response(null, { status: 418 });
      if (!isExported(request.method)) return new Response(null, { status: 405 });
      const response = await handlers[request.method](request);
      response.headers.set('x-host', 'yes');
      return response;
    });
  },
  deviations: [
    { test: 'a header of the controller wins over the same of the host', reason: 'what becomes of a Response is for its host to say' },
    { test: 'methods that few know are 405, too', reason: 'Next.js answers 405 itself for what a route cannot export' },
    { test: 'certificates of the client are handed in, leaf first, verified by nobody', reason: BLIND },
    { test: 'the address of the client is known', reason: BLIND },
  ],
});
