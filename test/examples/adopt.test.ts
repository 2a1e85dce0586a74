import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { hashRaw } from '@node-rs/argon2';
import { parse } from 'yaml';
import { startCommand } from '../../adopt/command/start-command.ts';
import { runCommand } from '../../server/commands/index.ts';
import { sentenceOf } from '../../server/failure.ts';
import { hasSecrets } from '../../server/storage-option.ts';
import { Eku } from '../../src/crypto/pki/certificate.ts';
import { writeFormerNetwork } from '../support/former-network/index.ts';
import { authority, NOW, party, sharedPki } from '../support/pki.ts';
import { runServer, startServer, temporaryFolder } from './child.ts';

const PASSWORD = 'the-admin-password';
const DAY = 86_400_000;
const SALT = Buffer.from('0123456789');

const config = `v: 3
db: db/ctrl.db
identity:
  cert: pki/server.pem
  server_cert: file:pki/server.pem
  key: pki/server.key
  ca: pki/root.pem
ctrl:
  listener: tls:0.0.0.0:6262
edge:
  api:
    sessionTimeout: 1h30m
    address: controller.example.org:8441
  enrollment:
    signingCert:
      cert: pki/signer.pem
      key: pki/signer.key
web:
  - name: client
    bindPoints:
      - interface: 127.0.0.1:8441
        address: controller.example.org:8441
    apis:
      - binding: edge-client
`;

/** A folder with a former controller that is off. */
const formerController = async (t: TestContext): Promise<string> => {
  const folder = temporaryFolder(t);
  const { root, signer, server } = await sharedPki();
  for (const name of ['pki', 'db']) mkdirSync(join(folder, name));
  const files = {
    'root.pem': root.cert,
    'signer.pem': signer.cert,
    'signer.key': signer.key,
    'server.pem': server.cert + signer.cert,
    'server.key': server.key,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'pki', name), text, { mode: 0o600 });
  chmodSync(join(folder, 'pki', 'server.key'), 0o640);
  writeFileSync(join(folder, 'ctrl.yaml'), config);
  const tag = await hashRaw(PASSWORD, { memoryCost: 3072, timeCost: 1, parallelism: 4, outputLen: 32, salt: SALT });
  writeFormerNetwork(join(folder, 'db', 'ctrl.db'), {
    authPolicies: [{ id: 'default', name: 'Default' }],
    authenticators: [
      {
        id: 'a',
        method: 'updb',
        identity: 'adm',
        updbUsername: 'root-admin',
        updbSalt: SALT.toString('base64'),
        updbPassword: tag.toString('base64'),
      },
    ],
    identities: [{ id: 'adm', name: 'Default Admin', type: 'Default', isAdmin: true, isDefaultAdmin: true, tags: { cost: 1.5 } }],
    services: [{ id: 'f', name: 'of the fabric' }],
  });
  return folder;
};

test('an operator plans the adoption, allows what is lost, adopts, and starts the server with the command that was printed', async (t) => {
  const folder = await formerController(t);
  const adopt = (...options: readonly string[]) => runServer(folder, ['adopt', '--config', 'ctrl.yaml', ...options]);
  const planned = await adopt('--plan');
  assert.deepEqual([planned.code, planned.err], [2, '']);
  assert.match(planned.out, /^services: 1 read, 0 adopted, 1 left out \(known only to the fabric\)$/m);
  assert.match(planned.out, /^administrators \(1\): Default Admin \(adm\), the default one$/m);
  assert.match(planned.out, /^LOSS fabric-only \(1, not allowed without --allow fabric-only\)/m);
  assert.match(planned.out, /^ {2}services of the fabric \(f\)/m);
  assert.match(planned.out, /^certificate of the server CN=server: valid until 2027-11-21T10:00:00.000Z$/m);
  // Windows has no such modes.
  const warnings =
    process.platform === 'win32'
      ? []
      : ['server.key contains a private key, and users other than its owner can access it: its mode is 0640'];
  assert.deepEqual(
    [...planned.out.matchAll(/^WARNING: .*pki[/\\](.*)$/gm)].map(([, text]) => text),
    warnings,
  );
  assert.deepEqual(readdirSync(folder).sort(), ['ctrl.yaml', 'db', 'pki'], 'a plan writes nothing');
  const refused = await adopt();
  assert.deepEqual(refused.code, 1);
  assert.match(refused.out, /^REFUSED: fabric-only \(1\)/m);
  const adopted = await adopt('--allow', 'fabric-only');
  assert.deepEqual([adopted.code, adopted.err], [0, '']);
  assert.equal(
    adopted.out.trim().split('\n').at(-1),
    'npx overlay-controller --storage sqlite:data/controller.db --address https://controller.example.org:8441 --host 127.0.0.1 --port 8441 --router-port 6262 --controller-id server --session-timeout-minutes 90 --numeric-tags',
  );
  const again = await adopt('--allow', 'fabric-only');
  assert.deepEqual([again.code, /into an empty store only/.test(again.out)], [1, true]);
  const server = await startServer(t, folder, ['--tls', 'off']);
  const login = await server.request('POST', '/authenticate?method=password', { body: { username: 'root-admin', password: PASSWORD } });
  assert.equal(login.status, 200);
});

