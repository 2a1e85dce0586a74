/**
 * A controller in route handlers of Next.js: `node examples/next.ts`, with the options of `npm start`. In an application,
 * `app/[[...path]]/route.ts` only has to export the result of `nextHandlers`. The other code in this file replaces the router of Next.js,
 * which calls the export named after the method.
 */
import { nextHandlers } from '../adapters/http/next.ts';
import { run } from './hosts/run.ts';
import { webListener } from './hosts/web.ts';

await run((controller) => {
  const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nextHandlers(controller);
  const route = new Map(Object.entries({ GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS }));
  return webListener((request) => {
    if (new URL(request.url).pathname === '/health') return new Response('ok');
    return route.get(request.method)?.(request) ?? new Response(null, { status: 405 });
  });
});
