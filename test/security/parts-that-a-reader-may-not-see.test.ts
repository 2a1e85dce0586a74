/** Who may read identities does not read services, policies, posture checks, routers and sessions by asking who reaches what. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTENSIONS, giveToken } from '../support/api-tokens.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { network } from '../support/network.ts';

const MAC = '001122334455';
const NAMES = ['the-crm', 'the-policy', 'the-check', 'the-router'] as const;
const READ = ['identity.read', 'service.read', 'service-policy.read', 'posture-check.read', 'router.read'];

const ground = async (app: App) => {
  const net = network(app);
  const { id: ann, username } = await app.user({ name: 'ann', roleAttributes: ['all'] });
  const crm = await net.service('the-crm', 'all');
  const check = { name: 'the-check', typeId: 'MAC', macAddresses: [MAC], roleAttributes: ['all'] };
  await app.create('/posture-checks', check);
  await app.alter('router', await net.router('the-router', 'all'), { isVerified: true, fingerprint: 'f' });
  const all = { semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] };
  await app.create('/service-policies', { ...all, name: 'the-policy', type: 'Dial', postureCheckRoles: ['#all'] });
  await app.create('/service-policies', { ...all, name: 'the-policy too', type: 'Bind' });
  await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
  await net.routersOfServices({ services: ['#all'], routers: ['#all'] });
  const login = { as: null, body: { username, password: PASSWORD } };
  const { id: apiSession, token } = (await app.request('POST', '/edge/client/v1/authenticate?method=password', login)).body.data;
  const session = await app.request('POST', '/edge/client/v1/sessions', { as: token, body: { serviceId: crm, type: 'Bind' } });
  assert.equal(session.status, 201, session.text);
  return { ann, crm, apiSession, session: session.body.data.id };
};

type Ground = Awaited<ReturnType<typeof ground>>;

const pathsOf = ({ ann, crm }: Ground) => ({
  explain: `${EXTENSIONS}/identities/${ann}/services/${crm}/explain?type=Bind`,
  explainDial: `${EXTENSIONS}/identities/${ann}/services/${crm}/explain?type=Dial`,
  matrix: `${EXTENSIONS}/access/matrix`,
  whoCan: `${EXTENSIONS}/services/${crm}/who-can`,
  reach: `${EXTENSIONS}/identities/${ann}/reach`,
});

onEveryStore('who may read identities alone', (open) => {
  const reader = async (app: App, fields: Readonly<Record<string, unknown>>) => (await app.user(fields)).login();

  test('sees no service in the matrix and in reach, and none is found', async () => {
    await using app = await open();
    const paths = pathsOf(await ground(app));
    const as = await reader(app, { permissions: ['identity.read'] });
    const elsewhere = await reader(app, {
      permissions: ['identity.read'],
      scopedPermissions: { 'service.read': { roleAttributes: ['elsewhere'] } },
    });
    for (const [name, path] of Object.entries(paths)) {
      const [none, narrow] = [await app.request('GET', path, { as }), await app.request('GET', path, { as: elsewhere })];
      const isOfService = name.startsWith('explain') || name === 'whoCan';
      assert.equal(none.status, isOfService ? 404 : 200, `${name}: ${none.text}`);
      if (!isOfService) assert.deepEqual(none.body.data.entries, [], name);
      assert.deepEqual([narrow.status, narrow.body.data], [none.status, none.body.data], name);
    }
  });

  test('sees of what reaches a service no policy, posture check, router and session without the right to it', async () => {
    await using app = await open();
    const made = await ground(app);
    const paths = pathsOf(made);
    const readers = {
      services: await reader(app, { permissions: ['identity.read', 'service.read'] }),
      everything: await reader(app, { permissions: [...READ, 'ops.read'] }),
    };
    for (const [name, path] of Object.entries(paths)) {
      const { status, text } = await app.request('GET', path, { as: readers.services });
      assert.equal(status, 200, text);
      assert.ok(text.includes('the-crm') && text.includes('ann'), text);
      for (const hidden of ['the-policy', 'the-check', 'the-router', MAC, made.session])
        assert.ok(!text.includes(hidden), `${name} shows ${hidden}: ${text}`);
    }
    const whole = async (path: string) => (await app.request('GET', path, { as: readers.everything })).text;
    const ofSession = `${paths.explainDial}&apiSessionId=${made.apiSession}`;
    const statuses = [readers.services, readers.everything].map(async (as) => (await app.request('GET', ofSession, { as })).status);
    assert.deepEqual(await Promise.all(statuses), [404, 200]);
    const bind = await whole(paths.explain);
    for (const shown of ['the-policy', 'the-router', made.session]) assert.ok(bind.includes(shown), `${shown} is hidden: ${bind}`);
    const dial = await whole(paths.explainDial);
    for (const shown of [...NAMES, MAC]) assert.ok(dial.includes(shown), `${shown} is hidden: ${dial}`);
    const hidden = (await app.request('GET', paths.explainDial, { as: readers.services })).body.data;
    assert.deepEqual(
      [hidden.isPermitted, hidden.policies, hidden.morePolicies, hidden.otherPolicies, hidden.identityRouterCount],
      [true, [], 0, 0, 0],
    );
  });

  test('sees in a preview no session that would end without the right to sessions', async () => {
    await using app = await open();
    const { session } = await ground(app);
    const [policy] = (await app.request('GET', '/service-policies?filter=name="the-policy too"')).body.data;
    const ended = async (...permissions: readonly string[]) => {
      const as = await reader(app, { permissions: [...READ, 'service-policy.delete', ...permissions] });
      const body = { operations: [{ operation: 'servicePolicies.delete', input: { id: policy.id } }] };
      const { status, text, body: answer } = await app.request('POST', `${EXTENSIONS}/access/preview`, { as, body });
      assert.equal(status, 200, text);
      return { ids: answer.data.sessions.map(({ id }: { readonly id: string }) => id), count: answer.data.counts.sessions };
    };
    assert.deepEqual(await ended(), { ids: [], count: 0 });
    assert.deepEqual(await ended('ops.read'), { ids: [session], count: 1 });
  });

  test('sees in a preview a session that would end if its service is within its limits, and no other', async () => {
    const limits = { 'not (anyOf(roleAttributes) = "all")': 0, 'anyOf(roleAttributes) = "all"': 1, 'name != "another"': 1 };
    for (const [where, count] of Object.entries(limits)) {
      await using app = await open({
        authorize: ({ actor, right }) => {
          if (actor.name !== 'sso:reader' || right === undefined) return undefined;
          return right === 'service.read' ? { where } : true;
        },
      });
      await ground(app);
      const [policy] = (await app.request('GET', '/service-policies?filter=name="the-policy too"')).body.data;
      const operations = [{ operation: 'servicePolicies.delete', input: { id: policy.id } }];
      const report = await app.controller.api.access.preview({ body: { operations } }, { actor: 'sso:reader' });
      assert.deepEqual([report.counts.sessions, report.sessions.length], [count, count], where);
    }
  });

  test('sees no session in an explanation if the rule of the host refuses it the right to sessions', async () => {
    await using app = await open({
      authorize: ({ actor, right }) => (actor.name === 'sso:reader' && right !== undefined ? !right.startsWith('ops') : undefined),
    });
    const { ann, crm, session, apiSession } = await ground(app);
    const { access } = app.controller.api;
    const input = { identityId: ann, serviceId: crm, type: 'Bind' } as const;
    const sessions = async (actor: string) => (await access.explain(input, { actor })).sessions;
    assert.deepEqual([await sessions('sso:reader'), await sessions('sso:other')], [[], [session]]);
    const ofSession = { ...input, apiSessionId: apiSession };
    await assert.rejects(access.explain(ofSession, { actor: 'sso:reader' }), { code: 'NOT_FOUND' });
    assert.equal((await access.explain(ofSession, { actor: 'sso:other' })).isAllowed, true);
  });

  test('sees never less with a scoped right than without it', async () => {
    await using app = await open();
    const paths = pathsOf(await ground(app));
    const kinds = ['service.read', 'posture-check.read', 'router.read'];
    const without = await reader(app, { permissions: ['identity.read', 'service.read'] });
    const scopedPermissions = Object.fromEntries(kinds.map((name) => [name, { roleAttributes: ['all'] }]));
    const scoped = await reader(app, { permissions: ['identity.read', 'service-policy.read'], scopedPermissions });
    for (const path of Object.values(paths)) {
      const { text } = await app.request('GET', path, { as: scoped });
      const less = (await app.request('GET', path, { as: without })).text;
      for (const name of NAMES) assert.ok(!less.includes(name) || text.includes(name), `${path} hides ${name}: ${text}`);
      assert.ok(text.includes('the-policy'), text);
    }
  });

  test('sees no more by an API token of an administrator, or by a rule of the host that refuses the right to read', async () => {
    await using app = await open({
      authorize: ({ actor, right }) => {
        if (actor.name !== 'sso:reader' || right === undefined) return undefined;
        return right === 'identity.read' || right === 'change.read';
      },
    });
    const made = await ground(app);
    const { matrix } = pathsOf(made);
    const chief = await app.user({ isAdmin: true });
    const narrow = await giveToken(app, chief.id, { permissions: ['identity.read'] });
    assert.deepEqual((await app.request('GET', matrix, { as: narrow.secret })).body.data.entries, []);
    const wide = await giveToken(app, chief.id, { permissions: READ });
    assert.ok((await app.request('GET', matrix, { as: wide.secret })).text.includes('the-crm'));
    const { access } = app.controller.api;
    assert.deepEqual((await access.matrix({}, { actor: 'sso:reader' })).entries, []);
    assert.ok((await access.matrix({}, { actor: 'sso:other' })).entries.length > 0);
    const gained = async (actor: string) => (await access.compare({ from: 1 }, { actor })).counts.gained;
    assert.deepEqual([await gained('sso:reader'), (await gained('sso:other')) > 0], [0, true]);
    const { revision: from } = await app.controller.api.audit.head();
    await app.controller.api.sessions.delete({ id: made.session });
    const ended = async (actor: string) => (await access.compare({ from }, { actor })).counts.sessions;
    assert.deepEqual([await ended('sso:reader'), await ended('sso:other')], [0, 1]);
  });

  test('sees no posture check of a policy that it may read, in a comparison', async () => {
    await using app = await open({
      authorize: ({ actor, right }) => (actor.name === 'sso:reader' && right?.startsWith('posture-check.') ? false : undefined),
    });
    await ground(app);
    const compared = async (actor: string) =>
      JSON.stringify(await app.controller.api.access.compare({ from: 1 }, { actor }).catch((error) => error.code));
    const [hidden, whole] = [await compared('sso:reader'), await compared('sso:other')];
    assert.ok(whole.includes('the-check') && whole.includes('the-policy'), whole);
    assert.ok(!hidden.includes('the-check') && hidden.includes('the-policy'), hidden);
  });

  test('sees no service in a comparison if its limit is about other kinds, which no longer exist as they were', async () => {
    await using app = await open({
      authorize: ({ actor, right }) =>
        actor.name === 'sso:reader' && right === 'service.read' ? { where: 'isEmpty(from configs where name = "none")' } : undefined,
    });
    await ground(app);
    const { services, access } = app.controller.api;
    assert.deepEqual((await services.list({}, { actor: 'sso:reader' })).data.length, (await services.list()).data.length);
    const gained = async (actor: string) => (await access.compare({ from: 1 }, { actor })).counts.gained;
    assert.deepEqual([await gained('sso:reader'), (await gained('sso:other')) > 0], [0, true]);
  });
});
