import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonGeneralNames } from '@peculiar/x509';
import { type App, onEveryStore } from '../support/app.ts';
import { post } from '../support/enrolling.ts';
import { csr, sharedPki } from '../support/pki.ts';
import { assertRefused } from '../support/refusals.ts';
import { certificatesIn, enrollRouter, presented, type RouterPath, requestsOf, routerToEnroll } from '../support/routers.ts';

const PATHS: readonly RouterPath[] = ['/edge-routers', '/routers'];
type Names = Readonly<JsonGeneralNames>;

/** `a.example`, `10.0.0.1` or `2001:db8::1`, as a request has them. */
const names = (...hosts: readonly string[]): Names =>
  hosts.map((value) => ({ type: value.includes(':') || /^[\d.]+$/.test(value) ? 'ip' : 'dns', value }));

/** The names in a server's certificate, in the text form of Node. */
const namesIn = (pem: string): readonly string[] =>
  certificatesIn(pem)[0]
    ?.subjectAltName?.split(', ')
    .map((name) => name.replace(/^.*?:/, '')) ?? [];

interface Enrolled {
  readonly id: string;
  readonly serverCert: string;
  readonly names: readonly string[];
  /** New certificates for these names. */
  extend(server: Names): Promise<readonly string[]>;
  connect(): ReturnType<App['controller']['presence']['connect']>;
}

/** A new router that asks for these names. */
const enrolled = async (
  app: App,
  server: Names,
  { path = '/edge-routers', client = [], commonName, name }: { path?: RouterPath; client?: Names; commonName?: string; name?: string } = {},
): Promise<Enrolled> => {
  const { id, token } = await routerToEnroll(app, path, name === undefined ? {} : { name });
  const { certCsr, serverCertCsr } = await requestsOf(id, { client, server });
  const own = commonName === undefined ? serverCertCsr : (await csr(commonName, { names: [...server] })).csr;
  const { status, body, text } = await enrollRouter(app, path, token, { certCsr, serverCertCsr: own });
  assert.equal(status, 200, text);
  let certificates = presented(body.data.cert);
  return {
    id,
    serverCert: body.data.serverCert,
    names: namesIn(body.data.serverCert),
    extend: async (news) => {
      const answer = await post(app, '/enroll/extend/router', { body: await requestsOf(id, { client, server: news }), certificates });
      assert.equal(answer.status, 200, `${answer.status} ${answer.text}`);
      certificates = presented(answer.body.data.cert);
      return namesIn(answer.body.data.serverCert);
    },
    connect: () => app.controller.presence.connect({ certificates }),
  };
};

const settings = { address: 'https://ctrl.example:1280' };

