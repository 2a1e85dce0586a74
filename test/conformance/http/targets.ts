import assert from 'node:assert/strict';
import type { CallSource } from '../../../src/call/call-source.ts';
import type { Sentences } from '../http.suite.ts';
import { API, MOUNT } from './host.ts';

/** Methods, paths and queries. */
export const targets: Sentences = {
  'a request is answered with status, headers and body': async (open) => {
    const server = await open();
    const { status, headers, json } = await server.ask('GET', `${API}/things/a`);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['server'], 'overlay-controller');
    assert.equal(headers['expiration-seconds'], '1800');
    assert.deepEqual(json.data, { id: 'a' });
  },

  'the controller answers at its mount point and below, and nowhere else': async (open) => {
    const server = await open();
    const status = async (path: string) => (await server.ask('GET', path)).status;
    const below = [MOUNT, `${MOUNT}/`, `${MOUNT}?x=1`, `${MOUNT}/version`, `${MOUNT}/nope`].map(status);
    assert.deepEqual(await Promise.all(below), [200, 200, 200, 200, 404]);
    const beside = ['/', '/other', '/overlayed', '/overlayed/version'].map(status);
    assert.deepEqual(await Promise.all(beside), [418, 418, 418, 418]);
  },

  'the controller knows the path that it is mounted at': async (open) => {
    const mounts: unknown[] = [];
    const note = ({ mount }: CallSource) => void mounts.push(mount);
    const behaviours = { root: note, version: note };
    const server = await open({ behaviours });
    for (const path of [MOUNT, `${MOUNT}/`, `${MOUNT}?x=1`, `${MOUNT}/version?x=/overlay`]) await server.ask('GET', path);
    assert.deepEqual(mounts, [MOUNT, MOUNT, MOUNT, MOUNT]);
    await (await open({ behaviours, mount: '' })).ask('GET', '/version');
    assert.equal(mounts.at(-1), '');
  },

  'mounted at the root, it answers everything': async (open) => {
    const server = await open({ mount: '' });
    const status = async (path: string) => (await server.ask('GET', path)).status;
    const paths = ['/', '/version', '/edge/management/v1/things/a', '/nope', '/edge/management/v1'];
    assert.deepEqual(await Promise.all(paths.map(status)), [200, 200, 200, 404, 200]);
  },

  'an unknown path below it is 404 in the envelope, and an unknown method 405': async (open) => {
    const server = await open();
    const unknown = await server.ask('GET', `${API}/nope`);
    assert.deepEqual([unknown.status, unknown.json.error.cause.message], [404, 'path /edge/management/v1/nope was not found']);
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const { status, json } = await server.ask(method, `${API}/things`);
      assert.deepEqual([method, status, json.error.code], [method, 405, 'METHOD_NOT_ALLOWED']);
    }
  },

  'methods that few know are 405, too': async (open) => {
    const server = await open();
    for (const method of ['TRACE', 'PROPFIND', 'PURGE']) {
      const { status, json } = await server.ask(method, `${API}/things`);
      assert.deepEqual([method, status, json?.error.code], [method, 405, 'METHOD_NOT_ALLOWED']);
    }
  },

  'an encoded slash stays inside its segment': async (open) => {
    const server = await open();
    const { json } = await server.ask('GET', `${API}/things/a%2Fb%20%C3%A9/parts/c%3Fd`);
    assert.deepEqual(json.data, { id: 'a/b é', part: 'c?d' });
  },

  'doubled slashes and one at the end lead to the same operation': async (open) => {
    const server = await open();
    for (const path of ['/things/a/', '//things/a', '/things//a', '//things//a//']) {
      const { status, json } = await server.ask('GET', `${API}${path}`);
      assert.deepEqual([path, status, json?.data], [path, 200, { id: 'a' }]);
    }
  },

  'a malformed escape in the path is 400': async (open) => {
    const server = await open();
    for (const path of ['/things/%zz', '/%', '/things/%ff']) assert.equal((await server.ask('GET', `${API}${path}`)).status, 400, path);
  },

  'a query reaches the operation as it is on the wire': async (open) => {
    const server = await open();
    const { json } = await server.ask(
      'GET',
      `${API}/things?filter=a+%2B%20%26%3D%C3%A9&roleFilter=%23x&roleFilter=%23y&filter=second&[]=1`,
    );
    assert.deepEqual(json.data, [{ filter: 'a + &=é', roleFilter: ['#x', '#y'] }]);
  },

  'HEAD has the status and no body': async (open) => {
    const { status, text } = await (await open()).ask('HEAD', `${API}/things`);
    assert.deepEqual([status, text], [405, '']);
  },

  'preflights of browsers are answered by the controller': async (open) => {
    const server = await open({ settings: { corsOrigins: ['https://console.test'] } });
    const { status, headers, text } = await server.ask('OPTIONS', `${API}/things`, {
      headers: { origin: 'https://console.test', 'access-control-request-method': 'POST', 'access-control-request-headers': 'zt-session' },
    });
    assert.deepEqual([status, text], [200, '']);
    assert.equal(headers['access-control-allow-origin'], 'https://console.test');
    assert.equal(headers['access-control-allow-headers'], 'zt-session');
    assert.match(headers['access-control-allow-methods'] ?? '', /PATCH/);
    const granted = await server.ask('GET', `${MOUNT}/version`, { headers: { origin: 'https://console.test' } });
    assert.equal(granted.headers['access-control-allow-origin'], 'https://console.test');
  },
};
