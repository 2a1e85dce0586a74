import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer, temporaryFolder } from '../examples/child.ts';
import { commands } from './commands.ts';
import { blocks, blockWith } from './documents.ts';

const GUIDE = 'docs/guides/declarative.md';

test('the repository of the guide checks its pull requests, and is applied when they are merged', async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServer(t, folder, [], { ADMIN_PASSWORD: 'a-good-password' });
  const admin = await server.login('a-good-password');
  const created = async (path: string, body: object) => (await server.request('POST', path, { body, token: admin })).body.data;
  const tokenWith = async (name: string, ...permissions: readonly string[]) => {
    const identity = await created('/identities', { name, type: 'Service', isAdmin: false, permissions });
    const body = { identityId: identity.id, name, permissions, expiresAt: new Date(Date.now() + 86_400_000).toISOString() };
    return (await created('/../extensions/v1/api-tokens', body)).secret;
  };
  const reading = await tokenWith('checks', 'admin_readonly');
  const writing = await tokenWith('deployments', 'admin_readonly', 'service', 'service-policy');
  const trusted = { CONTROLLER: server.url, NODE_EXTRA_CA_CERTS: server.told('root certificate') ?? '' };
  const run = (lines: string, token: string) => commands(folder, lines, { ...trusted, API_TOKEN: token });

  const [divide = '', begin = '', check = '', deploy = ''] = blocks(GUIDE, 'sh');
  run(begin, reading);
  assert.equal(readFileSync(join(folder, 'network/web.yaml'), 'utf8'), '{}\n');
  const document = blockWith(GUIDE, 'yaml', '# network/web.yaml');
  writeFileSync(join(folder, 'network/web.yaml'), document);
  assert.match(run(check, reading), /^\+ services wiki\n(.*\n)*2 to create, 0 to update, 0 to delete, at revision \d+\n$/);
  assert.throws(() => run(deploy, reading), /API token has no permission|operation 1 \(services\.create\)/);
  assert.match(run(deploy, writing), /applied 2 operations: the network is now at revision \d+\n$/);
  assert.match(run(check, reading), /^no difference at revision \d+\n$/);

  writeFileSync(join(folder, 'network/web.yaml'), document.replace('serviceRoles', 'servicesRoles'));
  assert.throws(() => run(check, reading), /servicePolicies\.staff dial web has an unknown field servicesRoles: it may have name, /);
  writeFileSync(join(folder, 'network/web.yaml'), document.replace('"#staff"', '"#all"'));
  run(`${deploy.replace(/.*apply.*/, '')}`, writing);
  await created('/services', { name: 'meanwhile', encryptionRequired: true });
  assert.throws(() => run('npx overlay-controller apply --url "$CONTROLLER" --plan plan.json', writing), { status: 3 });
  run(deploy, writing);
  writeFileSync(join(folder, 'network/web.yaml'), 'owner: network-repository\nservices:\n');
  const apply = 'npx overlay-controller apply --url "$CONTROLLER" --document network/web.yaml --prune';
  assert.throws(() => run(`${apply} --max-lost none`, writing), /--max-lost must be a whole number from 0, got 'none'/);
  assert.match(run(check, reading), /^- servicePolicies staff dial web\n- services wiki\n/);
  assert.match(run(deploy, writing), /applied 2 operations/);

  writeFileSync(join(folder, 'network.ndjson'), '{"services":{"name":"divided","encryptionRequired":true}}\n');
  assert.match(run(divide, writing), /no difference at revision \d+\n$/);
  assert.match(run(deploy, writing), /applied 1 operations: the network is now at revision \d+\n$/);
  await server.stop();

  const exported = commands(folder, 'npx overlay-controller export --select services --format json');
  assert.deepEqual(JSON.parse(exported), { services: [{ name: 'meanwhile', encryptionRequired: true }] });
});
