import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { openConsumer } from './consumer.ts';

const root = resolve(import.meta.dirname, '../..');
const entry = readFileSync(join(root, 'testing/index.ts'), 'utf8');
const exported = new Set(entry.match(/\b[A-Z]\w+/g));

/** The interfaces that the testing kit exports. */
const interfaces = globSync('testing/*.ts', { cwd: root }).flatMap((file) => {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements.filter(ts.isInterfaceDeclaration).filter(({ name }) => exported.has(name.text));
});

test('every member of what the testing kit exports has a sentence', () => {
  assert.ok(interfaces.length > 10);
  const bare = interfaces.flatMap((declaration) => [
    ...(ts.getJSDocCommentsAndTags(declaration).length > 0 ? [] : [declaration.name.text]),
    ...declaration.members
      .filter((member) => ts.getJSDocCommentsAndTags(member).length === 0)
      .map((member) => `${declaration.name.text}.${member.name?.getText()}`),
  ]);
  assert.deepEqual(bare, []);
});

test('results of the testing kit have the names of their types', () => {
  const consumer = openConsumer(`
import { testNetwork } from '../../testing/index.ts';
const network/*network*/ = await testNetwork/*testNetwork*/();
const lift/*lift*/ = await network.device/*device*/('lift 7', 'lifts');
const session/*session*/ = await lift.login();
const { name/*field*/ } = await session.currentIdentity.get();
const check = await network.postureCheck('linux', { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: [] }] });
// @ts-expect-error: a check of addresses has addresses
await network.postureCheck('address', { typeId: 'MAC', operatingSystems: [] });
export { check, name };
`);
  assert.deepEqual(consumer.faults(), []);
  assert.equal(consumer.hover('network').declaration, 'const network: TestNetwork');
  assert.equal(consumer.hover('lift').declaration, 'const lift: TestDevice');
  assert.equal(consumer.hover('session').declaration, 'const session: TestSession');
  assert.match(consumer.hover('testNetwork').documentation, /^Opens a controller on an in-memory store/);
  assert.match(consumer.hover('device').documentation, /^Creates an identity, and enrolls it with a one-time token/);
  assert.equal(consumer.hover('field').declaration, 'const name: string');
});
