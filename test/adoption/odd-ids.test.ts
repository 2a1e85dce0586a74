import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../../adapters/http/node.ts';
import { nodePlatform } from '../../adapters/platform/node.ts';
import { AdoptionRefused } from '../../adopt/conversion/index.ts';
import { createClient, each } from '../../client/index.ts';
import { adoptSeeds, FORMER_ADMIN, openAdopted } from '../support/adopted.ts';
import { PASSWORD } from '../support/app.ts';
import { formerPassword } from '../support/former-password.ts';

const ODD = [
  ...[
    '-',
    '--',
    '.x',
    'x.',
    '..x',
    '...',
    '-a-',
    'a/b',
    '/',
    '../..',
    '%',
    '%2F',
    '%2e%2e',
    'a b',
    ' ',
    '"',
    '\\',
    "' or true or '",
    '?a#b',
  ],
  ...['" or true or id > "', '@i', '#all', '__proto__', 'constructor', 'Ünï😀', '\u202e', 'x'.repeat(600)],
];

test('entities with odd ids are read, written, selected, filtered and deleted over HTTP', async () => {
  const authenticators = [
    { id: 'a', identity: FORMER_ADMIN.id, method: 'updb', updbUsername: 'admin', ...(await formerPassword(PASSWORD)) },
  ];
  const edge = { encryptionRequired: true, roleAttributes: [], configs: [] };
  await using adopted = await openAdopted(
    'sqlite',
    {
      identities: ODD.map((id, i) => ({ id, name: `identity ${i}` })),
      services: ODD.map((id, i) => ({ id, name: `service ${i}`, edge })),
      servicePolicies: [
        { id: '-.', name: 'p', type: 1, semantic: 'AnyOf', identityRoles: ODD.map((id) => `@${id}`), serviceRoles: ['#all'] },
      ],
      authenticators,
    },
    { open: { platform: { passwords: nodePlatform().passwords } } },
  );
  assert.deepEqual(adopted.report.losses, []);
  const { port, close } = await serve({ controller: adopted.app.controller, port: 0 });
  try {
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, credentials: { username: 'admin', password: PASSWORD } });
    const policy = await client.servicePolicies.get({ id: '-.' });
    assert.deepEqual(new Set(policy.identityRoles), new Set(ODD.map((id) => `@${id}`)));
    for (const [i, id] of ODD.entries()) {
      const shown = await client.identities.get({ id });
      assert.deepEqual([shown.id, shown.name], [id, `identity ${i}`]);
      await client.identities.replace({ id, body: { ...shown, type: 'Default', roleAttributes: ['seen'] } });
      const page = async <T>(rows: AsyncIterable<T>) => {
        const all: T[] = [];
        for await (const row of rows) all.push(row);
        return all.length;
      };
      assert.equal(await page(each(client.identities.listServices, { id })), ODD.length - i);
      await client.services.delete({ id });
    }
    const ids: string[] = [];
    for await (const identity of each(client.identities.list, { filter: 'anyOf(roleAttributes) = "seen"' })) ids.push(identity.id);
    assert.deepEqual(new Set(ids), new Set(ODD));
    assert.equal((await client.services.list({})).data.length, 0);
  } finally {
    await close();
  }
});

test('all pages are read, whatever the ids at their ends are', async () => {
  const identities = Array.from({ length: 1200 }, (_, i) => ({ id: `" or true or id > "${String(i).padStart(4, '0')}`, name: `i${i}` }));
  await using adopted = await openAdopted('memory', { identities });
  const ids = new Set<string>();
  for await (const { id } of each(adopted.app.controller.api.identities.list)) {
    assert.equal(ids.has(id), false, 'an entity comes twice');
    ids.add(id);
  }
  assert.equal(ids.size, 1201);
});

test('a network with ids that no request can name is refused, with the entities, whatever is allowed', async () => {
  for (const id of ['', '.', '..', 'a\nb', '\u001b[2J', 'x'.repeat(3000)]) {
    const seeds = {
      identities: [FORMER_ADMIN],
      services: [{ id, name: 'odd one', edge: { encryptionRequired: true, roleAttributes: [], configs: [] } }],
    };
    const { refusals } = await adoptSeeds(seeds, { plan: true });
    assert.equal(refusals.length, 1);
    assert.match(refusals[0] ?? '', /^services "odd one" has the id ".*", which no request can name$/);
    await assert.rejects(openAdopted('memory', seeds, { allow: ['limits'] }), AdoptionRefused);
  }
  const identities = Array.from({ length: 100 }, (_, i) => ({ id: `\n${i}`, name: `i${i}` }));
  const { refusals } = await adoptSeeds({ identities }, { plan: true });
  assert.deepEqual([refusals.length, refusals.at(-1)], [21, '80 more entities have such an id']);
});
