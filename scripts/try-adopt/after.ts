import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../try-routers/until.ts';
import { asking, expected, login } from './ask.ts';
import { type Access, accessIn } from './before.ts';
import { issue, request, verify } from './certificates.ts';
import { loginByProgram, stop } from './former-controller.ts';
import { type Remembered, writeJwt, writeJwtOfAnyone } from './former-network.ts';
import type { Stream } from './stream.ts';
import { codeOf } from './totp.ts';
import { ADMIN, canDial, dial, identityIn, listed, PORTS, type Trial, writeRouter } from './trial.ts';

export interface Adopted extends Trial {
  readonly remembered: Remembered;
  readonly access: Access;
  /** Opened before the former controller was stopped. */
  readonly stream: Stream;
  /** When our server has answered first, in milliseconds. */
  readonly since: number;
}

export const seconds = (since: number): string => `after ${((Date.now() - since) / 1000).toFixed(1)} s`;

export const isOnline = async ({ manage }: Trial, name: string): Promise<boolean> =>
  (await listed(manage, 'edge-routers')).some((router) => router.name === name && router.isOnline);

/** Whether the controller knows a link between two routers that has not failed. */
export const areLinked = async ({ processes }: Trial, one: string, other: string): Promise<boolean> => {
  await processes.run(...loginByProgram);
  const lines = (await processes.run('ziti', 'fabric', 'list', 'links')).split('\n');
  return lines.some((line) => line.includes(one) && line.includes(other) && line.includes('Connected'));
};

/** Dials as an identity that no other program has then: routers of 1.6.0 mistake the sessions of two programs with one identity. */
const restarted = async (processes: Trial['processes'], identity: string): Promise<undefined> => {
  const client = processes.start('restarted', 'ziti', 'tunnel', 'proxy', '--identity', identity, `echo:${PORTS.restarted}`);
  await until('a line comes back', () => canDial(PORTS.restarted));
  await stop(client);
  return undefined;
};

