/** Many clients enroll by tokens at once, through three controllers on one store: nobody becomes two identities. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postgresStorage } from '../../adapters/storage/kysely/index.ts';
import type { Answer, App } from '../support/app.ts';
import { newSchema } from '../support/postgres.ts';
import { AUDIENCE, claimsOf, keyServer, type ProviderKey, providerKey, sign } from '../support/provider.ts';
import { newSharedStorage, ON_A_BUSY_MACHINE, type SharedStorage, stores } from '../support/stores.ts';
import { three } from '../support/three-controllers.ts';
import { enrollBy, enrollingSigner, request } from '../support/token-enrollment.ts';

const BUSY: readonly string[] = ['SERVER_TOO_MANY_REQUESTS', 'SERVER_UNAVAILABLE'];

const codes = (answers: readonly Answer[]): readonly string[] =>
  answers.map(({ status, body }) => (status === 200 ? 'enrolled' : body.error.code)).toSorted();

/** Tries again where the controller is busy, later each time, as clients do. `enroll` may make a new token each time. */
const patiently = async (enroll: () => Promise<Answer>, mayTryAgain = (code: string) => BUSY.includes(code)): Promise<Answer> => {
  for (let tries = 0; ; tries++) {
    const answer = await enroll();
    if (answer.status === 200 || tries === 200 || !mayTryAgain(answer.body.error.code)) return answer;
    await new Promise((later) => setTimeout(later, Math.min(1000, 20 * 2 ** tries)));
  }
};

/** A provider whose newest two keys are published. */
const rotatingProvider = async (t: Parameters<typeof keyServer>[0], apps: readonly App[]) => {
  let serial = 0;
  let current: ProviderKey = await providerKey('key-0');
  const server = await keyServer(t, [current.jwk]);
  return {
    url: server.url,
    token: (issuer: string, sub: string) => sign(claimsOf(issuer, { sub }), current),
    rotate: async () => {
      const next = await providerKey(`key-${++serial}`);
      server.keys = [current.jwk, next.jwk];
      current = next;
      // Keys are asked for once a second at most.
      for (const { clock } of apps) clock.advance('1s');
    },
  };
};

/** On PostgreSQL, each controller has a pool of its own, as in a process of its own. */
const separately = async (store: string): Promise<SharedStorage> => {
  if (store !== 'postgres') return newSharedStorage(store);
  const { connectionString, [Symbol.asyncDispose]: dispose } = await newSchema();
  return { adapter: () => postgresStorage({ connectionString, lockTimeout: ON_A_BUSY_MACHINE }), [Symbol.asyncDispose]: dispose };
};

/** Clients that enroll at the same time. */
const AT_ONCE = 100;

for (const store of stores)
  describe(`enrolling by tokens at once through three controllers (${store})`, () => {
    test('a token that is sent to all of them in both ways enrolls once', async () => {
      await using network = await three(store);
      const [first] = network.apps;
      const signer = await enrollingSigner(first);
      const [token, clientCsr] = [await signer.token({ sub: 'ann' }), await request()];
      const answers = await Promise.all(
        network.apps.flatMap((app) => ['', clientCsr].map((csr) => patiently(() => enrollBy(app, token, { clientCsr: csr })))),
      );
      assert.deepEqual(codes(answers), [...Array(5).fill('ENROLLMENT_IDENTITY_ALREADY_ENROLLED'), 'enrolled']);
      assert.equal(await first.count('identity'), 2);
    });

    test('a name that several subjects claim goes to one of them, and the others get nothing', async () => {
      await using network = await three(store);
      const [first] = network.apps;
      const signer = await enrollingSigner(first, { enrollNameClaimsSelector: 'name' });
      const clientCsr = await request();
      const answers = await Promise.all(
        network.apps.flatMap((app, i) =>
          ['', clientCsr].map(async (csr) => {
            const token = await signer.token({ sub: `${i} ${csr.length}`, name: 'ann' });
            return patiently(() => enrollBy(app, token, { clientCsr: csr }));
          }),
        ),
      );
      assert.deepEqual(codes(answers), [...Array(5).fill('COULD_NOT_VALIDATE'), 'enrolled']);
      const certificates = answers.filter(({ body }) => body.data?.cert).length;
      assert.deepEqual([await first.count('identity'), await first.count('authenticator')], [2, 1 + certificates]);
    });

    const many = store === 'postgres' ? 1000 : 60;
    test(`${many} clients, each by two controllers, become ${many} identities while the provider rotates its keys`, async (t) => {
      await using network = await three(store, { settings: { outboundAllow: ['loopback'] } }, await separately(store));
      const { apps } = network;
      const [first] = apps;
      const provider = await rotatingProvider(t, apps);
      const body = { name: 'rotating', issuer: 'https://rotating.example', audience: AUDIENCE, enabled: true, jwksEndpoint: provider.url };
      await first.create('/external-jwt-signers', { ...body, useExternalId: true, enrollToCertEnabled: true, enrollToTokenEnabled: true });
      const clientCsr = await request();
      let enrolled = 0;
      const enroll = async (sub: string, by: number, csr: string) => {
        const app = apps[by % apps.length] ?? first;
        // A token whose key was withdrawn in the meantime is refused: the client gets a new one from the provider.
        const mayTryAgain = (code: string) => BUSY.includes(code) || code === 'INVALID_ENROLLMENT_TOKEN';
        const once = async () => enrollBy(app, await provider.token(body.issuer, sub), { clientCsr: csr });
        const answer = await patiently(once, mayTryAgain);
        if (answer.status === 200 && ++enrolled % (many / 10) === 0) await provider.rotate();
        return answer;
      };
      const subjects = Array.from({ length: many }, (_, i) => `client-${i}`);
      const waiting = subjects.entries();
      const clients = Array.from({ length: AT_ONCE }, async () => {
        for (const [i, sub] of waiting) {
          const answers = await Promise.all([enroll(sub, i, ''), enroll(sub, i + 1, i % 2 === 0 ? clientCsr : '')]);
          assert.deepEqual(codes(answers), ['ENROLLMENT_IDENTITY_ALREADY_ENROLLED', 'enrolled']);
        }
      });
      await Promise.all(clients);
      const rows = (await first.rows('identity')).filter(({ isDefaultAdmin }) => !isDefaultAdmin);
      const sorted = subjects.toSorted();
      assert.deepEqual(rows.map(({ externalId }) => externalId).toSorted(), sorted);
      assert.deepEqual(rows.map(({ name }) => name).toSorted(), sorted);
      assert.ok(rows.every(({ isAdmin }) => isAdmin === false));
    });
  });
