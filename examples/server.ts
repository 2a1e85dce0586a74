/**
 * A controller behind its own HTTPS server: `npm start`. What a host would write for itself, with options in place of configuration;
 * the parts are in `server/`.
 */
import { join } from 'node:path';
import { nodePlatform, snapshotFolder } from '../adapters/platform/node.ts';
import { ManagementController } from '../src/index.ts';
import { namesOf, urlOf } from './server/addresses.ts';
import { sentenceOf } from './server/failure.ts';
import { greet } from './server/greeting.ts';
import { listen } from './server/listen.ts';
import { readOptions, type ServerOptions, USAGE } from './server/options.ts';
import { keepSecretKey } from './server/secret-key.ts';
import { exitOnSignal } from './server/shutdown.ts';
import { dataFolderOf, prepareStorage } from './server/storage.ts';
import { prepareTls } from './server/tls.ts';

const start = async ({ host, port, storage, tls, secretKey, snapshots, administrator, given }: ServerOptions): Promise<void> => {
  const { advertised, local } = namesOf(host);
  const { adapter, name } = await prepareStorage(storage);
  const folder = dataFolderOf(storage);
  const certificate = await prepareTls({ tls, host }, folder);
  const key = await keepSecretKey(storage, secretKey, folder);

  // The port comes first: a network whose first password was made, and not shown because the port was in use, would be locked for ever.
  const { promise: opened, resolve: ready } = Promise.withResolvers<ManagementController>();
  const serving = await listen({ controller: { handle: async (request) => (await opened).handle(request) }, host, port, certificate });
  const url = (of: string) => urlOf(certificate !== undefined, of, serving.port);
  const controller = await ManagementController.open({
    storage: adapter,
    administrator,
    platform: nodePlatform(),
    snapshots: snapshotFolder(snapshots ?? join(folder, 'snapshots')),
    ...(key === undefined ? {} : { secretKey: key }),
    ...certificate?.pki,
    settings: { address: url(advertised) },
  });
  ready(controller);

  exitOnSignal(async () => {
    await serving.close();
    await controller.close();
  });
  console.log(
    await greet(controller, { url: url(local), storage: name, certificate, given, isPasswordGiven: administrator.password !== undefined }),
  );
  console.log(`listening on ${url(host)}`);
};

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options) await start(options);
  else console.log(USAGE);
} catch (error) {
  console.error(`error: ${sentenceOf(error)}`);
  process.exit(1);
}
