/** A right that was there when a call was judged, and is taken before its write begins: what counts is the state that the write sees. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostRule } from '../../src/call/pipeline/host-rule.ts';
import { ApiError } from '../../src/contract/errors/index.ts';
import { type App, openApp } from '../support/app.ts';
import { beginning } from '../support/beginnings.ts';
import { type Interleaved, interleaved } from '../support/interleaving.ts';
import {
  bearer,
  begin,
  byPassword,
  claimsOf,
  codeOf,
  exchange,
  get,
  inLocation,
  redeem,
  refresh,
  TYPE,
  tokensOf,
} from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';
import { newStorage, stores } from '../support/stores.ts';
import { newTenant, onEveryTenantStore, openTenants } from '../support/tenants.ts';

/** Who acts, and what can happen to their right. */
interface Acting {
  readonly id: string;
  readonly authPolicyId: string;
  readonly apiSession: string;
  readonly claims: { readonly jti: string; readonly z_asid: string };
}

/** How a right ends: to be tried one by one. */
const LOSSES: Readonly<Record<string, (app: App, who: Acting) => Promise<unknown>>> = {
  'the identity is demoted': ({ controller }, { id }) => controller.api.identities.patch({ id, body: { isAdmin: false } }),
  'the identity is disabled': ({ controller }, { id }) => controller.api.identities.disable({ id, body: { durationMinutes: 0 } }),
  'the identity is deleted': ({ controller }, { id }) => controller.api.identities.delete({ id }),
};
const LOSSES_OF_SESSIONS: typeof LOSSES = {
  ...LOSSES,
  'its policy asks for a second factor': ({ controller }, { authPolicyId: id }) =>
    controller.api.authPolicies.patch({ id, body: { secondary: { requireTotp: true } } }),
  'the tokens of the identity are revoked': ({ controller }, { id }) =>
    controller.api.revocations.create({ body: { id, type: 'IDENTITY' } }),
};
const LOSSES_OF_PLAIN_SESSIONS: typeof LOSSES = {
  ...LOSSES_OF_SESSIONS,
  'the session is ended': ({ controller }, { apiSession: id }) => controller.api.apiSessions.delete({ id }),
};
const LOSSES_OF_TOKENS: typeof LOSSES = {
  ...LOSSES_OF_SESSIONS,
  'the session is revoked': ({ controller }, { claims }) =>
    controller.api.revocations.create({ body: { id: claims.z_asid, type: 'API_SESSION' } }),
  'the token is revoked': ({ controller }, { claims }) => controller.api.revocations.create({ body: { id: claims.jti, type: 'JTI' } }),
};

type Write = (body: object) => Promise<{ readonly status: number; readonly code?: string }>;

/** Ways of acting with the rights of an administrator. */
const WAYS: Readonly<
  Record<string, { readonly losses: typeof LOSSES; write(app: App, who: Acting & { token: string; access: string }): Write }>
> = {
  'a session over HTTP': {
    losses: LOSSES_OF_PLAIN_SESSIONS,
    write:
      (app, { token }) =>
      async (body) => {
        const { status, body: answer } = await app.request('POST', '/services', { as: token, body });
        return { status, code: answer.error?.code };
      },
  },
  'a token of the provider': {
    losses: LOSSES_OF_TOKENS,
    write:
      (app, { access }) =>
      async (body) => {
        const { status, body: answer } = await app.request('POST', '/services', { as: null, headers: bearer(access), body });
        return { status, code: answer.error?.code };
      },
  },
  'the host, for an identity': {
    losses: LOSSES,
    write:
      (app, { id }) =>
      async (body) =>
        beginning(() => app.controller.asIdentity(id).services.create({ body: body as never })).then(
          () => ({ status: 201 }),
          (error: unknown) => (error instanceof ApiError ? { status: error.status, code: error.code } : assert.fail(String(error))),
        ),
  },
};

const openInterleaved = async (store: string, authorize?: HostRule) => {
  const { storage, ...between } = interleaved(newStorage(store));
  const app = await openApp(store, { storage, ...(authorize ? { authorize } : {}) });
  return { app, between: between as Pick<Interleaved, 'beforeWrite'> };
};

