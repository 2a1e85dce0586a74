import assert from 'node:assert/strict';
import { test } from 'node:test';
import { x509 } from '../../../src/crypto/pki/x509.ts';
import { createSignerKeys, type KeySource } from '../../../src/crypto/tokens/signer-keys.ts';
import type { OutboundAnswer } from '../../../src/runtime/platform/outbound.ts';
import { frozenClock } from '../../support/clock.ts';
import { party } from '../../support/pki.ts';
import { providerKey } from '../../support/provider.ts';

const signer: KeySource = { id: 's', version: 1, certPem: null, jwksEndpoint: 'https://issuer.example/keys', kid: null, fingerprint: null };
const [a, b] = await Promise.all([providerKey('a'), providerKey('b')]);

const opened = () => {
  const clock = frozenClock();
  const log: unknown[] = [];
  const asked: string[] = [];
  const provider = { keys: [a.jwk] as readonly unknown[], answer: undefined as (() => Promise<OutboundAnswer>) | undefined };
  const served = async (): Promise<OutboundAnswer> => ({
    status: 200,
    body: new TextEncoder().encode(JSON.stringify({ keys: provider.keys })),
  });
  let back = 0;
  const keys = createSignerKeys({
    clock: { now: () => clock.now() - back },
    logger: { error: assert.fail, warn: (message, details) => log.push([message, details]), info: assert.fail },
    outbound: {
      request: (url) => {
        asked.push(url);
        return (provider.answer ?? served)();
      },
    },
    permits: () => true,
  });
  const knows = async (kid: string, of: KeySource = signer) => (await keys.find(of, kid, 'ES256')) !== undefined;
  const setBack = (milliseconds: number) => {
    back = milliseconds;
  };
  return { clock, log, asked, provider, keys, knows, setBack };
};

test('keys are asked for when they are first needed, or ahead of that, and then no more', async () => {
  const { keys, asked, knows, clock } = opened();
  await keys.load(signer);
  assert.deepEqual(asked, [signer.jwksEndpoint]);
  clock.advance('299999ms');
  await keys.load(signer);
  assert.ok(await knows('a'));
  assert.ok(await knows('a'));
  assert.equal(asked.length, 1);
});

test('the key of a certificate is good for as long as the signer has it, and asks nobody', async () => {
  const { knows, asked, clock } = opened();
  const { cert } = await party('signer');
  const of: KeySource = { ...signer, certPem: cert, jwksEndpoint: null, kid: 'own' };
  assert.ok(await knows('own', of));
  clock.advance('100d');
  assert.ok(await knows('own', of));
  assert.ok(!(await knows('a', of)));
  assert.equal(asked.length, 0);
});

test('for names that are not known the keys are asked for again, once a second at most, however many ask', async () => {
  const { asked, knows, provider, clock } = opened();
  assert.ok(await knows('a'));
  provider.keys = [b.jwk];
  for (const kid of ['b', 'c', 'd']) assert.ok(!(await knows(kid)));
  assert.equal(asked.length, 1);
  clock.advance('999ms');
  assert.ok(!(await knows('b')));
  clock.advance('1ms');
  assert.deepEqual(await Promise.all(['b', 'c', 'b', 'd'].map((kid) => knows(kid))), [true, false, true, false]);
  assert.equal(asked.length, 2);
  assert.ok(!(await knows('a')), 'what the provider withdrew is gone');
});

test('whoever comes while the keys are on their way waits for them', async () => {
  const { asked, knows, provider, keys } = opened();
  const arrival = Promise.withResolvers<OutboundAnswer>();
  provider.answer = () => arrival.promise;
  const waiting = [keys.load(signer), knows('a'), knows('b')];
  arrival.resolve({ status: 200, body: new TextEncoder().encode(JSON.stringify({ keys: [a.jwk, b.jwk] })) });
  assert.deepEqual((await Promise.all(waiting)).slice(1), [true, true]);
  assert.equal(asked.length, 1);
});

