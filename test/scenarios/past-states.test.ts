/** What `controller.at` answers is what the present answered then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Api, ApiError, PastApi } from '../../src/index.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { makeOneOfEverything } from '../support/one-of-everything.ts';

/** `PAST_RUNS=1000` compares about 7,500 states. */
const RUNS = Number(process.env.PAST_RUNS ?? 3);
const SECOND = 1000;

type Group = Readonly<Record<string, (input?: object) => Promise<unknown>>>;

/** The answers of everything that lists entities, and how each service may be reached. */
const stateOf = async (api: Api | PastApi, past: PastApi): Promise<Readonly<Record<string, unknown>>> => {
  const state: Record<string, unknown> = {};
  // Only the groups and verbs of a past state: the present has them, too.
  for (const [name, group] of Object.entries(past as unknown as Readonly<Record<string, Group>>)) {
    // The lists of changes and of histories are about changes.
    if (!('list' in group) || name === 'changes' || name === 'history') continue;
    const { list, ...others } = (api as unknown as Readonly<Record<string, Group>>)[name] as Group;
    const page = (await list?.({ filter: 'limit none' })) as { readonly data: readonly { readonly id: string }[] };
    state[name] = page;
    // Advice is about a service, too; see below.
    for (const { id } of page.data.slice(0, 3))
      for (const [verb, call] of Object.entries(others))
        if (verb in group && verb !== 'getPolicyAdvice')
          state[`${name}.${verb} ${id}`] = await call({ id }).catch((error) => String(error));
  }
  state.summary = await api.informational.summary();
  state.attributes = await api.roleAttributes.identityUsage();
  const [who] = (await api.identities.list({ filter: 'name = "ann"' })).data;
  const [what] = (await api.services.list({ filter: 'name = "s0"' })).data;
  if (who && what) {
    state.explained = await api.access.explain({ identityId: who.id, serviceId: what.id, type: 'Dial' });
    state.advice = await api.identities.getPolicyAdvice({ id: who.id, serviceId: what.id });
  }
  return state;
};

/** A state without what is not recorded: the last activity of sessions and tokens, and credentials. */
const recorded = (state: unknown): unknown => JSON.parse(JSON.stringify(state, (key, value) => (UNRECORDED.test(key) ? undefined : value)));
const UNRECORDED = /^(cached)?lastActivityAt$|^(token|jwt|verificationToken|enrollmentJwt|enrollmentToken)$/i;

const NAMES = ['s0', 's1', 's2'] as const;
const ATTRIBUTES = ['a', 'b', 'c'] as const;
const attributes = fc.uniqueArray(fc.constantFrom(...ATTRIBUTES), { maxLength: 2 });
const steps = fc.array(
  fc.record({
    what: fc.constantFrom('service', 'policy', 'identity', 'delete', 'grant', 'disable'),
    name: fc.constantFrom(...NAMES),
    attributes,
  }),
  { minLength: 3, maxLength: 12 },
);
type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

const take = async ({ controller: { api }, clock }: App, { what, name, attributes }: Step): Promise<void> => {
  const named = { filter: `name = "${name}"` };
  const roles = attributes.map((attribute) => `#${attribute}`);
  switch (what) {
    case 'service': {
      const [known] = (await api.services.list(named)).data;
      if (known) await api.services.patch({ id: known.id, body: { roleAttributes: attributes } });
      else await api.services.create({ body: { name, encryptionRequired: true, roleAttributes: attributes } });
      break;
    }
    case 'policy': {
      const [known] = (await api.servicePolicies.list(named)).data;
      const body = { identityRoles: roles, serviceRoles: ['#all'], postureCheckRoles: [] };
      if (known) await api.servicePolicies.patch({ id: known.id, body });
      else await api.servicePolicies.create({ body: { ...body, name, type: 'Dial', semantic: 'AnyOf' } });
      break;
    }
    case 'delete':
      for (const group of [api.services, api.servicePolicies])
        for (const { id } of (await group.list(named)).data) await group.delete({ id });
      break;
    default: {
      const [known] = (await api.identities.list({ filter: 'name = "ann"' })).data;
      const id = known?.id ?? (await api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } })).id;
      if (what === 'disable') await api.identities.disable({ id, body: { durationMinutes: 1 } });
      else if (what === 'identity') await api.identities.patch({ id, body: { roleAttributes: attributes } });
      else {
        const validUntil = new Date(clock.now() + 2.5 * SECOND).toISOString();
        const roleAttributeGrants = Object.fromEntries(attributes.map((attribute) => [attribute, { validUntil }]));
        await api.identities.patch({ id, body: { roleAttributeGrants } });
      }
    }
  }
};

/**
 * Changes the tags of all entities that have any, and deletes every second one, as far as that is possible.
 * @returns how many calls succeeded
 */
