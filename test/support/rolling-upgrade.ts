import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { newSecretKey } from '../../src/index.ts';
import { equals, stringField } from '../../src/query/predicate.ts';
import { temporaryFolder } from '../examples/child.ts';
import { nextSchema, storageOf } from './next-release.ts';
import { until } from './until.ts';

const PASSWORD = 'the-admin-password';

/** Starts the server of a release. @param main the file of its command */
const started = async (t: TestContext, main: string, file: string, environment: Readonly<Record<string, string>>) => {
  // Routers enroll, for which the address needs https.
  const options = ['--port', '0', '--tls', 'off', '--address', 'https://overlay.example', '--health', '--storage', `sqlite:${file}`];
  const child = spawn(process.execPath, [main, ...options], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) {
    const [, address] = /^listening on (.+)$/.exec(line) ?? [];
    if (address === undefined) continue;
    child.stdout.resume();
    const stop = () => Promise.all([once(child, 'close'), child.kill('SIGTERM')]);
    return { ...clientOf(address), ready: async () => fetch(`${address}/ready`), stop };
  }
  throw new Error('the server did not start');
};

const clientOf = (address: string) => {
  let token = '';
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { 'zt-session': token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const answer = await fetch(`${address}/edge/management/v1${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  return {
    ask,
    login: async () => {
      // On a busy machine, the migration of the next release may hold up the other one for longer than it waits.
      await until(async () => {
        const { status, body } = await ask('POST', '/authenticate?method=password', { username: 'admin', password: PASSWORD });
        if (status === 503) return false;
        assert.equal(status, 200, JSON.stringify(body));
        token = body.data.token;
        return true;
      });
      return token;
    },
    use: (session: string) => void (token = session),
    create: async (path: string, body: unknown): Promise<string> => {
      const made = await ask('POST', path, body);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.body.data.id;
    },
  };
};

/**
 * The processes of two releases serve one network while the newer one takes the place of the older one, as in a rolling upgrade.
 * @param main the file of the command of the older release
 */
export const rollingUpgrade = async (t: TestContext, main: string): Promise<void> => {
  const file = join(temporaryFolder(t), 'controller.db');
  const environment = { SECRET_KEY: newSecretKey(), ADMIN_PASSWORD: PASSWORD };
  const old = await started(t, main, file, environment);
  await old.login();
  const identity = (name: string, precedence = 'default') => ({ name, type: 'User', isAdmin: false, defaultHostingPrecedence: precedence });
  await old.create('/identities', identity('before', 'required'));

  // The next release migrates the database while the other one serves it.
  const next = spawn(process.execPath, [join(import.meta.dirname, 'next-release.ts'), file], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => next.kill('SIGKILL'));
  const [address] = await once(createInterface(next.stdout), 'line');
  const now = clientOf(String(address));
  const session = await now.login();
  old.use(session);
  const [byOld, byNow] = [
    await old.create('/identities', identity('by old', 'required')),
    await now.create('/identities', identity('by now', 'required')),
  ];
  assert.equal((await old.ask('PATCH', `/identities/${byNow}`, { tags: { seen: true } })).status, 200);
  assert.equal((await now.ask('GET', `/identities/${byOld}`)).body.data.name, 'by old');
  await old.create('/enrollments', { identityId: byNow, method: 'ott', expiresAt: '2030-01-01T00:00:00Z' });
  assert.equal((await now.ask('GET', '/enrollments')).body.data.length, 1, 'and reads what is sealed');
  const gone = await now.create('/identities', identity('gone', 'required'));
  assert.equal((await old.ask('DELETE', `/identities/${gone}`)).status, 200);

  // One of the older release that is restarted meanwhile, or started for more load, goes on, too.
  await old.stop();
  const again = await started(t, main, file, environment);
  again.use(session);
  await again.create('/identities', identity('by old again', 'failed'));
  await again.create('/services', { name: 's', encryptionRequired: true, terminatorStrategy: 'weighted' });
  assert.equal((await again.ask('GET', '/services?filter=terminatorStrategy%3D%22weighted%22')).body.data.length, 1);
  const ready = await again.ready();
  const { reasons } = (await ready.json()) as { reasons: { concerns: string; severity: string }[] };
  assert.deepEqual(
    [ready.status, reasons.filter(({ concerns }) => concerns === 'migrations').map(({ severity }) => severity)],
    [200, ['warning']],
  );

  // All of it is found by what only the next release knows.
  const store = await storageOf(file).open(nextSchema);
  const required = equals(stringField('defaultHostingPrecedence'), 'required');
  const names = await store.transaction('read', async (tx) => (await tx.list('identity', { where: required })).map(({ name }) => name));
  assert.deepEqual(names.toSorted(), ['before', 'by now', 'by old']);
  for (const { kind } of nextSchema)
    assert.deepEqual((await store.transaction('read', (tx) => tx.verify(kind, { limit: 1000 }))).faults, [], kind);
  await store.close();

  // The release after it drops what the older one uses: that one writes no more, and the next goes on.
  await storageOf(file, 'afterNext').migrate();
  assert.equal((await again.ask('POST', '/identities', identity('too late'))).status, 503);
  assert.equal((await again.ready()).status, 503);
  await now.create('/identities', identity('later'));
};
