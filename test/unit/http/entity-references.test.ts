/** What the OpenAPI document says about the entities that bodies name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groups } from '../../../src/contract/api/index.ts';
import type { JsonSchema } from '../../../src/contract/api/surfaces/json-schema.ts';
import { openApiDocument } from '../../../src/http/openapi.ts';

test('a property of a body says which entities its value names, also inside of documents, and by the keys of maps', () => {
  const document = openApiDocument(Object.values(groups), { address: 'https://overlay.example.com' }) as {
    readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
  };
  const { schemas } = document.components;
  const refersTo = (schema: string, ...path: readonly string[]) =>
    path.reduce<JsonSchema | undefined>((inner, name) => {
      const whole = inner?.$ref === undefined ? inner : schemas[inner.$ref.split('/').at(-1) ?? ''];
      return whole?.properties?.[name] as JsonSchema | undefined; // a property is an object here
    }, schemas[schema])?.['x-refers-to'];
  assert.deepEqual(refersTo('ServiceCreate', 'configs'), { collection: 'configs', by: 'id' });
  assert.deepEqual(refersTo('IdentityPatch', 'authPolicyId'), { collection: 'auth-policies', by: 'id' });
  assert.deepEqual(refersTo('IdentityPatch', 'roleAttributes'), { collection: 'identities', by: 'attribute' });
  assert.deepEqual(refersTo('IdentityPatch', 'serviceHostingCosts'), { collection: 'services', by: 'id', in: 'keys' });
  assert.deepEqual(refersTo('IdentityPatch', 'roleAttributeGrants'), { collection: 'identities', by: 'attribute', in: 'keys' });
  assert.deepEqual(refersTo('IdentityCreate', 'enrollment', 'ottca'), { collection: 'cas', by: 'id' });
  assert.deepEqual(refersTo('CaCreate', 'identityRoles'), { collection: 'identities', by: 'attribute' });
  assert.deepEqual(refersTo('TerminatorCreate', 'router'), { collection: 'transit-routers', by: 'id' });
  assert.deepEqual(refersTo('ServicePolicyCreate', 'postureCheckRoles'), { collection: 'posture-checks', by: 'selector' });
  assert.deepEqual(refersTo('PostureCheckMfaPatch', 'roleAttributes'), { collection: 'posture-checks', by: 'attribute' });
  assert.deepEqual(refersTo('AuthPolicyCreate', 'primary', 'extJwt', 'allowedSigners'), { collection: 'external-jwt-signers', by: 'id' });
  assert.equal(refersTo('ServiceCreate', 'name'), undefined);
});
