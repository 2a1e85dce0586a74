import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore, PASSWORD } from '../support/app.ts';

/** The values of fields that hold a secret, wherever they are in an answer. */
const secretsIn = (value: unknown, name = ''): readonly string[] => {
  if (typeof value === 'string') return /^(token|secret|jwt|recoveryCodes|provisioningUrl|unverifiedToken)$/.test(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((each) => secretsIn(each, name));
  return Object.entries(Object(value)).flatMap(([key, each]) => secretsIn(each, key));
};

onEveryStore('secrets and the audit', (open) => {
  test('no secret that was issued or chosen is in any record, whoever wrote it', async () => {
    await using app = await open();
    const user = await app.user({ name: 'ann', isAdmin: true });
    const as = await user.login();
    await app.login(user.username, 'a wrong password');
    await app.request('PUT', `/authenticators/${user.authenticatorId}`, {
      body: { username: user.username, password: 'another password' },
    });
    const device = await app.create('/identities', { name: 'device', type: 'Device', isAdmin: false, enrollment: { ott: true } });
    await app.request('GET', `/identities/${device}/enrollments`);
    await app.request('GET', '/enrollments');
    await app.request('POST', '/current-identity/mfa', { as });
    await app.request('GET', '/current-identity/mfa', { as });
    const expiresAt = new Date(app.clock.now() + 86_400_000).toISOString();
    const token = await app.controller.api.apiTokens.create({
      body: { name: 'ci', identityId: user.id, permissions: ['service.read'], expiresAt },
    });
    await app.create('/edge-routers', { name: 'edge', isTunnelerEnabled: true });
    await app.request('GET', '/edge-routers');
    const secrets = [...secretsIn(token), ...app.transcript.flatMap(({ answer }) => secretsIn(answer.body))];
    const { text } = await app.request('GET', '/edge/management/extensions/v1/audit/export');
    const { text: changes } = await app.request('GET', '/edge/management/extensions/v1/changes?limit=500');
    const issued = new Set(
      [...secrets, app.admin, as, PASSWORD, 'a wrong password', 'another password'].filter((secret) => secret.length > 5),
    );
    assert.ok(issued.size >= 8, `${issued.size} secrets`);
    for (const secret of issued) assert.ok(!`${text}${changes}`.includes(secret), `the audit holds ${secret}`);
  });
});
