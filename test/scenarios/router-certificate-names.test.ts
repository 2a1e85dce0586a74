import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { csr, SHARED_PKI } from '../support/pki.ts';
import { assertRefused } from '../support/refusals.ts';
import { certificatesIn, enrollRouter, fingerprintOf, requestsOf, routerToEnroll } from '../support/routers.ts';

onEveryStore('names in the certificates of routers', (open) => {
  test('the certificate for the server of a router names only what its name and the host allow', async () => {
    await using app = await open({ settings: { routerNames: ['*.routers.example', '10.1.0.0/16', '2001:db8::1'] } });
    const asked = [
      ...[
        'a.routers.example',
        'B.Routers.Example',
        'a.b.routers.example',
        '*.routers.example',
        'routers.example',
        'bank.example',
        'edge.example',
        'localhost',
      ].map((value) => ({ type: 'dns', value }) as const),
      ...['10.1.2.3', '10.2.0.1', '2001:db8::1', '2001:db8::2', '127.0.0.1'].map((value) => ({ type: 'ip', value }) as const),
      { type: 'email', value: 'a@bank.example' },
      { type: 'url', value: 'https://bank.example' },
    ] as const;
    const { id, token } = await routerToEnroll(app, '/edge-routers', { name: 'edge.example' });
    const { body } = await enrollRouter(app, '/edge-routers', token, await requestsOf(id, { server: asked }));
    const [leaf] = certificatesIn(body.data.serverCert);
    assert.deepEqual(leaf?.subjectAltName?.split(', '), [
      'DNS:a.routers.example',
      'DNS:B.Routers.Example',
      'DNS:edge.example',
      'IP Address:10.1.2.3',
      'IP Address:2001:DB8:0:0:0:0:0:1',
    ]);
  });

  test('whatever names routers ask for are in the certificates of their servers where the host lets them', async () => {
    await using app = await open({ settings: { routerNames: ['*'] } });
    const server = [
      { type: 'dns', value: 'bank.example' },
      { type: 'ip', value: '192.0.2.1' },
    ] as const;
    const { id, token } = await routerToEnroll(app, '/routers');
    const { body } = await enrollRouter(app, '/routers', token, await requestsOf(id, { server }));
    assert.equal(certificatesIn(body.data.serverCert)[0]?.subjectAltName, 'DNS:bank.example, IP Address:192.0.2.1');
  });

  test('no router gets a name that the network itself gives to others', async () => {
    await using app = await open();
    const { anchors } = await (SHARED_PKI.pki as () => Promise<{ anchors: string }>)();
    const network = `spiffe://${fingerprintOf(anchors)}`;
    const { id, token } = await routerToEnroll(app, '/edge-routers');
    const ask = async (value: string) =>
      enrollRouter(app, '/edge-routers', token, await requestsOf(id, { client: [{ type: 'url', value }] }));
    for (const value of [`${network}/identity/x/apiSession/y`, network.toUpperCase(), `${network}?x`])
      assertRefused(await ask(value), 400, 'COULD_NOT_PROCESS_CSR');
    assert.equal((await ask(`${network}.example/router`)).status, 200);
  });

  test('a plain router gets its id as common name, whatever it asks for, and keeps the names of its organisation', async () => {
    await using app = await open();
    const { id, token } = await routerToEnroll(app, '/routers');
    const { csr: certCsr } = await csr('C=CH, O=us, CN=someone else, OU=\\#beef, OU=here');
    const { body } = await enrollRouter(app, '/routers', token, { ...(await requestsOf('x')), certCsr });
    assert.equal(certificatesIn(body.data.cert)[0]?.subject, `O=us\nOU=here\nCN=${id}`);
  });
});