test('a key that was published after an answer had begun is found, though the token came while that answer was on its way', async () => {
  const { asked, knows, provider, clock } = opened();
  const [late, next] = [Promise.withResolvers<OutboundAnswer>(), Promise.withResolvers<OutboundAnswer>()];
  const answers = [late.promise, next.promise];
  provider.answer = () => answers[asked.length - 1] ?? assert.fail('asked once too often');
  const body = (...keys: readonly unknown[]) => ({ status: 200, body: new TextEncoder().encode(JSON.stringify({ keys })) });
  const first = knows('a');
  clock.advance('1s');
  // Both come while the answer is on its way that knows nothing of their key.
  const waiting = [knows('b'), knows('b'), knows('c')];
  late.resolve(body(a.jwk));
  assert.ok(await first);
  next.resolve(body(b.jwk));
  assert.deepEqual(await Promise.all(waiting), [true, true, false]);
  assert.equal(asked.length, 2);
});

test('when the provider fails, the keys that are known stay, and it is asked again', async () => {
  const { knows, provider, clock, log } = opened();
  assert.ok(await knows('a'));
  const body = (text: string) => new TextEncoder().encode(text);
  const failures: readonly (() => Promise<OutboundAnswer>)[] = [
    () => Promise.reject(new Error('away')),
    async () => ({ status: 500, body: body('{"keys":[]}') }),
    async () => ({ status: 302, body: body('{"keys":[]}') }),
    async () => ({ status: 200, body: body('<html>') }),
    async () => ({ status: 200, body: body('[]') }),
    async () => ({ status: 200, body: body('null') }),
    async () => ({ status: 200, body: body('{"keys":{}}') }),
    async () => ({ status: 200, body: body('{}') }),
  ];
  for (const failure of failures) {
    provider.answer = failure;
    clock.advance('1s');
    assert.ok(!(await knows('b')));
    assert.ok(await knows('a'));
  }
  assert.equal(log.length, failures.length);
  assert.deepEqual(log[0], ['the keys of an external JWT signer could not be loaded', { signer: 's', error: 'Error: away' }]);
  provider.answer = undefined;
  provider.keys = [b.jwk];
  clock.advance('1s');
  assert.ok(await knows('b'));
});

test('a provider that has no keys that could be used leaves none in use', async () => {
  const { knows, provider, clock } = opened();
  assert.ok(await knows('a'));
  provider.keys = [];
  clock.advance('1s');
  assert.ok(!(await knows('b')));
  assert.ok(!(await knows('a')));
});

test('each revision of a signer has keys of its own, at once', async () => {
  const { knows, provider, asked } = opened();
  assert.ok(await knows('a'));
  provider.keys = [b.jwk];
  assert.ok(await knows('b', { ...signer, version: 2 }));
  assert.ok(await knows('b', { ...signer, version: 2, id: 'another' }));
  assert.equal(asked.length, 3);
});

test('of a key set no more than a hundred keys are looked at', async () => {
  const { knows, provider } = opened();
  provider.keys = [...Array.from({ length: 100 }, (_, i) => ({ ...b.jwk, kid: `k${i}` })), a.jwk];
  assert.ok(await knows('k99'));
  assert.ok(!(await knows('a')));
});

test('of the keys of one name no more than ten are looked at', async () => {
  const { knows, provider } = opened();
  const others = Array.from({ length: 9 }, () => ({ kid: 'a', kty: 'oct' }));
  provider.keys = [...others, a.jwk];
  assert.ok(await knows('a'));
  provider.keys = [...others, ...others, a.jwk];
  assert.ok(!(await knows('a', { ...signer, version: 2 })));
});