/** Steps on our server, at the address of the former controller. Only the controller has been stopped. */
export const after: Readonly<Record<string, (trial: Adopted) => Promise<string | undefined>>> = {
  'the routers are back, and linked': async (trial) => {
    for (const name of ['paris', 'lyon']) await until(`${name} is online`, () => isOnline(trial, name));
    const back = seconds(trial.since);
    await until('they are linked', () => areLinked(trial, 'paris', 'lyon'));
    return back;
  },

  'the client dials the host': async ({ since }) => {
    await until('a line comes back', () => canDial());
    return seconds(since);
  },

  'a hundred dials': () => dial(100),

  'a connection that was open before': async ({ stream }) => stream.told(),

  'a client that is started with its old identity file dials': ({ processes }) => restarted(processes, 'extender.json'),

  'a client whose identity file names a cluster, of which only this server is left, dials': ({ processes, folder }) => {
    const { ztAPI, ...others } = JSON.parse(readFileSync(join(folder, 'extender.json'), 'utf8'));
    const ztAPIs = [ztAPI.replace(`:${PORTS.api}`, `:${PORTS.closed}`), ztAPI];
    writeFileSync(join(folder, 'client-of-two.json'), JSON.stringify({ ...others, ztAPI, ztAPIs }));
    return restarted(processes, 'client-of-two.json');
  },

  'services of every identity and policy advice are what they were': async (trial) => {
    const now = await accessIn(trial);
    assert.deepEqual(now, trial.access);
    return `${Object.keys(now.services).length} identities, ${Object.keys(now.advice).length} pairs`;
  },

  'old passwords are accepted, wrong ones refused': async ({ ask, remembered: { passwords } }) => {
    for (const name of ['alice', 'bert']) {
      assert.equal(await login(ask, name, 'wrong-password'), undefined);
      assert.ok(await login(ask, name, passwords[name] ?? ''), name);
    }
    return undefined;
  },

  'disabled identities are refused': async ({ ask, remembered: { passwords } }) => {
    for (const name of ['disabled', 'disabled-for-an-hour']) assert.equal(await login(ask, name, passwords[name] ?? ''), undefined, name);
    return undefined;
  },

  'codes of the old secret and unused recovery codes are accepted, used ones refused': async ({ ask, remembered: { passwords, mfa } }) => {
    const tried = async (code: string) => {
      const session = await login(ask, 'maria', passwords.maria ?? '');
      return (await ask('client/v1/authenticate/mfa', { session, body: { code } })).status;
    };
    assert.notEqual(await tried(mfa.usedCode), 200, 'used');
    assert.equal(await tried(codeOf(mfa.secret)), 200, 'code of the secret');
    assert.equal(await tried(mfa.unusedCode), 200, 'unused');
    assert.notEqual(await tried(mfa.unusedCode), 200, 'used now');
    return undefined;
  },

  'open enrollments complete with their old JWTs and tokens: ott, updb, ottca, ca, routers, transit routers': async (trial) => {
    const { folder, ask, remembered, processes } = trial;
    const enroll = (name: string, ...more: string[]) =>
      processes.run('ziti', 'edge', 'enroll', `${name}.jwt`, '--keyAlg', 'EC', '--out', `${name}.json`, ...more);
    await enroll('later');
    await verify(trial, identityIn(folder, 'later').cert);
    await expected(
      ask(`client/v1/enroll/updb?token=${remembered.updbToken}`, { body: { username: 'later-user', password: 'a-new-password' } }),
    );
    assert.ok(await login(ask, 'later-user', 'a-new-password'));
    // The former controller signs it with the key of the control plane, so that nobody can verify it if that of the API is another one.
    if (trial.variants.has('hosts')) await writeJwtOfAnyone(trial);
    for (const name of ['employee', 'anyone']) {
      await issue(trial, 'company', name);
      await enroll(name, '--cert', `${name}.pem`, '--key', `${name}.key`);
      const identity = { cert: readFileSync(join(folder, `${name}.pem`), 'utf8'), key: readFileSync(join(folder, `${name}.key`), 'utf8') };
      assert.equal((await ask('client/v1/authenticate?method=cert', { identity, body: {} })).status, 200, name);
    }
    await processes.run('ziti', 'router', 'enroll', writeRouter(trial, 'transit', 3, false), '--jwt', 'transit.jwt');
    await processes.run('ziti', 'router', 'enroll', writeRouter(trial, 'oslo', 4), '--jwt', 'oslo.jwt');
    processes.start('oslo', 'ziti', 'router', 'run', 'oslo.yml');
    await until('oslo is online', () => isOnline(trial, 'oslo'));
    return undefined;
  },

  'an expired enrollment is refused': async ({ processes }) => {
    const enrolled = await processes.run('ziti', 'edge', 'enroll', 'too-late.jwt', '--out', 'too-late.json').catch(() => undefined);
    assert.equal(enrolled, undefined);
    return undefined;
  },

  'an authority of others is verified with its old token': async (trial) => {
    const { id, token } = trial.remembered.unverifiedCa;
    await expected(trial.manage(`management/v1/cas/${id}/verify`, { body: await issue(trial, 'partner', 'partner-proof', token) }));
    return undefined;
  },

  'a new identity and a new router enroll, and the routers link': async (trial) => {
    const { folder, manage, processes } = trial;
    await expected(
      manage('management/v1/identities', { body: { name: 'new', type: 'Default', isAdmin: false, enrollment: { ott: true } } }),
    );
    await writeJwt(trial, 'identities', 'new');
    await processes.run('ziti', 'edge', 'enroll', 'new.jwt', '--keyAlg', 'EC', '--out', 'new.json');
    await verify(trial, identityIn(folder, 'new').cert);
    await expected(manage('management/v1/edge-routers', { body: { name: 'rome' } }));
    await writeJwt(trial, 'edge-routers', 'rome');
    await processes.run('ziti', 'router', 'enroll', writeRouter(trial, 'rome', 2), '--jwt', 'rome.jwt');
    await verify(trial, readFileSync(join(folder, 'rome.cert'), 'utf8'));
    processes.start('rome', 'ziti', 'router', 'run', 'rome.yml');
    await until('rome is online', () => isOnline(trial, 'rome'));
    await until('the routers link', () => areLinked(trial, 'paris', 'rome'));
    return undefined;
  },

  'a certificate is extended, and then with a new key, below the old root': async (trial) => {
    const { folder, ask } = trial;
    let identity = identityIn(folder, 'extender');
    for (const name of ['extended', 'rolled']) {
      const session = (await expected(ask('client/v1/authenticate?method=cert', { identity, body: {} }))).data.token;
      const path = 'client/v1/current-identity/authenticators';
      const { id } = (await expected(ask(path, { session, identity }))).data[0];
      const clientCertCsr = await request(trial, name, name, name === 'extended' ? identity.key : undefined);
      const { data } = await expected(ask(`${path}/${id}/extend`, { session, identity, body: { clientCertCsr } }));
      await verify(trial, data.clientCert);
      await expected(ask(`${path}/${id}/extend-verify`, { session, identity, body: { clientCert: data.clientCert } }));
      writeFileSync(join(folder, `${name}.pem`), data.clientCert);
      identity = { cert: data.clientCert, key: readFileSync(join(folder, `${name}.key`), 'utf8') };
    }
    assert.equal((await ask('client/v1/authenticate?method=cert', { identity, body: {} })).status, 200);
    return undefined;
  },

  'what is read can be written back': async ({ manage }) => {
    let count = 0;
    for (const kind of [
      'services',
      'identities',
      'configs',
      'service-policies',
      'edge-router-policies',
      'service-edge-router-policies',
      'posture-checks',
    ])
      for (const { _links, id, createdAt, updatedAt, type, ...entity } of await listed(manage, kind)) {
        if ((entity as { isSystem?: boolean }).isSystem || (entity as { typeId?: string }).typeId === 'Router') continue;
        const typed = kind === 'service-policies' || kind === 'identities' ? { type: kind === 'identities' ? 'Default' : type } : {};
        await expected(manage(`management/v1/${kind}/${id}`, { method: 'PUT', body: { ...entity, ...typed } })).catch((error: Error) => {
          throw new Error(`${kind} ${entity.name}: ${error.message}`);
        });
        count++;
      }
    return `${count} entities`;
  },

  'the integrity check finds nothing': async ({ manage }) => {
    await expected(manage('management/v1/database/check-data-integrity', { method: 'POST' }));
    const results = async () => (await expected(manage('management/v1/database/data-integrity-results'))).data;
    await until('the check has ended', async () => !(await results()).inProgress);
    assert.deepEqual((await results()).results ?? [], []);
    return undefined;
  },
};

/** Asks a second server for what needs the authority: a login with an old certificate, and a new certificate below the old root. */
export const askSecond = async (trial: Adopted): Promise<void> => {
  const ask = asking(PORTS.second, trial.former.root);
  const identity = identityIn(trial.folder, 'host');
  assert.equal((await ask('client/v1/authenticate?method=cert', { identity, body: {} })).status, 200);
  const session = await login(ask, ADMIN.username, ADMIN.password);
  assert.ok(session);
  const manage: Trial['manage'] = (path, question) => ask(path, { ...question, session });
  const name = `of-the-second-${Date.now()}`;
  const body = { name, type: 'Default', isAdmin: false, enrollment: { ott: true } };
  const { id } = (await expected(manage('management/v1/identities', { body }))).data;
  const { token } = (await expected(manage(`management/v1/identities/${id}`))).data.enrollment.ott;
  const { data } = await expected(ask(`client/v1/enroll?method=ott&token=${token}`, { body: await request(trial, name) }));
  await verify(trial, data.cert);
};
