import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api, StateDocument, StatePlan } from '../../src/index.ts';
import { ApiError } from '../../src/index.ts';
import { onEveryStore } from '../support/app.ts';
import { carryOut, declareOneOfEach, textOf } from '../support/declared-state.ts';

const changesOf = ({ changes }: StatePlan) => changes.map(({ action, section, name }) => `${action} ${section} ${name}`);

/** Plans a document, carries the plan out, and returns its changes. */
const become = async (api: Api, document: StateDocument, options: { readonly prune?: boolean } = {}): Promise<readonly string[]> => {
  const plan = await api.state.plan({ body: { document, ...options } });
  await carryOut(api, plan);
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
    await carryOut(other, await other.state.plan({ body: { document } }));
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
    };
    assert.deepEqual(await become(api, leaner), [
      'update authPolicies strict',
      'update cas corporate',
      'update services wiki',
      'update edgeRouters edge',
      'update identities ann',
      'update identities edge',
      'update servicePolicies ann dials wiki',
    ]);
    const after = await api.state.export();
    assert.deepEqual(after, { ...before, ...leaner, identities: [...(leaner.identities ?? []), { name: 'root', isAdmin: true }] });
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
      [{ services: [{ encryptionRequired: true }] }, 'services[0].name', /needs a name/],
      [{ services: [wiki, wiki] }, 'services.wiki', /two entities with the name wiki/],
      [{ services: [{ ...wiki, encryption: true }] }, 'services.wiki.encryption', /unknown field encryption: it may have name,/],
      [{ services: [{ name: 'new' }] }, 'services.new.encryptionRequired', /boolean/],
      [role(['@none']), 'servicePolicies.dial', /refers to the service 'none'/],
      [role('@wiki'), 'servicePolicies.dial.serviceRoles', /array/],
      [{ owner: 'other', services: [wiki] }, 'services.wiki.tags.managedBy', /belongs to team/],
      [{}, 'document.owner', /prune needs the owner/, { prune: true }],
      [{ owner: 'team', ...role(['@wiki']) }, 'servicePolicies.dial', /prune would delete/, { prune: true }],
      [{ identities: [{ name: 'r1', type: 'Router' }] }, 'identities.r1', /needs an edge router/],
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
      await carryOut(controller.api, plan);
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
});
