import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HostRule, readOnlyRule } from '../../src/call/pipeline/host-rule.ts';
import { ApiError, type ErrorCode } from '../../src/contract/errors/index.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { caBody } from '../support/certificates.ts';
import { enrollMfa } from '../support/mfa.ts';
import { network } from '../support/network.ts';
import { authority, party } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';

const person = (name: string, more: object = {}) => ({ name, type: 'User', isAdmin: false, ...more }) as const;
const refused = (work: Promise<unknown>, code: ErrorCode = 'UNAUTHORIZED') =>
  assert.rejects(work, (error: unknown) => error instanceof ApiError && error.code === code);

/** May do everything with identities and what hangs on them, and nothing else. */
const helpDesk: HostRule = ({ actor, right }) =>
  actor.kind === 'identity' && right && /^(identity|authenticator|enrollment|auth-policy|ops|ca|external-jwt-signer)\./.test(right)
    ? true
    : undefined;

onEveryStore("a host's own rule of authorisation", (open) => {
  const helpDeskOf = async (app: App) => app.controller.as(await (await app.user({ name: 'desk' })).login());
  const names = (page: { readonly data: readonly { readonly name: string }[] }) => page.data.map(({ name }) => name).sort();

  test('readOnly refuses every write of clients, and neither logins nor the host itself', async () => {
    let rule: HostRule = () => undefined;
    await using app = await open({ authorize: (request) => rule(request) });
    const user = await app.user();
    rule = readOnlyRule;
    assert.ok(await user.login());
    assert.equal((await app.request('GET', '/identities')).status, 200);
    for (const [method, path, body] of [
      ['POST', '/identities', person('eve')],
      ['PATCH', `/identities/${user.id}`, { name: 'eve' }],
      ['DELETE', `/identities/${user.id}`, undefined],
      ['POST', `/identities/${user.id}/disable`, { durationMinutes: 1 }],
    ] as const)
      assert.equal((await app.request(method, path, { body })).status, 401, `${method} ${path}`);
    const { id } = await app.controller.api.identities.create({ body: person('by the host') });
    await refused(app.controller.api.identities.delete({ id }, { actor: 'sso:1' }));
    await app.controller.api.identities.delete({ id });
  });

  test('a session that is not an administrator gets the rights that the rule gives it, and no others', async () => {
    await using app = await open({ authorize: helpDesk });
    const desk = await helpDeskOf(app);
    const { id } = await desk.identities.create({ body: person('ann') });
    await desk.identities.patch({ id, body: { externalId: 'e' } });
    await desk.authenticators.create({ body: { method: 'updb', identityId: id, username: 'anne', password: 'Passw0rd!Passw0rd!' } });
    await desk.identities.disable({ id, body: { durationMinutes: 1 } });
    assert.equal((await desk.identities.get({ id })).name, 'ann');
    await refused(desk.services.list({}));
    await refused(desk.services.create({ body: { name: 's', encryptionRequired: true } }));
    await refused(desk.servicePolicies.list({}));
    const other = app.controller.as(await (await app.user({ name: 'other' })).login());
    assert.equal((await other.currentIdentity.get()).name, 'other');
  });

  test('who has a right from the rule alone does not reach administrators, by any way', async () => {
    await using app = await open({ authorize: helpDesk });
    const { controller } = app;
    const desk = await helpDeskOf(app);
    const boss = (await controller.api.identities.create({ body: person('boss', { isAdmin: true, enrollment: { ott: true } }) })).id;
    const ann = (await controller.api.identities.create({ body: person('ann') })).id;
    const [enrollment] = (await controller.api.identities.listEnrollments({ id: boss })).data;
    assert.ok(enrollment?.token);
    const { id: password } = await controller.api.authenticators.create({
      body: { method: 'updb', identityId: boss, username: 'boss', password: 'Passw0rd!Passw0rd!' },
    });
    const before = await app.rows('change');
    await refused(desk.identities.create({ body: person('eve', { isAdmin: true }) }));
    await refused(desk.identities.patch({ id: ann, body: { isAdmin: true } }));
    await refused(desk.identities.patch({ id: boss, body: { externalId: 'e' } }));
    await refused(desk.identities.replace({ id: boss, body: person('boss') }));
    await refused(desk.identities.delete({ id: boss }));
    await refused(desk.identities.disable({ id: boss, body: { durationMinutes: 1 } }));
    await refused(desk.authenticators.patch({ id: password, body: { password: 'Another1!Another1!' } }));
    await refused(desk.authenticators.delete({ id: password }));
    const second = { body: { method: 'updb', identityId: boss, username: 'boss2', password: 'Passw0rd!Passw0rd!' } } as const;
    await assert.rejects(desk.authenticators.create(second), ApiError);
    await refused(desk.enrollments.delete({ id: enrollment.id }));
    await refused(desk.enrollments.refresh({ id: enrollment.id, body: { expiresAt: '2099-01-01T00:00:00.000Z' } }));
    await refused(desk.authPolicies.patch({ id: 'default', body: { primary: { updb: { maxAttempts: 1 } } } }));
    await refused(
      desk.externalJwtSigners.create({ body: { name: 's', issuer: 'i', audience: 'a', enabled: true, certPem: (await party('s')).cert } }),
    );
    await refused(desk.cas.create({ body: caBody('ca', (await authority('ca')).cert) as never }));
    const changed = (await app.rows('change')).slice(before.length).filter(({ entity }) => entity !== 'apiSession');
    assert.deepEqual(changed, []);
    // Who has every right sees it, and what was shown to one is not remembered for another.
    assert.ok(JSON.stringify(await app.controller.api.identities.get({ id: boss })).includes(enrollment.token));
    const shown = [
      await desk.enrollments.get({ id: enrollment.id }),
      ...(await desk.enrollments.list({})).data,
      ...(await desk.identities.listEnrollments({ id: boss })).data,
      (await desk.identities.get({ id: boss })).enrollment,
    ];
    assert.ok(!JSON.stringify(shown).includes(enrollment.token), 'the token by which one becomes an administrator is shown');
  });

  test('a filter limits what is listed, counted, found, and written', async () => {
    const where = 'anyOf(roleAttributes) = "team-a"';
    const teamA: HostRule = ({ right }) => (right?.startsWith('identity.') ? { where } : right === undefined ? undefined : false);
    await using app = await open({ authorize: teamA });
    const { controller } = app;
    const make = async (name: string, ...roleAttributes: string[]) =>
      (await controller.api.identities.create({ body: person(name, { roleAttributes }) })).id;
    const [mine, theirs] = [await make('mine', 'team-a'), await make('theirs', 'team-b')];
    const lead = { actor: 'sso:lead' };
    const page = await controller.api.identities.list({}, lead);
    assert.deepEqual([names(page), page.pagination.totalCount], [['mine'], 1]);
    const found = await controller.api.identities.list({ filter: 'name = "theirs" or true = true limit none' }, lead).catch(() => page);
    assert.deepEqual(names(found), ['mine']);
    assert.equal((await controller.api.identities.get({ id: mine }, lead)).name, 'mine');
    await refused(controller.api.identities.get({ id: theirs }, lead), 'NOT_FOUND');
    await refused(controller.api.identities.patch({ id: theirs, body: { name: 'x' } }, lead), 'NOT_FOUND');
    await refused(controller.api.identities.delete({ id: theirs }, lead), 'NOT_FOUND');
    await refused(controller.api.identities.disable({ id: theirs, body: { durationMinutes: 1 } }, lead), 'NOT_FOUND');
    await refused(controller.api.identities.listServiceConfigs({ id: theirs }, lead), 'NOT_FOUND');
    await refused(controller.api.identities.patch({ id: mine, body: { roleAttributes: ['team-b'] } }, lead));
    await refused(controller.api.identities.create({ body: person('stray', { roleAttributes: ['team-b'] }) }, lead));
    await refused(controller.api.roleAttributes.identities({}, lead));
    await controller.api.identities.create({ body: person('recruit', { roleAttributes: ['team-a', 'new'] }) }, lead);
    await controller.api.identities.patch({ id: mine, body: { roleAttributes: ['team-a', 'senior'] } }, lead);
    assert.deepEqual(names(await controller.api.identities.list({}, lead)), ['mine', 'recruit']);
    assert.deepEqual(names(await controller.api.identities.list({ filter: 'anyOf(roleAttributes) = "team-b"' })), ['theirs']);
  });

  test('a filter limits administrators, too', async () => {
    const where = 'anyOf(roleAttributes) = "team-a"';
    await using app = await open({
      authorize: ({ actor, right }) => (actor.identity?.name === 'chief' && right?.startsWith('identity.') ? { where } : undefined),
    });
    const { id } = await app.controller.api.identities.create({ body: person('theirs', { roleAttributes: ['team-b'] }) });
    const chief = app.controller.as(await (await app.user({ name: 'chief', isAdmin: true })).login());
    await refused(chief.identities.get({ id }), 'NOT_FOUND');
    await refused(chief.identities.patch({ id, body: { name: 'ours' } }), 'NOT_FOUND');
    await refused(chief.identities.create({ body: person('stray', { roleAttributes: ['team-b'] }) }));
    assert.deepEqual(names(await chief.identities.list({})), []);
  });

  test('a related list takes the right to what it lists, and is limited by its filter', async () => {
    const rule: HostRule = ({ right }) => (right === 'service-policy.read' ? { where: 'name = "mine"' } : undefined);
    await using app = await open({ authorize: rule });
    const { services, servicePolicies } = app.controller.api;
    const { id } = await services.create({ body: { name: 's', encryptionRequired: true } });
    for (const name of ['mine', 'theirs'])
      await servicePolicies.create({ body: { name, type: 'Dial', semantic: 'AnyOf', serviceRoles: [`@${id}`] } });
    const lead = { actor: 'sso:lead' };
    assert.deepEqual(names(await servicePolicies.list({}, lead)), ['mine']);
    const page = await services.listServicePolicies({ id }, lead);
    assert.deepEqual([names(page), page.pagination.totalCount], [['mine'], 1]);
    assert.equal((await services.listServicePolicies({ id })).pagination.totalCount, 2);
  });

  test('the rule sees the target as it is stored, without secrets, and is asked again when it changed before the write', async () => {
    const seen: unknown[] = [];
    let interfere: (() => Promise<unknown>) | undefined;
    const rule: HostRule = async ({ actor, operation, right, target }) => {
      if (actor.name !== 'sso:1') return undefined;
      seen.push([operation, right, target?.name, Object.keys(target ?? {}).some((name) => /hash|secret/i.test(name))]);
      await interfere?.();
      interfere = undefined;
      return target?.name === 'ann';
    };
    await using app = await open({ authorize: rule });
    const { identities } = app.controller.api;
    const { id } = await identities.create({ body: person('ann') });
    await identities.patch({ id, body: { externalId: 'e' } }, { actor: 'sso:1' });
    assert.deepEqual(seen, [['identities.patch', 'identity.update', 'ann', false]]);
    interfere = () => identities.patch({ id, body: { name: 'anne' } });
    await refused(identities.patch({ id, body: { externalId: 'f' } }, { actor: 'sso:1' }));
    assert.equal((await identities.get({ id })).externalId, 'e');
    assert.deepEqual(seen.at(-1), ['identities.patch', 'identity.update', 'anne', false]);
  });

  test('the rule is asked again three times at most', async () => {
    let asked = 0;
    const rule: HostRule = async ({ actor, target }) => {
      if (actor.name !== 'sso:1') return undefined;
      asked++;
      await app.controller.api.identities.patch({ id: String(target?.id), body: { tags: { asked: String(asked) } } });
      return true;
    };
    await using app = await open({ authorize: rule });
    const { id } = await app.controller.api.identities.create({ body: person('ann') });
    await refused(app.controller.api.identities.patch({ id, body: { externalId: 'e' } }, { actor: 'sso:1' }), 'CONFLICT');
    assert.equal(asked, 4);
  });

  test('a rule may be slow and ask the controller itself, for reads and for writes', async () => {
    let app: App | undefined;
    app = await open({
      authorize: async ({ actor, target }) => {
        if (!app) return undefined; // the test's own login
        const { data } = await app.controller.api.identities.list({ filter: `id = "${actor.name}"` });
        return data[0]?.name === 'desk' && target?.isAdmin !== true ? true : undefined;
      },
    });
    const desk = await helpDeskOf(app);
    const { id } = await desk.identities.create({ body: person('ann') });
    const work = Array.from({ length: 20 }, (_, i) => [
      desk.identities.get({ id }),
      desk.identities.patch({ id, body: { tags: { i: String(i) } } }).catch((error: ApiError) => assert.equal(error.code, 'CONFLICT')),
    ]);
    await Promise.all(work.flat());
    await app.close();
  });

  test('a session that owes a factor gets nothing by the rule', async () => {
    await using app = await open({ authorize: () => true });
    const user = await app.user();
    const token = await user.login();
    await enrollMfa(app, token);
    const partial = app.controller.as(await user.login());
    await refused(partial.identities.list({}));
    await refused(partial.identities.create({ body: person('eve') }));
  });

  test('a rule that fails, or whose answer is not a verdict, refuses the call and is logged', async () => {
    let verdict: () => unknown = () => true;
    await using app = await open({ authorize: (() => verdict()) as HostRule, platform: { logger: silent() } });
    const list = () => app.controller.api.identities.list({}, { actor: 'sso:1' });
    await list();
    for (const answer of ['yes', 1, null, { where: 7 }, {}]) {
      verdict = () => answer;
      await refused(list());
    }
    verdict = () => {
      throw new Error('the directory is away');
    };
    await refused(list());
    verdict = () => ({ where: 'name = "x"' });
    await refused(app.controller.api.informational.summary(undefined as never, { actor: 'sso:1' }));
    for (const where of ['nonsense', 'name != "x" limit 5', 'name != "x" skip 1', 'name != "x" sort by name']) {
      verdict = () => ({ where });
      await assert.rejects(list(), TypeError, where);
    }
    assert.ok(logged.some((line) => line.includes('the rule of authorize failed')));
  });

  test('a rule that fails when it is asked about a related kind refuses the call, and about credentials shows none', async () => {
    let failing = 'visibility';
    const authorize: HostRule = ({ about }) => {
      if (about === failing) throw new Error('the directory is away');
      return true;
    };
    await using app = await open({ authorize, platform: { logger: silent() } });
    const { enrollments, identities } = app.controller.api;
    const { id } = await identities.create({ body: person('ann', { enrollment: { ott: true } }) });
    const list = async () => (await enrollments.list({}, { actor: 'sso:1' })).data.map(({ identityId, token }) => [identityId, token]);
    await refused(list());
    failing = 'credentials';
    assert.deepEqual(await list(), [[id, '']]);
  });

  test('what belongs to an entity is limited with it, whether most entities are within the limit or few', async () => {
    let own = 'ours';
    const authorize: HostRule = ({ about, right }) =>
      about === 'visibility' && right === 'identity.read' ? { where: `anyOf(roleAttributes) = "${own}"` } : true;
    await using app = await open({ authorize });
    const { enrollments, identities } = app.controller.api;
    const owners: Record<string, string[]> = { ours: [], theirs: [] };
    for (const [i, attribute] of ['ours', 'ours', 'ours', 'ours', 'theirs'].entries()) {
      const body = person(`${attribute} ${i}`, { roleAttributes: [attribute], enrollment: { ott: true } });
      owners[attribute]?.push((await identities.create({ body })).id);
    }
    for (own of ['ours', 'theirs'])
      assert.deepEqual(
        (await enrollments.list({}, { actor: 'sso:1' })).data.map(({ identityId }) => identityId).toSorted(),
        owners[own]?.toSorted(),
      );
  });

  test('what belongs to an entity that the caller may see and not change is shown, and neither made, changed nor deleted', async () => {
    const authorize: HostRule = ({ about, right }) =>
      about === 'visibility' && right === 'identity.update' ? { where: 'anyOf(roleAttributes) = "ours"' } : true;
    await using app = await open({ authorize });
    const { enrollments, identities } = app.controller.api;
    const lead = { actor: 'sso:lead' };
    const expiresAt = '2099-01-01T00:00:00.000Z';
    for (const [attribute, isChangeable] of [
      ['theirs', false],
      ['ours', true],
    ] as const) {
      const { id: identityId } = await identities.create({
        body: person(attribute, { roleAttributes: [attribute], enrollment: { ott: true } }),
      });
      const [{ id = '' } = {}] = (await identities.listEnrollments({ id: identityId })).data;
      assert.equal((await enrollments.get({ id }, lead)).identityId, identityId);
      assert.ok((await enrollments.list({}, lead)).data.some((each) => each.id === id));
      for (const change of [() => enrollments.refresh({ id, body: { expiresAt } }, lead), () => enrollments.delete({ id }, lead)])
        await (isChangeable ? change() : refused(change(), 'NOT_FOUND'));
      const { id: other } = await identities.create({ body: person(`other of ${attribute}`, { roleAttributes: [attribute] }) });
      const made = enrollments.create({ body: { identityId: other, method: 'ott', expiresAt } }, lead);
      await (isChangeable ? made : refused(made));
    }
  });

  test('what gets an owner beyond the limits while the rule decides is not found', async () => {
    let meanwhile = async (): Promise<unknown> => undefined;
    const authorize: HostRule = async ({ about, operation, right }) => {
      if (about === 'visibility' && right === 'router.read') return { where: 'name != "hidden"' };
      if (operation === 'terminators.get') await meanwhile();
      return true;
    };
    await using app = await open({ authorize });
    const net = network(app);
    const { terminators } = app.controller.api;
    const [service, shown, router] = [await net.service('wiki'), await net.router('shown'), await net.router('hidden')];
    const { id } = await terminators.create({ body: { service, router: shown, binding: 'transport', address: 'tcp:a:1' } });
    assert.equal((await terminators.get({ id }, { actor: 'sso:1' })).routerId, shown);
    meanwhile = () => terminators.patch({ id, body: { router } });
    await refused(terminators.get({ id }, { actor: 'sso:1' }), 'NOT_FOUND');
  });

  test('a rule without an answer about credentials shows none to who has no right of its own', async () => {
    await using app = await open({
      authorize: ({ actor, about }) => (actor.identity?.name === 'desk' && about === 'call' ? true : undefined),
    });
    const desk = await helpDeskOf(app);
    const { id } = await app.controller.api.identities.create({ body: person('ann', { enrollment: { ott: true } }) });
    const { data } = await desk.enrollments.list({ filter: `identity = "${id}"` });
    assert.deepEqual(
      data.map(({ token }) => token),
      [''],
    );
  });

  const logged: string[] = [];
  const silent = () => {
    const note = (message: string) => void logged.push(message);
    return { error: note, warn: note, info: note };
  };

  test('what a policy of the host may not break: the policies that administrators use', async () => {
    await using app = await open({ authorize: helpDesk });
    const desk = await helpDeskOf(app);
    const { id } = await desk.authPolicies.create({ body: policyBody('of users') as never });
    await desk.authPolicies.patch({ id, body: { name: 'of all users' } });
    await refused(desk.authPolicies.patch({ id: 'default', body: { tags: { a: 'b' } } }));
  });
});