onEveryStore('names in the certificates of routers', (open) => {
  test('a router is reached under the names and addresses that it asked for', async () => {
    await using app = await open({ settings });
    for (const [i, path] of PATHS.entries()) {
      const hosts = [`r${i}.example`, `*.r${i}.example`, `single${i}`, 'localhost', `192.0.2.${i}`, '127.0.0.1'];
      const given = await enrolled(app, names(...hosts, `2001:db8::${i + 1}`, '::1'), { path });
      assert.deepEqual(given.names, [...hosts, `2001:DB8:0:0:0:0:0:${i + 1}`, '0:0:0:0:0:0:0:1']);
    }
  });

  test("no router gets the controller's own names, in whatever form it asks for them", async () => {
    await using app = await open({ settings, member: { name: 'one', ctrlAddress: 'tls:ctrl-routers.example:6262' } });
    const asked = names(
      'ctrl.example',
      'CTRL.Example',
      'ctrl.example.',
      '*.example',
      '*.ctrl.example',
      'ctrl-routers.example',
      'mine.example',
      '',
    );
    assert.deepEqual((await enrolled(app, asked)).names, ['*.ctrl.example', 'mine.example']);
    for (const commonName of ['CN=ctrl.example', 'CN=Ctrl.Example.', 'CN=mine2.example, CN=ctrl.example']) {
      const { serverCert, id } = await enrolled(app, [], { commonName });
      assert.equal(certificatesIn(serverCert)[0]?.subject, `CN=${id}`, commonName);
    }
    const { serverCert } = await enrolled(app, [], { commonName: 'O=us, CN=a router of ours' });
    assert.equal(certificatesIn(serverCert)[0]?.subject, 'O=us\nCN=a router of ours');
  });

  test('nor its addresses', async () => {
    await using app = await open({ settings: { address: 'https://192.0.2.10:1280' } });
    const asked = names('192.0.2.10', '::ffff:c000:20a', '::ffff:c000:20c', '192.0.2.11', '::ffff:c000:20b');
    assert.deepEqual((await enrolled(app, asked)).names, ['192.0.2.12', '192.0.2.11']);
    await using other = await open({ settings: { address: 'https://[2001:db8::a]:1280' } });
    assert.deepEqual((await enrolled(other, names('2001:db8:0::a', '2001:db8::b'))).names, ['2001:DB8:0:0:0:0:0:B']);
    const { serverCert, id } = await enrolled(app, [], { commonName: 'CN=192.0.2.10' });
    assert.equal(certificatesIn(serverCert)[0]?.subject, `CN=${id}`);
  });

  test('a name in the certificates of a router is given to no other one, also by a wildcard, and not to be taken by extending', async () => {
    await using app = await open({ settings });
    const first = await enrolled(app, names('a.r.example', '192.0.2.1', '*.w.example'), { client: names('client.example') });
    const asked = names(
      'A.R.example',
      '*.r.example',
      '192.0.2.1',
      '::ffff:c000:201',
      'x.w.example',
      '*.w.example',
      'y.x.w.example',
      'client.example',
      'b.r.example',
    );
    for (const path of PATHS) {
      const second = await enrolled(app, asked, { path });
      assert.deepEqual(second.names, path === '/edge-routers' ? ['y.x.w.example', 'b.r.example'] : []);
      if (path === '/edge-routers') assert.deepEqual(await second.extend(asked), ['y.x.w.example', 'b.r.example']);
    }
    // Its own ones stay its own, and what it gives up is free.
    assert.deepEqual(await first.extend(names('a.r.example', '192.0.2.1')), ['a.r.example', '192.0.2.1']);
    assert.deepEqual((await enrolled(app, names('z.w.example'))).names, ['z.w.example']);
    await app.request('DELETE', `/edge-routers/${first.id}`);
    assert.deepEqual((await enrolled(app, names('a.r.example'))).names, ['a.r.example']);
  });

  test('a name stays with a router that must enroll again, and comes back to it', async () => {
    await using app = await open({ settings });
    const { id } = await enrolled(app, names('a.example'));
    assert.equal((await app.request('POST', `/edge-routers/${id}/re-enroll`)).status, 200);
    assert.deepEqual((await enrolled(app, names('a.example'))).names, []);
    const { enrollmentToken } = (await app.request('GET', `/edge-routers/${id}`)).body.data;
    const { body } = await enrollRouter(app, '/edge-routers', enrollmentToken, await requestsOf(id, { server: names('a.example') }));
    assert.deepEqual(namesIn(body.data.serverCert), ['a.example']);
  });

  test("names in a client's request for another's host neither give it away nor take it", async () => {
    await using app = await open({ settings });
    const victim = await enrolled(app, names('a.example'));
    await enrolled(app, [], { client: names('a.example', 'ctrl.example') });
    assert.deepEqual(await victim.extend(names('a.example')), ['a.example']);
  });

  test('the name of a record is for its router alone', async () => {
    await using app = await open({ settings });
    const { id, token } = await routerToEnroll(app, '/routers', { name: 'fra1.example' });
    assert.deepEqual((await enrolled(app, names('FRA1.example', '*.example2'))).names, ['*.example2']);
    const { body } = await enrollRouter(app, '/routers', token, await requestsOf(id, { server: names('fra1.example') }));
    assert.deepEqual(namesIn(body.data.serverCert), ['fra1.example']);
  });

  test('where another router says that it is reached is its own, but no lie takes what a router has in its certificates', async () => {
    await using app = await open({ settings });
    const first = await enrolled(app, names('a.example'));
    const liar = await enrolled(app, []);
    const connection = await liar.connect();
    await connection.hello({
      listeners: [
        { protocol: 'tls', hostname: 'B.example', port: 1 },
        { protocol: 'ws', hostname: '2001:db8::5', port: 1 },
        { protocol: 'wss', hostname: 'a.example', port: 1 },
      ],
    });
    assert.deepEqual(await first.extend(names('a.example', 'b.example', '*.example', '2001:db8::5', 'c.example')), [
      'a.example',
      'c.example',
    ]);
    assert.deepEqual(await liar.extend(names('b.example')), ['b.example']);
  });

  test('of two routers that ask for one name at the same time one gets it, and the other is asked to send its requests again', async () => {
    const { root, signer } = await sharedPki();
    let meanwhile: (() => Promise<unknown>) | undefined;
    const key = async (bytes: Uint8Array<ArrayBuffer>) => {
      const now = meanwhile;
      meanwhile = undefined;
      await now?.();
      return signer.holder.sign(bytes);
    };
    await using app = await open({ settings, pki: { certificates: signer.cert, anchors: root.cert, key } });
    const { id, token } = await routerToEnroll(app, '/edge-routers');
    const send = async () => enrollRouter(app, '/edge-routers', token, await requestsOf(id, { server: names('a.example', 'b.example') }));
    // The name is found free, and given to another router while the certificate is being signed.
    meanwhile = async () => assert.deepEqual((await enrolled(app, names('a.example'), { path: '/routers' })).names, ['a.example']);
    assertRefused(await send(), 409, 'CONFLICT');
    assert.equal((await app.request('GET', `/edge-routers/${id}`)).body.data.isVerified, false);
    const { status, body } = await send();
    assert.deepEqual([status, namesIn(body.data.serverCert)], [200, ['b.example']]);
    const third = await enrolled(app, []);
    meanwhile = async () => assert.deepEqual((await enrolled(app, names('c.example'))).names, ['c.example']);
    await assert.rejects(third.extend(names('c.example')), /409/);
    assert.deepEqual(await third.extend(names('c.example', 'd.example')), ['d.example']);
  });

  test('the setting of the host restricts them further, the common name too', async () => {
    await using app = await open({ settings: { ...settings, address: 'https://ctrl.r.example:1280', routerNames: ['*.r.example'] } });
    const asked = names('a.r.example', 'ctrl.r.example', 'bank.example', 'localhost', '10.0.0.1');
    const { names: given, serverCert, id } = await enrolled(app, asked, { commonName: 'CN=bank.example' });
    assert.deepEqual([given, certificatesIn(serverCert)[0]?.subject], [['a.r.example'], `CN=${id}`]);
    await using none = await open({ settings: { ...settings, routerNames: [] } });
    assert.deepEqual((await enrolled(none, names('a.example', 'own.example'), { name: 'own.example' })).names, ['own.example']);
  });
});