test('routers that know the controller by another host, certificate and id keep working', async (t) => {
  const folder = await formerController(t);
  const root = await authority('other root', { notAfter: NOW + 3650 * DAY });
  const [client, server] = await Promise.all([
    party('controller one', { by: root }),
    party('routers', { by: root, extendedKeyUsage: [Eku.serverAuth], names: { dnsNames: ['routers.example.org'] } }),
  ]);
  const files = { 'other.pem': root.cert, 'client.pem': client.cert, 'routers.pem': server.cert, 'routers.key': server.key };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'pki', name), text);
  const { identity, ctrl, web, ...others } = parse(config);
  const separate = {
    ...others,
    identity: {
      cert: 'pki/client.pem',
      server_cert: 'pki/routers.pem',
      key: 'pki/routers.key',
      ca: 'pki/other.pem',
    },
    ctrl: { ...ctrl, options: { advertiseAddress: 'tls:routers.example.org:6262' } },
    web: [{ ...web[0], identity }],
  };
  writeFileSync(join(folder, 'separate.yaml'), JSON.stringify(separate));
  const { code, out, err } = await runServer(folder, ['adopt', '--config', 'separate.yaml', '--allow', 'fabric-only']);
  assert.deepEqual([code, err], [0, '']);
  const printed = out.trim().split('\n').at(-1) ?? '';
  assert.match(printed, / --router-port 6262 --router-address routers\.example\.org:6262 --controller-id 'controller one' /);
  const ports = ['--host', '127.0.0.1', '--router-port', '0'];
  const running = await startServer(t, folder, [...ports, '--router-address', 'routers.example.org:6262']);
  assert.equal(running.told('routers'), 'tls:routers.example.org:6262');
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(running.url).port), servername: 'routers.example.org', ca: root.cert });
  await once(socket, 'secureConnect');
  assert.deepEqual([socket.authorized, socket.getPeerX509Certificate()?.subjectAltName], [true, 'DNS:routers.example.org']);
  socket.destroy();
});

test('a former controller that cannot be taken over is named with what is wrong', async (t) => {
  const folder = await formerController(t);
  const refused = async (sentence: RegExp, ...options: readonly string[]) => {
    const { code, out, err } = await runServer(folder, ['adopt', ...options]);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, sentence);
  };
  await refused(/adopt needs the database .* --config FILE, or --database/);
  await refused(/there is no such file/, '--config', 'none.yaml');
  await refused(/unknown.*loss|--allow takes/i, '--config', 'ctrl.yaml', '--allow', 'everything');
  writeFileSync(join(folder, 'hsm.yaml'), config.replace('key: pki/signer.key', 'key: engine:pkcs11'));
  await refused(/key in hardware/, '--config', 'hsm.yaml');
  writeFileSync(join(folder, 'not.db'), 'x'.repeat(100_000));
  await refused(/not\.db/, '--config', 'ctrl.yaml', '--database', 'not.db');
  writeFileSync(join(folder, 'odd.yaml'), config.replaceAll(': controller.example.org:8441', ': ann:secret@controller.example.org'));
  await refused(/odd\.yaml has no valid address/, '--config', 'odd.yaml');
  const { code, out } = await runServer(folder, ['adopt', '--config', 'ctrl.yaml', '--signer', 'pki/signer.pem,pki/server.key', '--plan']);
  assert.equal(code, 2);
  assert.match(out, /^REFUSED: .*key/m);
});

test('no address that is refused is repeated with its password', async () => {
  for (const options of [
    ['--verify', 'http://ann:the-secret@controller.example.org'],
    ['--verify', 'https://ann:the-secret@controller.example.org'],
    ['--verify', 'ann:the-secret@controller.example.org'],
    ['--database', 'postgres://ann:the-secret@host/db'],
    ['--database', 'ctrl.db', '--address', 'ftp://ann:the-secret@host'],
    ['--storage', 'mysql://ann:the-secret@host/db', '--verify', 'https://controller.example.org'],
  ])
    await assert.rejects(runCommand('adopt', options, { FORMER_PASSWORD: 'x' }), (error) => {
      assert.doesNotMatch(sentenceOf(error), /the-secret/);
      assert.match(sentenceOf(error), /must be/);
      return true;
    });
});

test('the command that starts the server has no password of a database', () => {
  const setup = { address: 'https://controller.example.org:1280' };
  const rest = { dataFolder: undefined, secretKeyFile: undefined, hasNumericTags: false };
  assert.equal(
    startCommand(setup, { storage: undefined, ...rest }),
    'npx overlay-controller --address https://controller.example.org:1280 --host 0.0.0.0 --port 1280',
  );
  assert.doesNotMatch(
    startCommand({ ...setup, routerAddress: 'tls:ann:secret@controller.example.org:6262' }, { storage: undefined, ...rest }),
    /secret/,
  );
  const isSecret = (url: string) => hasSecrets({ is: 'postgres', url });
  assert.deepEqual(
    [
      'postgres://ann:secret@host/db',
      'postgres://host/db?password=secret',
      'postgres://ann@host/db',
      'postgres://host/db?schema=s&prepared=false',
    ].map(isSecret),
    [true, true, false, false],
  );
  assert.equal(hasSecrets({ is: 'sqlite', file: 'a@b.db' }), false);
});
