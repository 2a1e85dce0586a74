import { fetchHandler, peerCertificates } from '../../../adapters/http/fetch.ts';
import { webListener } from '../../../examples/hosts/web.ts';
import { httpSuite } from '../http.suite.ts';

httpSuite({
  name: 'web-standard requests',
  application: (controller, mount) => {
    const handler = fetchHandler(controller, { mount });
    return webListener(async (request, { incoming: { socket } }) => {
      const { pathname } = new URL(request.url);
      if (pathname !== mount && !pathname.startsWith(`${mount}/`)) return new Response(null, { status: 418 });
      const response = await handler(request, { peerCertificates: peerCertificates(socket), remoteAddress: socket.remoteAddress });
      response.headers.set('x-host', 'yes');
      return response;
    });
  },
  deviations: [
    { test: 'methods that few know are 405, too', reason: 'a web-standard request cannot have the method TRACE' },
    { test: 'a header of the controller wins over the same of the host', reason: 'what becomes of a Response is for its host to say' },
  ],
});
