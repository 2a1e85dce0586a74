import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { pages } from '../support/console.ts';
import { aNetwork, read } from '../support/console-network.ts';

onEveryStore('what the admin console asks for', (open) => {
  test('every list of every page is answered, with what the page shows', async () => {
    await using app = await open();
    const { shown } = await aNetwork(app);
    const wrong: string[] = [];
    for (const [page, requests] of Object.entries(pages(shown)))
      for (const { path, count } of requests) {
        const { status, body, text } = await app.request('GET', path, { headers: { accept: 'application/json' } });
        if (status !== 200) wrong.push(`${page}: GET ${path} is ${status} ${text}`);
        else if (body.meta.pagination && body.meta.pagination.totalCount !== count)
          wrong.push(`${page}: GET ${path} counts ${body.meta.pagination.totalCount}, not ${count}`);
        else if (!Array.isArray(body.data)) wrong.push(`${page}: GET ${path} is no list`);
      }
    assert.deepEqual(wrong, []);
  });

  test('a service policy shows the names of what its roles select, whether or not they are on the page that was loaded', async () => {
    await using app = await open();
    const { servicePolicy, service, bob, check } = await aNetwork(app);
    const { data } = (await app.request('GET', `/service-policies/${servicePolicy}//`)).body;
    assert.deepEqual(
      new Set(
        [...data.identityRolesDisplay, ...data.serviceRolesDisplay, ...data.postureCheckRolesDisplay].map(
          ({ role, name }) => `${role} ${name}`,
        ),
      ),
      new Set(['#sales #sales', `@${bob} @bob`, `@${service} @web`, '#managed #managed', `@${check} @systems`]),
    );
  });

  test('what the menus of the pages do: disable, enable, test access, enroll anew, change the own password, delete', async () => {
    await using app = await open();
    const net = await aNetwork(app);
    const done = async (method: string, path: string, body?: unknown) => {
      const { status, text, body: answer } = await app.request(method, path, body === undefined ? {} : { body });
      assert.ok(status === 200 || status === 201, `${method} ${path}: ${text}`);
      return answer.data;
    };
    await done('POST', `//identities/${net.identity}/disable`, { durationMinutes: 30 });
    assert.equal((await done('GET', `//identities/${net.identity}`)).disabled, true);
    await done('POST', `//identities/${net.identity}/enable`, { durationMinutes: 0 });
    assert.equal((await done('GET', `//identities/${net.identity}//`)).disabled, false);
    const advice = await done('GET', `//identities/${net.identity}/policy-advice/${net.service}`);
    assert.deepEqual(
      [
        advice.isDialAllowed,
        advice.isBindAllowed ?? false,
        advice.identityRouterCount,
        advice.serviceRouterCount,
        advice.commonRouters.length,
      ],
      [true, false, 1, 1, 1],
    );
    const device = await app.create('/identities', {
      name: 'phone',
      type: 'Device',
      appData: {},
      isAdmin: false,
      roleAttributes: [],
      authPolicyId: 'default',
      externalId: '',
      defaultHostingCost: 0,
      defaultHostingPrecedence: 'default',
      tags: {},
      enrollment: { ott: true },
    });
    const { ott } = (await read(app, 'identities', device)).enrollment;
    await done('POST', `/enrollments/${ott.id}/refresh`, { expiresAt: '2031-05-01T10:00:00.000Z' });
    assert.equal((await read(app, 'identities', device)).enrollment.ott.expiresAt, '2031-05-01T10:00:00.000Z');
    await done('DELETE', `/enrollments/${ott.id}`);
    await done('POST', `/edge-routers/${net.router}/re-enroll`, {});
    const jwt = await app.request('GET', `/cas/${net.ca}/jwt/`, {
      headers: { accept: 'application/jwt', 'content-type': 'application/jwt' },
    });
    assert.deepEqual([jwt.status, jwt.text.split('.').length], [200, 3]);
    const [own] = await done('GET', '/current-identity/authenticators?filter=method=%22updb%22');
    await done('PUT', `/current-identity/authenticators/${own.id}`, {
      currentPassword: 'the-admin-password',
      password: PASSWORD,
      username: own.username,
    });
    assert.equal((await app.login('admin', PASSWORD)).status, 200);
    for (const [collection, id] of [
      ['service-policies', net.servicePolicy],
      ['terminators', net.terminator],
      ['services', net.service],
      ['edge-routers', net.router],
      ['identities', net.identity],
    ] as const)
      await done('DELETE', `/${collection}/${id}`);
  });
});
