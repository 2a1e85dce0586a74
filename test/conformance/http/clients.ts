import assert from 'node:assert/strict';
import { issuedByIntermediate, selfSigned } from '../../adapters/http/certificates.ts';
import type { Behaviour } from '../../unit/http/fake-api.ts';
import type { Sentences } from '../http.suite.ts';
import { API, connect, head, MOUNT } from './host.ts';

const certificates: Behaviour = (source) => source.peerCertificates?.map((der) => Buffer.from(der).toString('base64'));
const base64 = (der: Uint8Array) => Buffer.from(der).toString('base64');

/** Who asks, and when they leave. */
export const clients: Sentences = {
  'certificates of the client are handed in, leaf first, verified by nobody': async (open) => {
    const server = await open({ secure: true, behaviours: { version: certificates } });
    const presented = async (pair?: { readonly key: string; readonly cert: string }) =>
      (await server.ask('GET', `${MOUNT}/version`, pair ? { pair } : {})).json.data;
    const unknown = selfSigned('unknown');
    const { leaf, intermediate } = issuedByIntermediate('chained');
    assert.deepEqual(await presented(unknown), [base64(unknown.der)]);
    assert.deepEqual(await presented({ key: leaf.key, cert: leaf.cert + intermediate.cert }), [base64(leaf.der), base64(intermediate.der)]);
  },

  'who presents no certificate is served over TLS': async (open) => {
    const server = await open({ secure: true, behaviours: { version: certificates } });
    assert.deepEqual((await server.ask('GET', `${MOUNT}/version`)).json.data, []);
  },

  'the address of the client is known': async (open) => {
    const server = await open({ behaviours: { version: (source) => source.remoteAddress } });
    assert.equal((await server.ask('GET', `${MOUNT}/version`)).json.data, '127.0.0.1');
  },

  'several Authorization headers all count': async (open) => {
    const server = await open({ behaviours: { version: (source) => source.credentials } });
    const bare = connect(server);
    bare.write(head('GET', `${MOUNT}/version`, 'Authorization: Bearer a', 'AUTHORIZATION: Bearer b'));
    assert.match(await bare.until(/"meta"/), /"authorization":"Bearer a, Bearer b"/);
    bare.socket.destroy();
  },

  'a client that goes away aborts the work': async (open) => {
    const { promise: aborted, resolve } = Promise.withResolvers<string>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const server = await open({
      behaviours: {
        get: (source) => {
          source.signal?.addEventListener('abort', () => resolve('aborted'));
          begin();
          return aborted;
        },
      },
    });
    const bare = connect(server);
    bare.write(head('GET', `${API}/things/a`));
    await begun;
    bare.socket.destroy();
    assert.equal(await aborted, 'aborted');
  },

  'work that is answered is not aborted afterwards': async (open) => {
    let signal: AbortSignal | undefined;
    const server = await open({
      behaviours: {
        version: (source) => {
          signal = source.signal;
          return {};
        },
      },
    });
    const bare = connect(server);
    bare.write(head('GET', `${MOUNT}/version`, 'Connection: close'));
    await bare.closed;
    assert.equal(signal?.aborted, false);
  },

  'a connection is kept for the next request': async (open) => {
    const bare = connect(await open());
    for (const id of ['first', 'second']) {
      bare.write(head('GET', `${API}/things/${id}`));
      await bare.until(new RegExp(`"id":"${id}"`));
    }
    bare.socket.destroy();
  },
};
