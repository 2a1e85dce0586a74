import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Processes } from '../../scripts/try-routers/processes.ts';
import { ADMINISTRATOR, type Place } from './place.ts';

/**
 * Creates the certificates, the configuration and the database of a reference controller.
 * @returns the command that starts the controller
 */
export const prepareReference = async (folder: string, { run }: Processes, place: Place): Promise<readonly string[]> => {
  const pki = (kind: string, ...args: readonly string[]) => run('ziti', 'pki', 'create', kind, '--pki-root', 'pki', ...args);
  await pki('ca', '--ca-name', 'root', '--ca-file', 'root');
  await pki('intermediate', '--ca-name', 'root', '--intermediate-name', 'signer', '--intermediate-file', 'signer');
  const names = ['--dns', 'localhost', '--ip', '127.0.0.1', '--spiffe-id', 'controller/ctrl'];
  await pki('server', '--ca-name', 'signer', '--server-name', 'ctrl', '--server-file', 'ctrl', ...names);
  const authorities = ['signer/certs/signer.chain.pem', 'root/certs/root.cert'].map((file) =>
    readFileSync(join(folder, 'pki', file), 'utf8'),
  );
  writeFileSync(join(folder, 'authorities.pem'), authorities.join(''));
  // JSON is valid YAML.
  writeFileSync(join(folder, 'controller.yml'), JSON.stringify(configOf(folder, place), null, 2));
  const { username, password } = ADMINISTRATOR;
  await run('ziti', 'controller', 'edge', 'init', 'controller.yml', '--username', username, '--password', password);
  return ['ziti', 'controller', 'run', 'controller.yml'];
};

const configOf = (folder: string, { port, control }: Place) => {
  const at = (file: string) => join(folder, 'pki/signer', file);
  const chain = at('certs/ctrl.chain.pem');
  const identity = { cert: chain, server_cert: chain, key: at('keys/ctrl.key'), ca: join(folder, 'authorities.pem') };
  const address = `127.0.0.1:${port}`;
  const listener = `tls:127.0.0.1:${control}`;
  return {
    v: 3,
    db: join(folder, 'network.db'),
    identity,
    ctrl: { listener, options: { advertiseAddress: listener } },
    edge: {
      api: { address, sessionTimeout: '30m' },
      enrollment: {
        signingCert: { cert: at('certs/signer.cert'), key: at('keys/signer.key') },
        edgeIdentity: { duration: '180m' },
        edgeRouter: { duration: '180m' },
      },
    },
    web: [
      {
        name: 'all',
        bindPoints: [{ interface: address, address }],
        identity,
        apis: ['edge-management', 'edge-client', 'edge-oidc', 'fabric'].map((binding) => ({ binding })),
      },
    ],
  };
};