const changeAll = async (api: Api): Promise<number> => {
  let changed = 0;
  const attempt = async (call: Promise<unknown> | undefined) => {
    await call?.then(
      () => changed++,
      () => undefined,
    );
  };
  for (const { list, patch, delete: remove } of Object.values(api as unknown as Readonly<Record<string, Group>>)) {
    if (!list) continue;
    const { data = [] } = (await list().catch(() => ({}))) as { readonly data?: readonly { readonly id: string }[] }; // a page, if the host may list
    for (const [i, { id }] of data.entries()) {
      await attempt(patch?.({ id, body: { tags: { changed: true } } }));
      if (i % 2 === 0) await attempt(remove?.({ id }));
    }
  }
  return changed;
};

onEveryStore('past states', (open) => {
  test('every state can be read later as it was', async (t) => {
    let compared = 0;
    const property = fc.asyncProperty(steps, async (taken) => {
      await using app = await open({ settings: { expiryNoticeMinutes: 0 } });
      const { controller, clock } = app;
      const known: { readonly revision: number; readonly at: Date; readonly state: unknown }[] = [];
      for (const step of taken) {
        // What ended is not granted again.
        await take(app, step).catch((error: ApiError) => assert.equal(error.code, 'COULD_NOT_VALIDATE'));
        clock.advance('1s');
        await app.settled();
        const state = await stateOf(controller.api, controller.at(0));
        const revision = (await controller.api.changes.list()).pagination.totalCount;
        known.push({ revision, at: new Date(clock.now()), state });
        clock.advance('1s');
      }
      for (const { revision, at, state } of known) {
        assert.deepEqual(recorded(await stateOf(controller.at(at), controller.at(0))), recorded(state), `at ${at.toISOString()}`);
        const past = controller.at(revision);
        assert.equal((await past.changes.list()).pagination.totalCount, revision);
        compared++;
      }
    });
    await fc.assert(property, { numRuns: RUNS });
    t.diagnostic(`${compared} states`);
  });

  test('a state with entities of every kind can be read after all of them changed', async () => {
    await using app = await open();
    await makeOneOfEverything(app);
    // Refused attempts are recorded after a delay, or as soon as somebody reads the audit: here, before the state.
    await app.controller.api.audit.list();
    app.clock.advance('1s');
    const state = await stateOf(app.controller.api, app.controller.at(0));
    const at = new Date(app.clock.now());
    app.clock.advance('1s');
    assert.ok((await changeAll(app.controller.api)) > 20);
    assert.deepEqual(recorded(await stateOf(app.controller.at(at), app.controller.at(0))), recorded(state));
  });

  test('a past state shows no credentials, not even those that are still in force', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id } = await api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false, enrollment: { ott: true } } });
    const revision = (await api.changes.list()).pagination.totalCount;
    assert.notEqual((await api.identities.get({ id })).enrollment.ott?.token, '');
    const past = app.controller.at(revision);
    assert.equal((await past.identities.get({ id })).enrollment.ott?.token, '');
    assert.deepEqual(
      (await past.enrollments.list()).data.map(({ token }) => token),
      [''],
    );
  });

  test('a state that is not known is refused, and says from where on states are', async () => {
    await using app = await open({ settings: { changesKept: 3 } });
    const { api } = app.controller;
    for (const name of ['a', 'b', 'c', 'd']) await api.services.create({ body: { name, encryptionRequired: true } });
    const { totalCount: newest } = (await api.changes.list({ limit: 0 })).pagination;
    const last = (await api.changes.list()).data.at(-1)?.revision ?? 0;
    assert.equal(newest, 3);
    assert.equal((await app.controller.at(last - 3).services.list()).pagination.totalCount, 1);
    await assert.rejects(
      app.controller.at(last - 4).services.list(),
      (error: ApiError) => error.code === 'CURSOR_EXPIRED' && error.cause.earliest === last - 3,
    );
    await assert.rejects(app.controller.at(new Date(0)).services.list(), { code: 'CURSOR_EXPIRED' });
    await assert.rejects(app.controller.at(last + 1).services.list(), { code: 'COULD_NOT_VALIDATE' });
    await assert.rejects(app.controller.at(new Date('2100-01-01')).services.list(), { code: 'COULD_NOT_VALIDATE' });
    for (const when of [-1, 0.5, Number.NaN, new Date('never')]) assert.throws(() => app.controller.at(when), TypeError);
  });

  test('a state that was read stays readable when its changes leave the log', async () => {
    await using app = await open({ settings: { changesKept: 3 } });
    const { api } = app.controller;
    const create = (name: string) => api.services.create({ body: { name, encryptionRequired: true } });
    await create('a');
    const last = (await api.changes.list()).data.at(-1)?.revision ?? 0;
    const past = app.controller.at(last);
    for (const name of ['b', 'c', 'd', 'e', 'f']) {
      await create(name);
      assert.deepEqual(
        (await past.services.list()).data.map((service) => service.name),
        ['a'],
      );
    }
  });

  test('a past state joins no transaction, and has no operation that writes', async () => {
    await using app = await open();
    const past = app.controller.at(0);
    assert.equal('create' in past.services, false);
    assert.equal('follow' in past.changes, false);
    const options: object = { transaction: {} };
    await assert.rejects(past.services.list({}, options), TypeError);
  });
});
