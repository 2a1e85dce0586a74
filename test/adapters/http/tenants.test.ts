import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { nodeHandler } from '../../../adapters/http/node.ts';
import { memoryDatabase, memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { openOverlays } from '../../../src/controller/tenants/index.ts';
import { fastPasswordHasher } from '../../../src/runtime/platform/testing.ts';
import { webPlatform } from '../../../src/runtime/platform/web.ts';

const VERSION = '/edge/management/v1/version';

test('on Node, the host name of a request chooses the tenant, by HTTP/1.1 and HTTP/2', async () => {
  const database = memoryDatabase();
  const overlays = await openOverlays({
    storage: (namespace) => memoryStorage({ database, namespace }),
    platform: webPlatform({ passwords: fastPasswordHasher() }),
    settings: { address: 'https://overlay.example.com' },
  });
  await overlays.create({ name: 'acme' });
  const handler = nodeHandler(overlays.handling(({ hostname }) => hostname.split('.')[0]));

  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const byHttp1 = async (host: string) => {
    const { port } = server.address() as AddressInfo; // it listens at a port
    const asking = request({ port, host: '127.0.0.1', path: VERSION, headers: { host }, agent: false }).end();
    const [answer] = await once(asking, 'response');
    answer.resume();
    return answer.statusCode;
  };
  assert.deepEqual([await byHttp1('acme.example.com:8080'), await byHttp1('bravo.example.com')], [200, 404]);
  server.close();

  const server2 = createHttp2Server(handler).listen(0, '127.0.0.1');
  await once(server2, 'listening');
  const session = connect(`http://127.0.0.1:${(server2.address() as AddressInfo).port}`); // as above
  const byHttp2 = async (authority: string) => {
    const stream = session.request({ ':path': VERSION, ':authority': authority });
    const [headers] = await once(stream, 'response');
    stream.resume();
    return headers[':status'];
  };
  assert.deepEqual([await byHttp2('acme.example.com:8080'), await byHttp2('bravo.example.com')], [200, 404]);
  session.close();
  server2.close();
  await overlays.close();
});
