/** Rights to services are rights over the traffic: a session of an administrator must not keep a delegate from deleting the service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { network } from '../support/network.ts';

onEveryStore('a session of an administrator', (open) => {
  test('neither blocks nor betrays itself to a delegate that deletes its service, and is ended by no other right', async () => {
    await using app = await open();
    const router = await app.create('/edge-routers', { name: 'edge' });
    await app.alter('router', router, { isVerified: true, fingerprint: 'abcdef' });
    const net = network(app);
    await net.dial({ identities: ['#all'], services: ['#all'] });
    await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
    await net.routersOfServices({ services: ['#all'], routers: ['#all'] });
    const service = await app.create('/services', { name: 'wiki', encryptionRequired: true });
    const { username } = await app.user({ isAdmin: true });
    const login = await app.request('POST', '/edge/client/v1/authenticate?method=password', {
      as: null,
      body: { username, password: PASSWORD },
    });
    const dialed = await app.request('POST', '/edge/client/v1/sessions', {
      as: login.body.data.token,
      body: { serviceId: service, type: 'Dial' },
    });
    assert.equal(dialed.status, 201, dialed.text);
    const ops = await (await app.user({ permissions: ['ops'] })).login();
    assert.equal((await app.request('DELETE', `/sessions/${dialed.body.data.id}`, { as: ops })).status, 401);
    assert.equal((await app.request('DELETE', `/api-sessions/${login.body.data.id}`, { as: ops })).status, 401);
    assert.equal(await app.count('session'), 1);
    const token = await (await app.user({ permissions: ['service'] })).login();
    assert.equal((await app.request('DELETE', `/services/${service}`, { as: token })).status, 200);
    assert.equal(await app.count('session'), 0);
  });
});
