/** What the command line replaces of the configuration of a former controller. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { givenSetup } from '../../adopt/command/given-setup.ts';
import { temporaryFolder } from '../support/former-network/reading.ts';
import { party } from '../support/pki.ts';

const folder = temporaryFolder();
const fileOf = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

/** The files of a certificate and its key, as an option takes them. */
const pairOf = async (name: string, uris: readonly string[] = []) => {
  const { cert, key } = await party(name, { names: { uris: [...uris] } });
  return { cert, key, files: `${fileOf(`${name}.pem`, cert)},${fileOf(`${name}.key`, key)}` };
};

const setupOf = (options: Readonly<Record<string, string>>) => {
  const given: Parameters<typeof givenSetup>[0] = {
    get: (name) => options[name],
    all: (name) => [options[name]].flatMap((value) => value ?? []),
    has: (name) => name in options,
    source: (name) => (name in options ? `--${name}` : undefined),
  };
  return givenSetup(given);
};

test('each option replaces what the configuration says, and nothing else', async () => {
  const [signer, server] = [await pairOf('signer'), await pairOf('server', ['spiffe://of.config/controller/server'])];
  const others = { signer: await pairOf('other-signer'), server: await pairOf('other-server', ['spiffe://of.option/controller/other']) };
  const root = fileOf('root.pem', 'the roots');
  const config = fileOf(
    'ctrl.yaml',
    `v: 3
db: ${fileOf('ctrl.db', '')}
identity:
  cert: ${server.files.split(',')[0]}
  server_cert: ${server.files.split(',')[0]}
  key: ${server.files.split(',')[1]}
  ca: ${root}
edge:
  api:
    address: controller.example.org:8441
  enrollment:
    signingCert:
      cert: ${signer.files.split(',')[0]}
      key: ${signer.files.split(',')[1]}
`,
  );
  const { authority, database, keyFiles } = setupOf({ config });
  assert.deepEqual(
    [authority.roots, authority.trustDomain, authority.controller?.id, database],
    ['the roots', 'of.config', 'server', join(folder, 'ctrl.db')],
  );
  assert.equal(authority.signer.certificates.trim(), signer.cert.trim());

  const byServer = setupOf({ config, server: others.server.files }).authority;
  assert.deepEqual([byServer.server?.cert, byServer.trustDomain, byServer.controller?.id], [others.server.cert, 'of.option', 'server']);
  assert.equal(setupOf({ config, server: others.server.files, 'trust-domain': 'given' }).authority.trustDomain, 'given');
  assert.equal(setupOf({ config, roots: fileOf('other-roots.pem', 'other roots') }).authority.roots, 'other roots');
  const bySigner = setupOf({ config, signer: others.signer.files });
  assert.equal(bySigner.authority.signer.certificates, others.signer.cert);
  assert.deepEqual(bySigner.keyFiles, [...(keyFiles ?? []), others.signer.files.split(',')[1]]);
  assert.equal(setupOf({ config, database: 'other.db' }).database, 'other.db');
  assert.equal(setupOf({ config, address: 'https://other.example:1280' }).address, 'https://other.example:1280');
});

test('without a configuration, the options say it all', async () => {
  const [signer, server] = [await pairOf('signer'), await pairOf('server', ['spiffe://of.server/controller/server'])];
  const { authority } = setupOf({ database: 'ctrl.db', signer: signer.files, server: server.files, address: 'https://other.example:1280' });
  assert.deepEqual(
    [authority.roots, authority.trustDomain, authority.controller],
    [signer.cert, 'of.server', { id: 'server', address: 'tls:other.example:1280' }],
  );
  for (const [options, missing] of [
    [{ signer: signer.files }, /needs the database/],
    [{ database: 'ctrl.db' }, /needs the authority that signs certificates/],
    [{ database: 'postgres://me:secret@host/db', signer: signer.files }, /must be a file/],
    [{ database: 'ctrl.db', signer: 'signer.pem' }, /as CERT,KEY/],
    [{ database: 'ctrl.db', signer: `${signer.files},more` }, /as CERT,KEY/],
  ] as const)
    assert.throws(() => setupOf(options), missing);
});