/** An administrator with a policy of its own, logged in by both ways. */
const administrator = async (app: App) => {
  const authPolicyId = await app.create('/auth-policies', policyBody(`policy ${await app.count('authPolicy')}`));
  const user = await app.user({ isAdmin: true, authPolicyId });
  const { body } = await app.login(user.username, 'Passw0rd!Passw0rd!');
  const { access_token: access } = await tokensOf(app, user.username);
  return {
    id: user.id,
    username: user.username,
    authPolicyId,
    apiSession: body.data.id,
    token: body.data.token,
    access,
    claims: claimsOf(access),
  };
};

const RULES: Readonly<Record<string, HostRule | undefined>> = { 'without a rule': undefined, 'under a rule of the host': () => undefined };

for (const store of stores) {
  describe(`a right that is taken before the write (${store})`, () => {
    for (const [under, rule] of Object.entries(RULES))
      for (const [way, { losses, write }] of Object.entries(WAYS))
        test(`${way}, ${under}`, async () => {
          const { app, between } = await openInterleaved(store, rule);
          for (const [what, lose] of Object.entries(losses)) {
            const who = await administrator(app);
            const make = write(app, who);
            assert.equal((await make({ name: `before: ${what}`, encryptionRequired: true })).status, 201, what);
            const count = await app.count('service');
            let hasHappened = false;
            between.beforeWrite(async () => {
              await lose(app, who);
              hasHappened = true;
            });
            const { status, code } = await make({ name: `after: ${what}`, encryptionRequired: true });
            assert.ok(hasHappened, what);
            const isGone = what.includes('deleted') && way.startsWith('the host');
            assert.deepEqual([status, code], isGone ? [404, 'NOT_FOUND'] : [401, 'UNAUTHORIZED'], what);
            assert.equal(await app.count('service'), count, what);
          }
          await app.close();
        });

    test('a session that idles for too long while its call waits', async () => {
      const { app, between } = await openInterleaved(store);
      const { token } = await administrator(app);
      between.beforeWrite(async () => app.clock.advance('31m'));
      const body = { name: 'late', encryptionRequired: true };
      assert.equal((await app.request('POST', '/services', { as: token, body })).status, 401);
      assert.equal(await app.count('service'), 0);
      await app.close();
    });
  });

  describe(`a redemption that what it is for does not wait for (${store})`, () => {
    const ENDS = (({ 'the identity is demoted': _, ...ends }) => ends)(LOSSES_OF_TOKENS);
    const noTokens = async (app: App, who: Acting) =>
      (await app.rows('apiSession')).filter(({ id, tokenIds }) => id === who.claims.z_asid && (tokenIds as string[]).length > 0);

    test('a code', async () => {
      const { app, between } = await openInterleaved(store);
      for (const [what, end] of Object.entries(ENDS)) {
        const who = await administrator(app);
        const login = await begin(app);
        assert.equal((await byPassword(app, login, who.username)).status, 302);
        const code = await codeOf(app, login);
        const row = (await app.rows('authRequest')).find(({ id }) => id === login.id);
        const ofLogin = { ...who, claims: { jti: who.claims.jti, z_asid: String(row?.apiSessionId) } };
        // A token of this login there is not yet.
        if (what === 'the token is revoked') continue;
        between.beforeWrite(() => end(app, ofLogin));
        const { status, body } = await redeem(app, login, code);
        assert.deepEqual([status, body.error], [400, 'invalid_grant'], what);
        assert.deepEqual(await noTokens(app, ofLogin), [], what);
      }
      await app.close();
    });

    test('the callback that gives the code', async () => {
      const { app, between } = await openInterleaved(store);
      for (const [what, end] of Object.entries(ENDS)) {
        if (what === 'the token is revoked') continue;
        const who = await administrator(app);
        const login = await begin(app);
        assert.equal((await byPassword(app, login, who.username)).status, 302);
        const row = (await app.rows('authRequest')).find(({ id }) => id === login.id);
        const ofLogin = { ...who, claims: { jti: '', z_asid: String(row?.apiSessionId) } };
        between.beforeWrite(() => end(app, ofLogin));
        assert.equal(inLocation(await get(app, '/authorize/callback', { id: login.id }), 'code'), undefined, what);
      }
      await app.close();
    });

    for (const [kind, give] of Object.entries({
      'a refresh token': (app: App, token: string) => refresh(app, token),
      'a token in exchange': (app: App, token: string) =>
        exchange(app, { subject_token: token, subject_token_type: `${TYPE}refresh_token`, requested_token_type: `${TYPE}access_token` }),
    }))
      test(kind, async () => {
        const { app, between } = await openInterleaved(store);
        for (const [what, end] of Object.entries(ENDS)) {
          // It is asked for at the next login, and by the APIs for each call.
          if (what.includes('second factor')) continue;
          const who = await administrator(app);
          const tokens = await tokensOf(app, who.username);
          const claims = claimsOf(tokens.refresh_token);
          const before = (await noTokens(app, { ...who, claims })).flatMap(({ tokenIds }) => tokenIds as string[]);
          between.beforeWrite(() => end(app, { ...who, claims }));
          const { status, body } = await give(app, tokens.refresh_token);
          assert.deepEqual([status, body.error], [400, 'invalid_grant'], what);
          const after = (await noTokens(app, { ...who, claims })).flatMap(({ tokenIds }) => tokenIds as string[]);
          assert.deepEqual(
            after.filter((id) => !before.includes(id)),
            [],
            what,
          );
        }
        await app.close();
      });
  });
}