test('of the certificates in a key set only that of the key that is asked for is read, once, and of it nothing but the key', async (t) => {
  const { keys, knows, provider } = opened();
  const names = { dnsNames: Array.from({ length: 700 }, (_, i) => `n${i}`) };
  const { der } = (await party('a', { names })).certificate;
  provider.keys = Array.from({ length: 100 }, (_, i) => ({
    kid: `k${i}`,
    kty: 'EC',
    x5c: [Buffer.from(der).toString('base64'), 'AAAA', 5],
  }));
  // What costs is made of the library for certificates and of Web Crypto.
  const library = await x509();
  const certificates = t.mock.method(library.X509Certificate.prototype, 'getExtension');
  const imported = t.mock.method(crypto.subtle, 'importKey');
  await keys.load(signer);
  assert.equal(imported.mock.callCount(), 0);
  for (const kid of ['k7', 'k7', 'k99', 'k7']) assert.ok(await knows(kid));
  assert.equal(imported.mock.callCount(), 2);
  assert.equal(certificates.mock.callCount(), 0);
});

test('the age of keys counts from when they were asked for: what was withdrawn while the answer was on its way is among them', async () => {
  const { asked, knows, provider, clock } = opened();
  const arrival = Promise.withResolvers<OutboundAnswer>();
  provider.answer = () => arrival.promise;
  const first = knows('a');
  clock.advance('4m');
  provider.answer = undefined;
  arrival.resolve({ status: 200, body: new TextEncoder().encode(JSON.stringify({ keys: [a.jwk] })) });
  assert.ok(await first);
  clock.advance('59999ms');
  assert.ok(await knows('a'));
  assert.equal(asked.length, 1);
  provider.keys = [b.jwk];
  clock.advance('1ms');
  assert.ok(!(await knows('a')));
  assert.equal(asked.length, 2);
});

test('a clock that is set back lets no key live longer', async () => {
  const { asked, knows, provider, setBack } = opened();
  assert.ok(await knows('a'));
  provider.keys = [b.jwk];
  setBack(3_600_000);
  assert.ok(!(await knows('a')));
  assert.ok(await knows('b'));
  assert.equal(asked.length, 2);
});

test('the keys of a thousand signers are kept', async () => {
  const { asked, keys } = opened();
  const signers = Array.from({ length: 1001 }, (_, i) => ({ ...signer, id: `s${i}` }));
  for (const each of signers) await keys.load(each);
  await keys.load(signers.at(-1) ?? signer);
  assert.equal(asked.length, 1001);
  await keys.load(signers[0] ?? signer);
  assert.equal(asked.length, 1002);
});

test('closing ends what is under way, without a word', async () => {
  const clock = frozenClock();
  const keys = createSignerKeys({
    clock,
    logger: { error: assert.fail, warn: assert.fail, info: assert.fail },
    outbound: {
      request: (_, { signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('ended')))),
    },
    permits: () => true,
  });
  const loading = keys.load(signer);
  keys.close();
  await loading;
});

test('a key of the name that a token gives, which cannot be used, is logged with the reason, once in ten seconds', async () => {
  const { keys, provider, log, clock } = opened();
  const unusable: readonly (readonly [kid: string, members: object, reason: RegExp])[] = [
    ['use', { ...a.jwk, use: 'enc' }, /use/],
    ['ops', { ...a.jwk, key_ops: ['sign'] }, /key_ops/],
    ['kty', { ...a.jwk, kty: 'oct' }, /kty/],
    ['n', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }, /modulus/],
    ['x', { ...a.jwk, x: 'AAAA' }, /members/],
    ['x5c', { ...a.jwk, x5c: ['AAAA'] }, /x5c/],
    ['alg', { ...a.jwk, alg: 'ES384' }, /algorithm/],
  ];
  provider.keys = unusable.map(([kid, members]) => ({ ...members, kid }));
  for (const [kid, , reason] of unusable) {
    clock.advance('10s');
    for (let i = 0; i < 3; i++) assert.equal(await keys.find(signer, kid, 'ES256'), undefined);
    const [message, details] = log.splice(0)[0] as [string, { signer: string; kid: string; reason: string }];
    assert.deepEqual([message, details.signer, details.kid], ['the key with the id in a token cannot be used', 's', kid]);
    assert.match(details.reason, reason);
  }
  clock.advance('10s');
  assert.equal(await keys.find(signer, 'of-a-stranger', 'ES256'), undefined);
  assert.deepEqual(log, [], 'names that are in no key set are not logged');
});
