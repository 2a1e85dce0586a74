/** What an editor shows to those who use the package: names, and a sentence for each. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { examples } from '../../scripts/types/examples.ts';
import { groups } from '../../src/contract/api/index.ts';
import { openConsumer } from './consumer.ts';

const root = resolve(import.meta.dirname, '../..');

const CODE = `
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { createClient } from '../../client/index.ts';
import { type IdentitiesApi, type Identity, type IdentityCreate, ManagementController, type PostureCheck, previewing, type ServicePolicyPatch } from '../../src/index.ts';

const controller = await ManagementController.open/*open*/({ storage: memoryStorage() });
const { identities/*group*/, postureChecks, authPolicies } = controller.api;
const created/*created*/ = await identities.create/*create*/({ body: { name/*input*/: 'ann', type: 'User', isAdmin: false } });
const identity/*identity*/ = await controller.api.identities.get(created);
identity.roleAttributes/*field*/;
identity.disabledUntil/*optional*/;
const page/*page*/ = await identities.list({ /*query*/ });
const client = createClient({ baseUrl: 'https://controller.test' });
const remote/*remote*/ = await client.identities.get/*clientGet*/({ id: 'x' });
const body: IdentityCreate = { name: 'ann', type: 'User', isAdmin: false, externalId/*written*/: undefined };
const patch: ServicePolicyPatch = { semantic/*patched*/: 'AnyOf' };
const only = (api: IdentitiesApi): Promise<Identity> => api.get({ id: 'x' });
only(identities);
const check: PostureCheck = await postureChecks.get({ id: 'x' });
if (check.typeId === 'MAC') check/*variant*/.macAddresses.join();
const policy = await authPolicies.get({ id: 'x' });
policy.secondary.requireExtJwtSigner/*nullable*/;
const { access } = await previewing(controller.api).identities.delete({ id: 'x' });
access?.lost/*lost*/.map(({ policies/*policies*/ }) => policies);
const listener = () => undefined;
controller.events.on/*on*/('identity', listener);
controller.events.once/*once*/('change', listener);
controller.events.off/*off*/('identity', listener);
export { body, page, patch, remote };
`;

describe('what an editor shows', () => {
  const consumer = openConsumer(CODE);

  test('the code compiles', () => assert.deepEqual(consumer.faults(), []));

  test('how a controller is opened is said where it is opened', () => {
    const { declaration, documentation } = consumer.hover('open');
    assert.match(declaration, /Promise<ManagementController>/);
    assert.match(documentation, /^Opens a controller on a store/);
    assert.match(documentation, /@throws StoreSchemaMismatch/);
  });

  test('a group and its operations have names and sentences', () => {
    assert.match(consumer.hover('group').declaration, /identities: IdentitiesApi<CallOptions>$/);
    const { declaration, documentation } = consumer.hover('create');
    assert.match(declaration, /IdentitiesApi<CallOptions>\.create: .*readonly body: IdentityCreate;?.*Promise<Created>/s);
    assert.match(
      documentation,
      /^Create an identity\.\n\n`POST \/identities` of the management API\. For administrators, or sessions with the permission `identity\.create`\./,
    );
    assert.match(documentation, /@throws ApiError `COULD_NOT_VALIDATE` \(400\)/);
    assert.match(documentation, /@example .*controller\.api\.identities\.create\(/);
  });

  test('how changes are listened to is said where that begins and ends', () => {
    assert.match(consumer.hover('on').documentation, /^Calls a function for every change committed from now on.*@param name /s);
    assert.match(consumer.hover('once').documentation, /^Calls a function for the next change only/);
    assert.match(consumer.hover('off').documentation, /^Removes a listener\./);
  });

  test('results have the names of their types', () => {
    assert.equal(consumer.hover('created').declaration, 'const created: Created');
    assert.equal(consumer.hover('identity').declaration, 'const identity: Identity');
    assert.equal(consumer.hover('page').declaration, 'const page: Page<Identity>');
    assert.match(consumer.hover('variant').declaration, /: PostureCheckMacAddress$/);
  });

  test('a client shows the names that the controller shows', () => {
    assert.equal(consumer.hover('remote').declaration, 'const remote: Identity');
    assert.match(consumer.hover('clientGet').declaration, /IdentitiesApi<RemoteCallOptions>\.get/);
  });

  test('fields have sentences, in answers and in bodies', () => {
    const { declaration, documentation } = consumer.hover('field');
    assert.equal(declaration, '(property) Identity.roleAttributes: readonly string[] | null');
    assert.match(documentation, /^Role attributes, by which policies select the identity\./);
    for (const mark of ['optional', 'input', 'written', 'patched', 'nullable'])
      assert.notEqual(consumer.hover(mark).documentation, '', mark);
  });

  test('what a preview reports has sentences, and names of types', () => {
    assert.equal(consumer.hover('lost').declaration, '(property) lost: readonly AccessChange[]');
    assert.match(consumer.hover('lost').documentation, /^Access that exists only before the change\./);
    assert.notEqual(consumer.hover('policies').documentation, '');
  });

  test('undefined is said once', () => {
    assert.equal(consumer.hover('written').declaration, '(property) IdentityCreate.externalId?: string | null | undefined');
    assert.doesNotMatch(consumer.hover('nullable').declaration, /undefined \| undefined/);
    assert.doesNotMatch(consumer.hover('create').declaration, /undefined \| undefined/);
  });

  test('what a list takes is offered with a sentence for each', () => {
    for (const name of ['filter', 'sort', 'limit', 'offset', 'roleFilter']) assert.ok(consumer.offered('query', name), name);
  });
});

test('every operation is a member of the interface of its group, and has its summary there', () => {
  const names = Object.values(groups).flatMap(({ name, operations }) => Object.keys(operations).map((verb) => `${name}.${verb}`));
  const lines = names.map((name) => `controller.api.${name}/*${name}*/;`);
  const code = `import type { ManagementController } from '../../src/index.ts';\ndeclare const controller: ManagementController;\n${lines.join('\n')}`;
  const consumer = openConsumer(code);
  for (const { name, operations } of Object.values(groups))
    for (const [verb, { summary }] of Object.entries(operations)) {
      const { declaration, documentation } = consumer.hover(`${name}.${verb}`);
      assert.ok(declaration.includes(`Api<CallOptions>.${verb}: `), declaration);
      assert.ok(documentation.replaceAll(/\s+/g, ' ').startsWith(summary), documentation);
    }
});

test('the examples of operations compile', () => {
  const blocks = Object.values(examples).map((line) => `{\n${line}\n}`);
  const code = `
import type { ManagementController } from '../../src/index.ts';
declare const controller: ManagementController;
declare const id: string, identityId: string, serviceId: string;
${blocks.join('\n')}
export {};
`;
  assert.deepEqual(openConsumer(code).faults(), []);
});

test('no name of an operation has another meaning among what an entry point exports', () => {
  const folder = join(root, 'src/contract/types');
  const declared = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name),
  );
  assert.deepEqual(
    declared.filter((name, i) => declared.indexOf(name) !== i),
    [],
  );
  for (const entry of ['src/index.ts', 'client/index.ts']) {
    const own = readFileSync(join(root, entry), 'utf8').replaceAll(/^export type .* from '.*\/types\/\w+\.ts';$/gm, '');
    const exported: readonly string[] = own.match(/\b[A-Z]\w+/g) ?? [];
    assert.deepEqual(
      declared.filter((name = '') => exported.includes(name)),
      [],
      entry,
    );
  }
});
