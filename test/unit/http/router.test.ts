import assert from 'node:assert/strict';
import { test } from 'node:test';
import { surfaces } from '../../../src/contract/api/surfaces/index.ts';
import { type Prefix, surface } from '../../../src/contract/api/surfaces/surface.ts';
import { createRouter, type Route } from '../../../src/http/router.ts';
import { proves } from '../../specification.ts';
import { entriesOf, M } from './fake-api.ts';

const route = createRouter(entriesOf());
const found = (result: Route) =>
  result.is === 'found' ? `${result.surface.name} ${result.served.entry.verb} ${JSON.stringify(result.parameters)}` : result.is;

test('each prefix leads to its API', proves(2, 472), () => {
  const expected = {
    [`${M}/version`]: 'management version {}',
    '/edge/client/v1/version': 'client version {}',
    '/edge/v1/version': 'client version {}',
    '/version': 'client version {}',
    '/mine': 'client clientOnly {}',
    '/edge/v1/mine': 'client clientOnly {}',
    '/edge/management/extensions/v1/extra': 'extensions extra {}',
    '/.well-known/est/cacerts': 'client authorities {}',
    [`${M}/.well-known/est/cacerts`]: 'management authorities {}',
  };
  for (const [path, result] of Object.entries(expected)) assert.equal(found(route('GET', path)), result, path);
});

test('the root of every API is its root operation', () => {
  for (const path of ['/', '', M, `${M}/`, '/edge/client/v1', '/edge/client/v1/', '/edge/v1'])
    assert.match(found(route('GET', path)), /^(management|client) root \{\}$/, path);
});

test('paths of one API are unknown in another', () => {
  const everyPath = [
    '/things',
    '/edge/client/v1/things',
    `${M}/mine`,
    `${M}/extra`,
    '/extra',
    '/edge/management/v2/things',
    '/edge/management/things',
    '/edge/client/things',
    '/edge',
    '/edge/v2/version',
    '/fabric/v1/version',
    '/oidc/version',
    '/.well-known/nope',
    '/nope',
    `${M}/THINGS`,
    `${M}/things/a/nope`,
    '/edgefoo',
  ];
  for (const path of everyPath) {
    assert.equal(found(route('GET', path)), 'pathUnknown', path);
  }
});

test('slashes and dots are normalised', () => {
  for (const path of [
    `${M}/things/a`,
    `${M}/things/a/`,
    `${M}//things//a`,
    `/${M}/./things/./a`,
    `${M}/other/../things/a`,
    '/../edge/management/v1/things/x/../a',
  ]) {
    assert.equal(found(route('GET', path)), 'management get {"id":"a"}', path);
  }
});

test('an id is percent-decoded, and an encoded slash stays inside it', () => {
  assert.equal(found(route('GET', `${M}/things/a%2Fb`)), 'management get {"id":"a/b"}');
  assert.equal(found(route('GET', `${M}/things/%C3%A9%20x/parts/%2e%2e`)), 'management part {"id":"é x","part":".."}');
});

test('a malformed escape in the path is distinguished from an unknown path', () => {
  for (const path of [`${M}/things/%zz`, `${M}/things/%`, `${M}/things/%ff`, '/%'])
    assert.equal(found(route('GET', path)), 'malformed', path);
});

test('a path that no store can hold is not a known path', () => {
  for (const path of [`${M}/things/%00`, `${M}/things/a\0b`, `${M}/things/\ud800`]) assert.equal(found(route('GET', path)), 'pathUnknown');
});

test('a known path refuses other methods and names its own in order', () => {
  assert.deepEqual(route('PUT', `${M}/things`), { is: 'methodUnknown', allowed: ['GET', 'POST'], surface: surfaces.management });
  for (const method of ['HEAD', 'TRACE', 'get', 'PROPFIND', '']) assert.equal(route(method, `${M}/things`).is, 'methodUnknown', method);
});

test('a literal wins over a parameter, unless only the parameter has the method', () => {
  assert.equal(found(route('POST', `${M}/things/count`)), 'management count {}');
  assert.equal(found(route('GET', `${M}/things/count`)), 'management get {"id":"count"}');
  assert.equal(found(route('GET', `${M}/things/count/parts/1`)), 'management part {"id":"count","part":"1"}');
  assert.deepEqual(route('PUT', `${M}/things/count`), {
    is: 'methodUnknown',
    allowed: ['DELETE', 'GET', 'POST'],
    surface: surfaces.management,
  });
});

test('two operations at one place refuse to start, and are named', () => {
  const [first] = entriesOf();
  assert.ok(first);
  const twin = { ...first, operation: { ...first.operation, operationId: 'twin' } };
  assert.throws(() => createRouter([first, twin]), /GET \/ of the management API is declared twice: listRoot and twin/);
});

test('the longest prefix of a path decides which surface answers', () => {
  const mounted = (name: string, prefix: Prefix, ...aliases: Prefix[]) => surface({ ...surfaces.client, name, prefix, aliases });
  const [outer, inner, root] = [mounted('outer', '/a'), mounted('inner', '/a/b'), mounted('root', '/c', '/')];
  const [first] = entriesOf();
  assert.ok(first);
  const entry = { ...first, operation: { ...first.operation, path: '/x', surfaces: [outer, inner, root] } };
  const lead = createRouter([entry]);
  const led = (path: string) => {
    const result = lead('GET', path);
    return `${result.is} ${'surface' in result ? result.surface?.name : ''}`;
  };
  assert.deepEqual(['/a/x', '/a/b/x', '/c/x', '/x'].map(led), ['found outer', 'found inner', 'found root', 'found root']);
  assert.deepEqual(['/a/b/y', '/ab/x', '/b/x'].map(led), ['pathUnknown inner', 'pathUnknown root', 'pathUnknown root']);
  const twin = { ...entry, operation: { ...entry.operation, surfaces: [outer, mounted('twin', '/z', '/a')] } };
  assert.throws(() => createRouter([twin]), /two surfaces claim the prefix \/a, one of them twin/);
});

test('a prefix that no path has is refused where the surface is declared', () => {
  for (const prefix of ['/a/', '//', '/a b', '/{id}'] as const)
    assert.throws(() => surface({ ...surfaces.client, prefix }), {
      name: 'TypeError',
      message: `the surface client needs prefixes like /edge/client/v1, got '${prefix}'`,
    });
});

test('parameter names cannot reach an object’s prototype', () => {
  const result = route('GET', `${M}/things/__proto__`);
  assert.ok(result.is === 'found');
  assert.equal(result.parameters.id, '__proto__');
});
