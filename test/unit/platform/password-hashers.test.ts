import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nodePlatform } from '../../../adapters/platform/node.ts';
import type { PasswordHasher } from '../../../src/runtime/platform/platform.ts';
import { fastPasswordHasher } from '../../../src/runtime/platform/testing.ts';
import { webPlatform } from '../../../src/runtime/platform/web.ts';

const PASSWORD = 'pässword 😀 \0 with everything';
const node = nodePlatform().passwords;
const web = webPlatform().passwords;
const hashers: Readonly<Record<string, PasswordHasher>> = { node, web, 'for tests': fastPasswordHasher() };

const malformed = [
  '',
  'x',
  '$',
  '$argon2id$',
  '$argon2id$v=19$m=19456,t=2,p=1$$',
  '$argon2id$v=19$m=99999999,t=9,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '$argon2i$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '$test$i=10$',
  '$test$i=0$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '$2b$12$abcdefghijklmnopqrstuuSKxGEV0Ek3ttyQX4G8KYGXKvSO0f1GO',
];

for (const [name, hasher] of Object.entries(hashers)) {
  describe(`the password hasher of the platform (${name})`, () => {
    // A hash of this strength takes half a second in JavaScript: the tests share one.
    let hash: Promise<string> | undefined;
    const hashed = () => (hash ??= hasher.hash(PASSWORD));

    test('verifies the password that it hashed and no other, many at a time', async () => {
      const hash = await hashed();
      const others = ['', PASSWORD.slice(1), `${PASSWORD} `, PASSWORD.normalize('NFD')];
      const answers = await Promise.all([PASSWORD, ...others].map((password) => hasher.verify(password, hash)));
      assert.deepEqual(answers, [true, false, false, false, false]);
    });

    test('salts every hash anew, and does not call its own outdated', async () => {
      const [one, other] = [await hashed(), await hasher.hash(PASSWORD)];
      assert.notEqual(one, other);
      assert.equal(hasher.isOutdated(one), false);
    });

    test('takes a malformed hash for that of no password, and for outdated', async () => {
      for (const hash of malformed) assert.deepEqual([await hasher.verify('', hash), hasher.isOutdated(hash)], [false, true], hash);
    });
  });
}

test('hashes of one platform are good on the other', async () => {
  const [byNode, byWeb] = await Promise.all([node.hash(PASSWORD), web.hash(PASSWORD)]);
  assert.match(byNode, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.match(byWeb, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.deepEqual(
    await Promise.all([web.verify(PASSWORD, byNode), node.verify(PASSWORD, byWeb), web.verify('x', byNode), node.verify('x', byWeb)]),
    [true, true, false, false],
  );
});

test('half a surrogate pair is the same password on every platform', async () => {
  assert.equal(await web.verify('a\ud800', await node.hash('a\ud800')), true);
});

test('hashes of other parameters, from elsewhere, are good', async () => {
  // The reference implementation's own test: `echo -n password | argon2 somesalt -id -t 2 -m 8 -p 1`.
  const known = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  for (const hasher of [node, web]) {
    assert.equal(await hasher.verify('password', known), true);
    assert.equal(await hasher.verify('Password', known), false);
    assert.equal(hasher.isOutdated(known), true);
  }
});

test('hashes with weaker parameters than today are outdated, stronger ones are not', () => {
  const hash = (parameters: string, salt = 22, tag = 43) => `$argon2id$v=19$${parameters}$${'A'.repeat(salt)}$${'A'.repeat(tag)}`;
  for (const weak of [hash('m=19455,t=2,p=1'), hash('m=65536,t=1,p=1'), hash('m=19456,t=2,p=1', 14), hash('m=19456,t=2,p=1', 22, 32)])
    assert.equal(web.isOutdated(weak), true, weak);
  for (const strong of [hash('m=19456,t=2,p=1'), hash('m=65536,t=3,p=4')]) assert.equal(web.isOutdated(strong), false, strong);
});

test('the hasher for tests is quick, its hashes are of no use elsewhere, and fewer rounds are outdated', async () => {
  const hash = await fastPasswordHasher().hash('x');
  assert.match(hash, /^\$test\$i=10\$/);
  assert.equal(await web.verify('x', hash), false);
  assert.equal(fastPasswordHasher(20).isOutdated(hash), true);
  assert.equal(await fastPasswordHasher(20).verify('x', hash), true);
});

test('hashing does not hold up other work on Node', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await Promise.all([node.hash('a'), node.hash('b'), node.hash('c')]);
  clearInterval(timer);
  assert.ok(ticks > 0);
});
