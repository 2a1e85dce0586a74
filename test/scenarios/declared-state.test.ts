import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api, StateDocument, StatePlan } from '../../src/index.ts';
import { ApiError } from '../../src/index.ts';
import { EXTENSIONS, giveToken } from '../support/api-tokens.ts';
import { onEveryStore, openApp } from '../support/app.ts';
import { refusal } from '../support/client.ts';
import { declareOneOfEach, textOf } from '../support/declared-state.ts';

const changesOf = ({ changes }: StatePlan) => changes.map(({ action, section, name }) => `${action} ${section} ${name}`);

/** Plans a document, carries the plan out, and returns its changes. */
const become = async (api: Api, document: StateDocument, options: { readonly prune?: boolean } = {}): Promise<readonly string[]> => {
  const plan = await api.state.plan({ body: { document, ...options } });
  await api.state.apply({ body: plan });
  return changesOf(plan);
};

/** The field and the reason with which a document is refused. */
const refusalOf = async (api: Api, document: StateDocument, options: { readonly prune?: boolean } = {}) => {
  const error = await api.state.plan({ body: { document, ...options } }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE', String(error));
  return error.cause as { readonly field: string; readonly reason: string }; // of every refused field
};

const policy = (fields: object) => ({ name: 'dial', type: 'Dial', semantic: 'AnyOf', ...fields });
const wiki = { name: 'wiki', encryptionRequired: true };

onEveryStore('declared state', (open) => {
  test('the document of a network makes an empty network export the same document, byte by byte', async () => {
    await using source = await open();
    await using empty = await open();
    const [{ api }, { api: other }] = [source.controller, empty.controller];
    await declareOneOfEach(api);
    const document = await api.state.export();
    assert.deepEqual((await api.state.plan({ body: { document } })).operations, []);
    await other.state.apply({ body: await other.state.plan({ body: { document } }) });
    assert.equal(textOf(await other.state.export()), textOf(document));
    assert.deepEqual((await other.state.plan({ body: { document } })).operations, []);
  });

  test('planning writes nothing, and its changes name fields and entities as the document does', async () => {
    await using app = await open();
    const { api } = app.controller;
    const ann = await api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['staff'] } });
    const document: StateDocument = {
      services: [wiki],
      identities: [{ name: 'ann', externalId: 'a' }],
      servicePolicies: [policy({ identityRoles: ['@ann'], serviceRoles: ['@wiki'] })],
    };
    let plan: StatePlan | undefined;
    assert.deepEqual(await app.trail(async () => (plan = await api.state.plan({ body: { document } }))), []);
    assert.deepEqual(plan?.changes, [
      { action: 'create', section: 'services', name: 'wiki', fields: { name: { after: 'wiki' }, encryptionRequired: { after: true } } },
      {
        action: 'update',
        section: 'identities',
        name: 'ann',
        fields: { roleAttributes: { before: ['staff'], after: [] }, externalId: { after: 'a' } },
      },
      {
        action: 'create',
        section: 'servicePolicies',
        name: 'dial',
        fields: Object.fromEntries(Object.entries(document.servicePolicies?.[0] ?? {}).map(([field, after]) => [field, { after }])),
      },
    ]);
    assert.deepEqual(
      plan?.operations.map(({ operation }) => operation),
      ['services.create', 'identities.patch', 'servicePolicies.create'],
    );
    assert.deepEqual(plan?.operations.at(-1)?.input, {
      body: { ...document.servicePolicies?.[0], identityRoles: [`@${ann.id}`], serviceRoles: ['@$1.id'] },
    });
  });

  test('a field that a document leaves out gets its default, and what it does not name stays as it is', async () => {
    await using app = await open();
    const { api } = app.controller;
    await declareOneOfEach(api);
    const before = await api.state.export();
    const leaner: StateDocument = {
      authPolicies: (before.authPolicies ?? []).map((each) => ({ ...each, secondary: { requireTotp: false } })),
      services: [wiki],
      identities: [{ name: 'ann' }, { name: 'edge', type: 'Router' }],
      edgeRouters: [{ name: 'edge', isTunnelerEnabled: true }],
      cas: (before.cas ?? []).map((ca) => ({ ...ca, identityRoles: [] })),
      servicePolicies: [policy({ name: 'ann dials wiki', identityRoles: ['@ann'], validUntil: '2031-02-01T00:00:00.000Z' })],
      policyTests: [{ name: 'ann reaches wiki', identity: 'ann', service: 'wiki', expect: 'none' }],
    };
    assert.deepEqual(await become(api, leaner), [
      'update authPolicies strict',
      'update cas corporate',
      'update services wiki',
      'update edgeRouters edge',
      'update identities ann',
      'update identities edge',
      'update servicePolicies ann dials wiki',
      'update policyTests ann reaches wiki',
    ]);
    const after = await api.state.export();
    const identities = [...(leaner.identities ?? []), { name: 'root', isAdmin: true }];
    const policyTests = [...(leaner.policyTests ?? []), ...(before.policyTests ?? []).slice(1)];
    assert.deepEqual(after, { ...before, ...leaner, identities, policyTests });
    assert.deepEqual(await become(api, leaner), []);
  });

  test('what a plan creates carries the owner label, and prune deletes what carries it and is not declared', async () => {
    await using app = await open();
    const { api } = app.controller;
    await api.services.create({ body: { ...wiki, name: 'older' } });
    const document: StateDocument = { owner: 'team', services: [wiki, { ...wiki, name: 'older', roleAttributes: ['a'] }] };
    await become(api, document);
    assert.deepEqual(await api.state.export({ owner: 'team' }), { owner: 'team', services: [wiki] });
    assert.deepEqual(await become(api, { owner: 'other', services: [] }, { prune: true }), []);
    assert.deepEqual(await become(api, { owner: 'team' }), []);
    assert.deepEqual(await become(api, { owner: 'team' }, { prune: true }), ['delete services wiki']);
    assert.deepEqual(
      (await api.services.list()).data.map(({ name }) => name),
      ['older'],
    );
  });

  test('entities that refer to each other are deleted in an order that references allow', async () => {
    await using app = await open();
    await using source = await open();
    await declareOneOfEach(source.controller.api);
    const { authPolicies, ...document } = await source.controller.api.state.export();
    const { api } = app.controller;
    await become(api, { owner: 'team', ...document, authPolicies: authPolicies?.filter(({ name }) => name !== 'Default') ?? [] });
    await become(api, { owner: 'team' }, { prune: true });
    assert.deepEqual(Object.keys(await api.state.export()), ['authPolicies']);
  });

  test('a refusal names the place in the document and what would be right', async () => {
    await using app = await open();
    const { api } = app.controller;
    await api.services.create({ body: { ...wiki, tags: { managedBy: 'team' } } });
    const role = (serviceRoles: unknown) => ({ servicePolicies: [policy({ serviceRoles })] });
    const refusals: readonly (readonly [StateDocument, field: string, reason: RegExp, options?: { prune: boolean }])[] = [
      [{ services: [{ encryptionRequired: true }] }, 'services[0].name', /must have a name/],
      [{ services: [wiki, wiki] }, 'services.wiki', /two entities with the name wiki/],
      [{ services: [{ ...wiki, encryption: true }] }, 'services.wiki.encryption', /unknown field encryption: it may have name,/],
      [{ services: [{ name: 'new' }] }, 'services.new.encryptionRequired', /boolean/],
      [role(['@none']), 'servicePolicies.dial', /refers to the service 'none'/],
      [role('@wiki'), 'servicePolicies.dial.serviceRoles', /array/],
      [{ owner: 'other', services: [wiki] }, 'services.wiki.tags.managedBy', /belongs to team/],
      [{}, 'document.owner', /prune requires the owner/, { prune: true }],
      [{ owner: 'team', ...role(['@wiki']) }, 'servicePolicies.dial', /prune would delete/, { prune: true }],
      [{ identities: [{ name: 'r1', type: 'Router' }] }, 'identities.r1', /requires an edge router/],
      [{ identities: [{ name: 'Default Admin', isAdmin: true }] }, 'identities.Default Admin', /cannot be declared/],
    ];
    for (const [document, field, reason, options] of refusals) {
      const cause = await refusalOf(api, document, options);
      assert.equal(cause.field, field);
      assert.match(cause.reason, reason);
    }
  });

  test('a field that never changes is refused where the document changes it', async () => {
    await using app = await open();
    const { api } = app.controller;
    await declareOneOfEach(api);
    const document: StateDocument = { configTypes: [{ name: 'a' }, { name: 'b' }], configs: [{ name: 'c', configType: 'a', data: {} }] };
    await become(api, document);
    const cause = await refusalOf(api, { configs: [{ name: 'c', configType: 'b', data: {} }] });
    assert.equal(cause.field, 'configs.c.configTypeId');
    const endless = policy({ name: 'ann dials wiki', reason: 'audit' });
    assert.match((await refusalOf(api, { servicePolicies: [endless] })).reason, /validUntil .* cannot be removed/);
  });

  test('where the keys of a signer are is shown nowhere, unless the setting shows it', async () => {
    await using app = await open();
    await using showing = await open({ settings: { showJwksEndpoints: true } });
    const signer = { name: 'idp', issuer: 'https://a.example', audience: 'us', enabled: true };
    const document = { externalJwtSigners: [{ ...signer, jwksEndpoint: 'https://a.example/keys?secret' }] };
    for (const { controller } of [app, showing]) {
      const plan = await controller.api.state.plan({ body: { document } });
      assert.doesNotMatch(JSON.stringify(plan.changes), /secret/);
      await controller.api.state.apply({ body: plan });
      assert.deepEqual(await become(controller.api, document), []);
    }
    assert.deepEqual(
      (await app.controller.api.state.export()).externalJwtSigners,
      [signer].map(({ name, ...rest }) => ({ name, ...rest })),
    );
    assert.deepEqual(await become(app.controller.api, { externalJwtSigners: [{ ...signer, audience: 'them' }] }), [
      'update externalJwtSigners idp',
    ]);
    assert.equal((await app.rows('externalJwtSigner'))[0]?.jwksEndpoint, 'https://a.example/keys?secret');
    assert.deepEqual(
      (await showing.controller.api.state.export()).externalJwtSigners?.[0]?.jwksEndpoint,
      document.externalJwtSigners[0]?.jwksEndpoint,
    );
  });

  test('a document is of a past state, and what has ended since then is left out', async () => {
    await using app = await open();
    const { controller, clock } = app;
    const { state } = controller.api;
    const validUntil = new Date(clock.now() + 60_000).toISOString();
    const document: StateDocument = {
      identities: [{ name: 'ann', roleAttributes: ['staff'], roleAttributeGrants: { contractor: { validUntil } } }],
      servicePolicies: [policy({ identityRoles: ['@ann'], serviceRoles: ['#all'], validUntil })],
    };
    const { revision } = await state.apply({ body: { document } });
    clock.advance('1m');
    assert.deepEqual((await state.apply({ body: { document } })).results, []);
    const { authPolicies, ...now } = await state.export();
    assert.deepEqual(now, { identities: [{ name: 'ann', roleAttributes: ['staff'] }] });
    assert.deepEqual((await controller.at(revision).state.export()).identities, document.identities);
    await using other = await open();
    other.clock.advance('1m');
    await other.controller.api.state.apply({ body: { document } });
    assert.deepEqual(await other.controller.api.state.export(), { authPolicies, ...now });
  });

  test('policy tests are declared with the policies, by the names of what they are about, and refuse a plan that breaks them', async () => {
    await using app = await open();
    const { api } = app.controller;
    const document: StateDocument = {
      services: [wiki],
      identities: [{ name: 'ann', type: 'Default', isAdmin: false }],
      servicePolicies: [policy({ identityRoles: ['@ann'], serviceRoles: ['@wiki'] })],
      policyTests: [{ name: 'ann reaches the wiki', identity: 'ann', service: 'wiki', expect: 'dial' }],
    };
    assert.equal((await become(api, document)).at(-1), 'create policyTests ann reaches the wiki');
    assert.deepEqual((await api.state.export({ select: ['policyTests'] })).policyTests, document.policyTests);
    const broken = { ...document, servicePolicies: [policy({ identityRoles: ['#staff'], serviceRoles: ['@wiki'] })] };
    const plan = await api.state.plan({ body: { document: broken } });
    assert.deepEqual(
      plan.access?.brokenTests.map(({ name }) => name),
      ['ann reaches the wiki'],
    );
    await assert.rejects(api.state.apply({ body: plan }), { code: 'POLICY_TESTS_BROKEN' });
    await become(api, { ...broken, policyTests: [{ name: 'ann reaches the wiki', identity: 'ann', service: 'wiki', expect: 'none' }] });
    assert.equal((await refusalOf(api, { policyTests: [{ name: 'x', service: 'wki', expect: 'dial' }] })).field, 'policyTests.x');
  });

  test('a plan shows who would gain and who would lose what, to callers who may carry it out', async () => {
    await using app = await open();
    const { controller } = app;
    const { state } = controller.api;
    const document = (names: readonly string[]): StateDocument => ({
      services: [wiki],
      identities: [{ name: 'ann' }, { name: 'bob' }],
      servicePolicies: [policy({ identityRoles: names.map((name) => `@${name}`), serviceRoles: ['@wiki'] })],
    });
    await state.apply({ body: { document: document(['ann']) } });
    const body = { document: document(['bob']) };
    const left = await app.trail(async () => {
      const { access } = await state.plan({ body });
      assert.deepEqual(
        [access?.gained.map(({ identity }) => identity.name), access?.lost.map(({ identity }) => identity.name)],
        [['bob'], ['ann']],
      );
      assert.deepEqual([access?.counts.gained, access?.counts.lost], [1, 1]);
      assert.equal((await state.plan({ body: { ...body, access: false } })).access, undefined);
    });
    assert.deepEqual(left, []);
    const { id } = await controller.api.identities.create({
      body: { name: 'auditor', type: 'User', isAdmin: false, permissions: ['admin_readonly'] },
    });
    const plan = await controller.asIdentity(id).state.plan({ body });
    assert.deepEqual([plan.operations.length, plan.access], [1, undefined]);
  });

  test('applying the same document again writes nothing, and a plan is applied once', async () => {
    await using app = await open();
    const { api } = app.controller;
    const document: StateDocument = {
      owner: 'team',
      services: [wiki],
      servicePolicies: [policy({ serviceRoles: ['@wiki'], identityRoles: ['#all'] })],
    };
    const plan = await api.state.plan({ body: { document } });
    const { results, revision } = await api.state.apply({ body: plan });
    assert.deepEqual(
      results.map(({ operation }) => operation),
      ['services.create', 'servicePolicies.create'],
    );
    assert.equal(revision, (await api.state.plan({ body: { document } })).revision);
    assert.deepEqual(await app.trail(() => api.state.apply({ body: { document } })), []);
    await assert.rejects(api.state.apply({ body: plan }), refusal(412, 'PRECONDITION_FAILED'));
    assert.equal((await api.services.list()).data[0]?.id, results[0]?.id);
  });

  test('a plan is refused when the configuration has changed since, and not for logins or what routers report', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id, login } = await app.user();
    const plan = () => api.state.plan({ body: { document: { services: [wiki] } } });
    const earlier = await plan();
    await login();
    await api.identities.patch({ id, body: { roleAttributes: [] } });
    await api.state.apply({ body: earlier });
    for (const change of [
      () => api.identities.patch({ id, body: { roleAttributes: ['a'] } }),
      () => api.services.create({ body: { ...wiki, name: 'other' } }),
      () => api.identities.delete({ id }),
    ]) {
      const { revision } = await plan();
      await change();
      const left = await app.trail(() =>
        assert.rejects(api.state.apply({ body: { revision, operations: [] } }), refusal(412, 'PRECONDITION_FAILED')),
      );
      assert.deepEqual(left, []);
    }
    const { revision } = await plan();
    await assert.rejects(api.state.apply({ body: { revision: revision + 1, operations: [] } }), refusal(412, 'PRECONDITION_FAILED'));
  });

  test('a plan is compared with all that has changed since, or refused if that is not known any more', async () => {
    for (const changesKept of [undefined, 200]) {
      await using app = await open({ settings: changesKept === undefined ? {} : { changesKept } });
      const { api } = app.controller;
      const { id } = await app.user();
      const writeNothing = async (count: number) => {
        for (let i = 0; i < count; i++) await api.identities.patch({ id, body: { roleAttributes: [] } });
      };
      const plan = async () => ({
        revision: (await api.state.plan({ body: { document: { services: [wiki] } } })).revision,
        operations: [],
      });
      const unmoved = await plan();
      await writeNothing(210);
      if (changesKept === undefined) await api.state.apply({ body: unmoved });
      else await assert.rejects(api.state.apply({ body: unmoved }), refusal(412, 'PRECONDITION_FAILED'));
      const moved = await plan();
      if (changesKept === undefined) await writeNothing(210);
      await api.services.create({ body: { ...wiki, name: 'other' } });
      await assert.rejects(api.state.apply({ body: moved }), refusal(412, 'PRECONDITION_FAILED'));
    }
  });

  test('a plan is carried out as a whole or not at all', async () => {
    await using app = await open();
    const { api } = app.controller;
    const document = { configTypes: [{ name: 'first' }], configs: [{ name: 'c', configType: 'host.v1', data: { nonsense: true } }] };
    const left = await app.trail(() => assert.rejects(api.state.apply({ body: { document } }), refusal(400, 'COULD_NOT_VALIDATE')));
    assert.deepEqual(left, []);
  });

  test('half a plan, and a document beside one, are refused, and so is a plan that could not be carried out', async () => {
    await using app = await open();
    const { api } = app.controller;
    const document = { services: [wiki] };
    const { revision, operations } = await api.state.plan({ body: { document } });
    const halves: readonly (readonly [object, field: string])[] = [
      [{ revision, operations, document }, 'document'],
      [{ revision, document }, 'document'],
      [{ revision }, 'operations'],
      [{ operations }, 'revision'],
      [{}, 'operations'],
      [{ revision, operations, prune: true }, 'prune'],
    ];
    for (const [body, field] of halves) {
      const error = await api.state.apply({ body }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE', JSON.stringify(body));
      assert.equal((error.cause as { readonly field: string }).field, field); // of every refused field
    }
    const invalid = { configs: [{ name: 'c', configType: 'host.v1', data: { nonsense: true } }] };
    await assert.rejects(api.state.plan({ body: { document: invalid } }), refusal(400, 'COULD_NOT_VALIDATE'));
  });

  test('auditors plan, and apply needs the right to each operation, too', async () => {
    await using app = await open();
    const { controller } = app;
    const auditor = await controller.api.identities.create({
      body: { name: 'auditor', type: 'User', isAdmin: false, permissions: ['admin_readonly', 'service'] },
    });
    const stranger = await controller.api.identities.create({
      body: { name: 'stranger', type: 'User', isAdmin: false, permissions: ['service', 'identity'] },
    });
    const { state } = controller.asIdentity(auditor.id);
    await state.apply({ body: { document: { services: [wiki] } } });
    assert.deepEqual((await state.export({ select: ['services'] })).services, [wiki]);
    const forbidden = { servicePolicies: [policy({})] };
    assert.equal((await state.plan({ body: { document: forbidden } })).operations.length, 1);
    await assert.rejects(
      state.apply({ body: { document: { services: [{ ...wiki, name: 'x' }], ...forbidden } } }),
      refusal(401, 'UNAUTHORIZED'),
    );
    assert.equal((await controller.api.services.list()).pagination.totalCount, 1);
    const { state: denied } = controller.asIdentity(stranger.id);
    const document = {};
    for (const call of [() => denied.export(), () => denied.plan({ body: { document } }), () => denied.apply({ body: { document } })])
      await assert.rejects(call, refusal(401, 'UNAUTHORIZED'));
  });

  test('a host rule limits what documents show and refer to', async () => {
    await using app = await open({
      authorize: ({ actor, right }) =>
        actor.kind === 'identity' ? (right?.startsWith('service.') ? { where: 'name != "secret"' } : true) : undefined,
    });
    const { controller } = app;
    for (const name of ['secret', 'wiki']) await controller.api.services.create({ body: { ...wiki, name } });
    await controller.api.servicePolicies.create({ body: policy({ serviceRoles: [], identityRoles: [] }) as never });
    const { id } = await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
    const { state } = controller.asIdentity(id);
    assert.deepEqual((await state.export()).services, [wiki]);
    await assert.rejects(
      state.plan({ body: { document: { servicePolicies: [policy({ serviceRoles: ['@secret'] })] } } }),
      refusal(400, 'COULD_NOT_VALIDATE', 'servicePolicies.dial'),
    );
  });
});

test('an API token that only reads plans while another caller writes, and gets the difference without what it means for access', async () => {
  await using app = await openApp('memory');
  const { identities } = app.controller.api;
  const { id } = await identities.create({ body: { name: 'robot', type: 'Device', isAdmin: true } });
  const document = { services: [wiki] };
  const planned = async (permissions: readonly string[]) => {
    const { secret: as } = await giveToken(app, id, { permissions });
    return async () => (await app.request('POST', `${EXTENSIONS}/state/plan`, { as, body: { document } })).body.data;
  };
  const [reading, writing] = [await planned(['admin_readonly', 'service.read']), await planned(['admin_readonly', 'service'])];
  const plan = await app.inStore('write', reading);
  assert.deepEqual([plan.operations.length, plan.access], [1, undefined]);
  assert.equal((await writing()).access?.counts.gained, 0);
});
