import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Certificate, Eku, KeyUsage } from '../../../src/crypto/pki/certificate.ts';
import { type ChainRules, validateChain } from '../../../src/crypto/pki/chain.ts';
import { newKeyPair } from '../../../src/crypto/pki/keys.ts';
import { authority, NOW, type Party, party } from '../../support/pki.ts';

const DAY = 86_400_000;
const certificates = (parties: readonly Party[]): readonly Certificate[] => parties.map(({ certificate }) => certificate);

const validate = (
  leaf: Party,
  {
    anchors = [],
    intermediates = [],
    ...rules
  }: Partial<Omit<ChainRules, 'anchors' | 'intermediates'>> & {
    anchors?: readonly Party[];
    intermediates?: readonly Party[];
  },
) =>
  validateChain(leaf.certificate, {
    anchors: certificates(anchors),
    intermediates: certificates(intermediates),
    now: NOW,
    ...rules,
  });

const root = await authority('root');
const middle = await authority('middle', { by: root, pathLength: 0 });
const leaf = await party('leaf', { by: middle });
const past = { notBefore: NOW - 20 * DAY, notAfter: NOW - 10 * DAY };

describe('a chain of certificates', () => {
  test('leads from the leaf through what was sent to an anchor', async () => {
    const { chain } = await validate(leaf, { anchors: [root], intermediates: [middle] });
    assert.deepEqual(
      chain?.map(({ commonName }) => commonName),
      ['leaf', 'middle', 'root'],
    );
  });

  test('ends at the first anchor, root or not', async () => {
    const { chain } = await validate(leaf, { anchors: [root, middle] });
    assert.equal(chain?.length, 2);
  });

  test('is not there without the intermediate, without the anchor, or below another root', async () => {
    for (const rules of [
      { anchors: [root] },
      { intermediates: [middle, root] },
      { anchors: [await authority('other')], intermediates: [middle, root] },
    ])
      assert.deepEqual(await validate(leaf, rules), { fault: 'noChain' });
  });

  test('is not made by an impostor of the name of the root, whether it is sent along or signs the leaf', async () => {
    const impostor = await authority('root');
    const forged = await party('leaf', { by: impostor });
    for (const intermediates of [[], [impostor], [impostor, root], [root]])
      assert.deepEqual(await validate(forged, { anchors: [root], intermediates }), { fault: 'noChain' });
  });

  test('needs issuers that are authorities and may sign certificates', async () => {
    const person = await party('person', { by: root });
    const encrypts = await authority('encrypts', { by: root, keyUsage: KeyUsage.keyEncipherment });
    for (const by of [person, encrypts]) {
      const below = await party('below', { by });
      assert.deepEqual(await validate(below, { anchors: [root], intermediates: [by] }), { fault: 'noChain' });
      assert.deepEqual(await validate(below, { anchors: [by] }), { fault: 'noChain' });
    }
  });

  test('is no longer than each authority allows', async () => {
    const below = await authority('below', { by: middle });
    const deep = await party('deep', { by: below });
    assert.deepEqual(await validate(deep, { anchors: [root], intermediates: [middle, below] }), { fault: 'noChain' });
    const direct = await authority('direct', { by: root, pathLength: 1 });
    const under = await authority('under', { by: direct, pathLength: 0 });
    const fine = await party('fine', { by: under });
    assert.ok((await validate(fine, { anchors: [root], intermediates: [direct, under] })).chain);
  });

  const expired = [
    ['leaf', 'leaf', 'all'],
    ['middle', 'all'],
    ['root', 'all'],
  ] as const;
  for (const [who, ...ignoring] of expired)
    test(`is not valid when the ${who} has expired, unless ${ignoring.join(' or ')} may have`, async () => {
      const r = await authority('root', who === 'root' ? past : {});
      // No certificate outlives its issuer, so those below an expired one are expired, too.
      const old = { notBefore: past.notBefore };
      const m = await authority('middle', { by: r, ...old, ...(who === 'middle' ? past : {}) });
      const rules = { anchors: [r], intermediates: [m] };
      const l = await party('leaf', { by: m, ...old, ...(who === 'leaf' ? past : {}) });
      assert.deepEqual(await validate(l, rules), { fault: 'notValidNow' });
      for (const ignoreValidity of ignoring) assert.ok((await validate(l, { ...rules, ignoreValidity })).chain, ignoreValidity);
    });

  test('is not valid before it begins', async () => {
    const early = await party('early', { by: root, notBefore: NOW + DAY });
    assert.deepEqual(await validate(early, { anchors: [root] }), { fault: 'notValidNow' });
    assert.ok((await validate(early, { anchors: [root], now: NOW + 2 * DAY })).chain);
  });

  test('serves the usage that is asked for, where usages are stated', async () => {
    const rules = { anchors: [root], usage: Eku.clientAuth };
    const server = await party('server', { by: root, extendedKeyUsage: [Eku.serverAuth] });
    const any = await party('any', { by: root, extendedKeyUsage: [Eku.any] });
    const silent = await party('silent', { by: root, extendedKeyUsage: [] });
    const servers = await authority('servers', { by: root, extendedKeyUsage: [Eku.serverAuth] });
    const below = await party('below', { by: servers });
    assert.deepEqual(await validate(server, rules), { fault: 'wrongUsage' });
    assert.deepEqual(await validate(below, { ...rules, intermediates: [servers] }), { fault: 'wrongUsage' });
    for (const fine of [any, silent, leaf]) assert.ok((await validate(fine, { ...rules, intermediates: [middle] })).chain);
    assert.ok((await validate(server, { anchors: [root] })).chain);
  });

  test('is found past another authority of the same name', async () => {
    const other = await authority('middle', { by: root });
    assert.ok((await validate(leaf, { anchors: [root], intermediates: [other, middle] })).chain);
  });

  test('is found exactly when all between the leaf and an anchor was sent, in whatever order and with whatever else', async () => {
    // Two roots, and below each two lines of three authorities with a leaf at their end.
    const lines = (
      await Promise.all(
        ['a', 'b'].map(async (name) => {
          const top = await authority(name);
          const line = async () => {
            const down = [top];
            for (let depth = 0; depth < 3; depth++) down.push(await authority(`${name} ${depth}`, { by: down.at(-1) as Party }));
            return [...down, await party('leaf', { by: down.at(-1) as Party })];
          };
          return Promise.all([line(), line()]);
        }),
      )
    ).flat();
    const authorities = [...new Set(lines.flatMap((line) => line.slice(0, -1)))];
    const some = fc
      .subarray(authorities, { minLength: 0, maxLength: 10 })
      .chain((chosen) => fc.shuffledSubarray(chosen, { minLength: chosen.length }));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...lines),
        some,
        fc.subarray(authorities, { maxLength: 4 }),
        async (line, intermediates, anchors) => {
          const end = line.at(-1) as Party;
          // From the leaf upwards: as far as what was sent reaches, or to the first anchor.
          const above = line.slice(0, -1).toReversed();
          const first = above.findIndex((each) => anchors.includes(each));
          const expected = first >= 0 && above.slice(0, first).every((each) => intermediates.includes(each));
          const { chain } = await validate(end, { anchors, intermediates });
          assert.equal(chain !== undefined, expected);
          if (chain)
            assert.deepEqual(
              chain,
              [end, ...above.slice(0, first + 1)].map(({ certificate }) => certificate),
            );
        },
      ),
      { numRuns: 150 },
    );
  });

  test('does not come of circles', async () => {
    const keys = [await newKeyPair(), await newKeyPair()] as const;
    const a = await authority('a', { keys: keys[0] });
    const b = await authority('b', { keys: keys[1], by: a });
    const aByB = await authority('a', { keys: keys[0], by: b });
    const below = await party('below', { by: b });
    assert.deepEqual(await validate(below, { anchors: [root], intermediates: [a, b, aByB] }), { fault: 'noChain' });
  });

  test('of a hundred certificates is refused unseen, and ten of one name cost no more than 64 signatures', async () => {
    const many = await Promise.all(Array.from({ length: 100 }, () => authority('x')));
    assert.deepEqual(await validate(leaf, { anchors: [root], intermediates: many }), { fault: 'tooManyCertificates' });
    const keys = await Promise.all(Array.from({ length: 10 }, newKeyPair));
    const parties = await Promise.all(keys.map((pair) => authority('x', { keys: pair })));
    const below = await party('below', { by: parties[9] as Party });
    let verified = 0;
    const counted = parties.map(({ certificate }) => ({
      ...certificate,
      parsed: new Proxy(certificate.parsed, {
        get: (target, name) => {
          if (name === 'verify') verified++;
          const value = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
    }));
    const answer = await validateChain(below.certificate, { anchors: [root.certificate], intermediates: counted, now: NOW });
    assert.deepEqual(answer, { fault: 'noChain' });
    assert.ok(verified <= 64, String(verified));
  });
});