onEveryTenantStore('a tenant that changes before the write', (newDatabase) => {
  const person = (name: string) => ({ name, type: 'User', isAdmin: false }) as const;
  /** Two processes: the writes of the first can be preceded by what the second does. */
  const processes = async (database: ReturnType<typeof newDatabase>) => {
    const between: Interleaved[] = [];
    const storage = database.storage();
    const one = await openTenants(database, {
      storage: (namespace) => {
        const wrapped = interleaved(storage(namespace));
        if (namespace.startsWith('tenant/')) between.push(wrapped);
        return wrapped.storage;
      },
    });
    const two = await openTenants(database);
    return { one, two, beforeWrite: (meanwhile: () => Promise<unknown>) => between.at(-1)?.beforeWrite(meanwhile) };
  };
  const code = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: ApiError) => error.code,
    );

  test('erased by another process, it is written to no more, over HTTP and in process', async () => {
    await using database = newDatabase();
    const { one, two, beforeWrite } = await processes(database);
    for (const isHttp of [false, true]) {
      const client = await newTenant(one.overlays, 'acme');
      const { id } = (await two.overlays.list())[0] ?? assert.fail();
      const controller = await beginning(() => one.overlays.open('acme'));
      await controller.api.identities.create({ body: person('before') });
      beforeWrite(async () => {
        await two.overlays.erase('acme');
        await two.overlays.tidy();
      });
      if (isHttp) assert.equal((await client.request('POST', '/identities', { body: person('after') })).status, 404);
      else assert.equal(await code(controller.api.identities.create({ body: person('after') })), 'NOT_FOUND');
      assert.equal(await database.leftOf(id), 0);
    }
    await one.overlays.close();
    await two.overlays.close();
  });

  test('a quota that another process lowers holds for the write', async () => {
    await using database = newDatabase();
    const { one, two, beforeWrite } = await processes(database);
    await beginning(() => one.overlays.create({ name: 'acme' }));
    const controller = await beginning(() => one.overlays.open('acme'));
    await controller.api.identities.create({ body: person('before') });
    const { identities } = await two.overlays.usage('acme');
    beforeWrite(() => two.overlays.setQuotas('acme', { identities }));
    assert.equal(await code(controller.api.identities.create({ body: person('after') })), 'QUOTA_EXCEEDED');
    beforeWrite(() => two.overlays.setQuotas('acme', { identities: identities + 1 }));
    assert.equal(await code(controller.api.identities.create({ body: person('after') })), undefined);
    assert.equal((await two.overlays.usage('acme')).identities, identities + 1);
    await one.overlays.close();
    await two.overlays.close();
  });
});
