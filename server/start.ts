import { join } from 'node:path';
import { nodePlatform, snapshotFolder } from '../adapters/platform/node.ts';
import { type CoreRequest, type Logger, ManagementController } from '../src/index.ts';
import { namesOf, urlOf } from './addresses.ts';
import { CONSOLE_PATH, withConsole } from './console.ts';
import { sentenceOf } from './failure.ts';
import { greet, logGreeting } from './greeting.ts';
import type { Listen } from './listen.ts';
import { messagesOf, plainMessages } from './messages.ts';
import { migrationGate } from './migrations.ts';
import { observingOf, probeRoute } from './observing.ts';
import { readOptions } from './options.ts';
import { routerAddressOf, routersOf } from './router-port.ts';
import { refusal, routed } from './routes.ts';
import { keepSecretKey } from './secret-key.ts';
import type { ServerOptions } from './server-options.ts';
import { serverSettings } from './setting-options.ts';
import { exitOnSignal } from './shutdown.ts';
import { CALLBACK_PATH, singlePage } from './single-page.ts';
import { dataFolderOf } from './storage-option.ts';
import { prepareTls } from './tls.ts';

const open = async (options: ServerOptions, listen: Listen, messages: Logger): Promise<void> => {
  const closeOnSignal = exitOnSignal(messages);
  const { host, port, storage, snapshots, administrator, given, drainMs } = options;
  const applications = await Promise.all((options.applications ?? []).map(singlePage));
  const observing = observingOf(options);
  const { advertised, local } = namesOf(host);
  const { adapter, name, reading, pending, passed } = await migrationGate(storage, options.waitsForMigrations === true, messages);
  const folder = dataFolderOf(storage);
  const { key, file: keyFile } = await keepSecretKey(options, reading, folder);
  const network = { storage: reading, secretKey: key, folder, isKept: storage.is !== 'memory' };
  const certificate = await prepareTls(options, network);

  // Opens the port before the controller: otherwise, if the port is in use, a new network would have a first password that was never shown.
  const { promise: opened, resolve: ready } = Promise.withResolvers<ManagementController>();
  const api = {
    handle: async (request: CoreRequest) =>
      pending().length > 0 ? refusal(503, MIGRATING, { 'retry-after': '5' }) : (await opened).handle(request),
  };
  const routes = [...(options.health ? [probeRoute(opened, pending)] : []), ...applications];
  const routers = options.routers ? routersOf(opened) : undefined;
  const routerPort = options.routerPort === undefined ? undefined : { port: options.routerPort, handler: routersOf(opened) };
  const trustedProxies = options.trustedProxies ?? [];
  const serving = await listen({
    controller: options.console ? withConsole(routes, api) : routed(routes, api),
    host,
    port,
    certificate,
    routers,
    routerPort,
    trustedProxies,
    messages,
  });
  const metricsServer = await observing.listen(opened);
  const url = (hostName: string) => urlOf(certificate !== undefined, hostName, serving.port);
  const address = options.address ?? url(advertised);
  const ctrlAddress =
    options.routerAddress ??
    (serving.routerPort === undefined ? undefined : routerAddressOf(new URL(address).hostname, serving.routerPort));
  await passed;
  const controller = await ManagementController.open({
    storage: adapter,
    administrator,
    platform: nodePlatform(observing.platform),
    observe: observing.observe,
    oidc: options.oidc && {
      ...(options.console ? { consolePath: CONSOLE_PATH } : {}),
      ...(applications.length > 0 ? { callbackPath: CALLBACK_PATH } : {}),
    },
    snapshots: snapshotFolder(snapshots ?? join(folder, 'snapshots')),
    ...(key === undefined ? {} : { secretKey: key }),
    ...certificate?.pki,
    ctrlAddress,
    controllerId: options.controllerId,
    settings: { ...serverSettings(options), address },
  });
  ready(controller);

  closeOnSignal(async () => {
    await serving.close(drainMs);
    await metricsServer?.close(0);
    await controller.close();
  }, drainMs + CLOSE_MS);
  const greeting = {
    listening: url(host),
    url: url(local),
    advertised: address,
    routers: ctrlAddress,
    storage: name,
    certificate,
    keyFile,
    metrics: metricsServer && `${metricsServer.address}/metrics`,
    console: options.console ? `${url(local)}${CONSOLE_PATH}` : undefined,
    applications: (options.applications ?? []).map(({ path }) => `${url(local)}${path}/`),
    given,
    isPasswordGiven: administrator.password !== undefined,
  };
  if (options.log) await logGreeting(messages, controller, greeting, folder);
  else console.log(await greet(controller, greeting));
};

const MIGRATING = 'the database must be migrated before the server can work';

/** The time limit for closing the store. */
const CLOSE_MS = 5000;

/** Reads the options, opens the controller, and serves it until a signal ends it. */
export const start = async (listen: Listen): Promise<void> => {
  let messages = plainMessages;
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (!options) return console.log((await import('./commands/index.ts')).overview());
    if (options.configuration !== undefined) return console.log(options.configuration);
    messages = messagesOf(options.log);
    await open(options, listen, messages);
  } catch (error) {
    messages.error(sentenceOf(error));
    process.exit(1);
  }
};
