import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApp } from '../support/app.ts';

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const described = (document: object): Document => document as Document; // what the schema of OpenAPI demands is tested with the document itself

test('a host gets the OpenAPI document of the groups and the surface that it mounts', async () => {
  await using app = await openApp('memory', { settings: { address: 'https://overlay.example.com' } });
  const { openapi, servers, paths } = described(app.controller.openapi({ groups: ['identities', 'currentIdentity'], surface: 'client' }));
  assert.match(openapi, /^3\.1\./);
  assert.deepEqual(servers, [{ url: 'https://overlay.example.com/edge/client/v1' }]);
  assert.ok('/current-identity' in paths && !('/identities' in paths), 'the client API has no identities');
  const all = described(app.controller.openapi());
  assert.ok(['/edge/management/v1/identities', '/edge/client/v1/services', '/oidc/oauth/token'].every((path) => path in all.paths));
  const some = described(app.controller.openapi({ groups: ['services'], surface: 'management' }));
  assert.ok(Object.keys(some.paths).every((path) => path.startsWith('/services')));
  assert.ok(Object.keys(some.components.schemas).length < Object.keys(all.components.schemas).length);
});

test('without the OpenID provider, its operations are not described', async () => {
  await using app = await openApp('memory', { oidc: false });
  assert.ok(!Object.keys(described(app.controller.openapi()).paths).some((path) => path.startsWith('/oidc')));
});

test('unknown groups, surfaces and options are refused by name', async () => {
  await using app = await openApp('memory');
  const openapi = (options: object) => () => app.controller.openapi(options);
  assert.throws(openapi({ groups: ['identitys'] }), /openapi: this controller has no group 'identitys', but .*identities/);
  assert.throws(openapi({ surface: 'manage' }), /openapi takes the surfaces management, client, .*got 'manage'/);
  assert.throws(openapi({ group: [] }), /openapi has no option 'group': did you mean 'groups'\?/);
});
