import { join } from 'node:path';
import { nodePlatform, snapshotFolder } from '../adapters/platform/node.ts';
import { defaultSettings } from '../src/call/settings.ts';
import { type CoreRequest, type Logger, ManagementController } from '../src/index.ts';
import { namesOf, urlOf } from './addresses.ts';
import { backupsOf } from './backups.ts';
import { CONSOLE_PATH, withConsole } from './console.ts';
import { loadEventsAmqp } from './events-amqp.ts';
import { writeEventsFile } from './events-file.ts';
import { sentenceOf } from './failure.ts';
import { greetingText, logGreeting } from './greeting.ts';
import type { Listen, ListenOptions } from './listen.ts';
import { deferredChannels } from './management-channels.ts';
import { createMessageLogger, plainMessages } from './messages.ts';
import { createMigrationGate } from './migrations.ts';
import { createObservability, probeRoute } from './observing.ts';
import { readOptions } from './options.ts';
import { deferredRouterHandler, routerAddressOf } from './router-port.ts';
import { createDispatcher, refusal } from './routes.ts';
import { ensureSecretKey } from './secret-key.ts';
import type { ServerOptions } from './server-options.ts';
import { serviceManagerOf } from './service-manager.ts';
import { serverSettings } from './setting-options.ts';
import { exitOnSignal } from './shutdown.ts';
import { CALLBACK_PATH, singlePage } from './single-page.ts';
import { dataFolderOf, isServerUnverified } from './storage-option.ts';
import { prepareTls } from './tls.ts';
import { createWarmUp } from './warm-up.ts';

/** Reads the options, opens the controller, and serves it until a signal ends it. */
export const start = async (listen: Listen): Promise<void> => {
  let messages = plainMessages;
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (!options) return console.log((await import('./commands/index.ts')).overview());
    if (options.configuration !== undefined) return console.log(options.configuration);
    messages = createMessageLogger(options.log);
    await run(options, listen, messages);
  } catch (error) {
    messages.error(sentenceOf(error));
    process.exit(1);
  }
};

/** Everything that is opened or checked before the ports are. */
type Preparation = Awaited<ReturnType<typeof prepare>>;

/** @throws StartFailure if an application, the database, the secret key or the certificate is unusable */
const prepare = async (options: ServerOptions, messages: Logger) => {
  const { storage } = options;
  if (isServerUnverified(storage))
    messages.warn(
      'the connection to the database is encrypted, but its server is not verified: use sslmode=verify-full, with sslrootcert=FILE for an authority of your own',
    );
  const applications = await Promise.all((options.applications ?? []).map(singlePage));
  const backups = backupsOf(options);
  const gate = await createMigrationGate(storage, options.waitsForMigrations === true, messages);
  const folder = dataFolderOf(storage, options.dataFolder);
  const { key, file: keyFile } = await ensureSecretKey(options, gate.reading, folder);
  const network = { storage: gate.reading, secretKey: key, folder, isKept: storage.is !== 'memory' };
  const certificate = await prepareTls(options, network);
  return {
    applications,
    gate,
    folder,
    key,
    keyFile,
    certificate,
    backups,
    observability: createObservability(options),
    warmUp: createWarmUp(),
  };
};

/** Opens the ports. Until the controller is open, requests wait for it, or get 503 while migrations are pending. */
const openPorts = async (
  options: ServerOptions,
  { applications, gate, certificate, observability, warmUp }: Preparation,
  opened: Promise<ManagementController>,
  { listen, messages }: { readonly listen: Listen; readonly messages: Logger },
) => {
  const { host, port } = options;
  const api = {
    handle: async (request: CoreRequest) =>
      gate.pending().length > 0 ? refusal(503, MIGRATIONS_PENDING, { 'retry-after': '5' }) : (await opened).handle(request),
  };
  const routes = [...(options.health ? [probeRoute(opened, gate.pending, warmUp)] : []), ...applications];
  const serving = await listen({
    controller: options.console ? withConsole(routes, api) : createDispatcher(routes, api),
    host,
    port,
    certificate,
    routers: options.routers ? deferredRouterHandler(opened) : undefined,
    channels: deferredChannels(opened, options.trustedProxies ?? []),
    routerPort: options.routerPort === undefined ? undefined : { port: options.routerPort, handler: deferredRouterHandler(opened) },
    trustedProxies: options.trustedProxies ?? [],
    limits: limitsOf(options),
    requestTimeoutMs: serverSettings(options).requestTimeoutMs ?? defaultSettings.requestTimeoutMs,
    messages,
  });
  const metricsServer = await observability.listen(opened, serving);
  const { advertised, local } = namesOf(host);
  const url = (name: string): string => urlOf(certificate !== undefined, name, serving.port);
  const address = options.address ?? url(advertised);
  const ownRouterAddress = serving.routerPort === undefined ? undefined : routerAddressOf(new URL(address).hostname, serving.routerPort);
  return {
    serving,
    metricsServer,
    listening: url(host),
    localUrl: url(local),
    address,
    routerAddress: options.routerAddress ?? ownRouterAddress,
  };
};

/** The limits that were given. */
const limitsOf = ({ maxConcurrent, maxConnections, maxQueued, maxQueueMs }: ServerOptions): NonNullable<ListenOptions['limits']> => ({
  ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
  ...(maxConnections === undefined ? {} : { maxConnections }),
  ...(maxQueued === undefined ? {} : { maxQueued }),
  ...(maxQueueMs === undefined ? {} : { maxQueueMs }),
});

const openController = (
  options: ServerOptions,
  { applications, gate, folder, key, certificate, observability, backups }: Preparation,
  { address, routerAddress }: Pick<Awaited<ReturnType<typeof openPorts>>, 'address' | 'routerAddress'>,
): Promise<ManagementController> =>
  ManagementController.open({
    storage: gate.adapter,
    administrator: options.administrator,
    platform: nodePlatform(observability.platform),
    observe: observability.observe,
    oidc: options.oidc && {
      ...(options.console ? { consolePath: CONSOLE_PATH } : {}),
      ...(applications.length > 0 ? { callbackPath: CALLBACK_PATH } : {}),
    },
    snapshots: snapshotFolder(options.snapshots ?? join(folder, 'snapshots')),
    ...backups,
    ...(key === undefined ? {} : { secretKey: key }),
    ...certificate?.pki,
    ctrlAddress: routerAddress,
    controllerId: options.controllerId,
    settings: { ...serverSettings(options), address },
  });

const run = async (options: ServerOptions, listen: Listen, messages: Logger): Promise<void> => {
  const closeOnSignal = exitOnSignal(messages);
  const preparation = await prepare(options, messages);
  const publishEvents = options.eventsAmqp && (await loadEventsAmqp(options.eventsAmqp));
  // Opens the ports before the controller: if a port were in use, a new network would otherwise have a first password that nobody saw.
  const { promise: opened, resolve } = Promise.withResolvers<ManagementController>();
  const ports = await openPorts(options, preparation, opened, { listen, messages });
  const { serving, metricsServer, listening, localUrl, address, routerAddress } = ports;
  await preparation.gate.passed;
  const controller = await openController(options, preparation, ports);
  resolve(controller);
  void preparation.warmUp.run(controller, messages);
  const closeEvents = options.eventsFile && writeEventsFile(controller, options.eventsFile, messages);
  const published = publishEvents?.(controller);
  const serviceManager = serviceManagerOf(process.env, messages);
  closeOnSignal(async () => {
    serviceManager.stopping();
    await serving.close(options.drainMs);
    await metricsServer?.close(0);
    await closeEvents?.();
    await published?.close();
    await controller.close();
  }, options.drainMs + CLOSE_MS);
  const greeting = {
    listening,
    localUrl,
    advertised: address,
    routers: routerAddress,
    storage: preparation.gate.name,
    certificate: preparation.certificate,
    keyFile: preparation.keyFile,
    metricsUrl: metricsServer && `${metricsServer.address}/metrics`,
    consoleUrl: options.console ? `${localUrl}${CONSOLE_PATH}` : undefined,
    applications: (options.applications ?? []).map(({ path }) => `${localUrl}${path}/`),
    administratorOptions: options.administratorOptions,
    isPasswordGiven: options.administrator.password !== undefined,
  };
  if (options.log) await logGreeting(messages, controller, greeting, preparation.folder);
  else console.log(await greetingText(controller, greeting));
  serviceManager.ready();
};

const MIGRATIONS_PENDING = 'the database must be migrated before the server can work';

/** The time limit for closing the store. */
const CLOSE_MS = 5000;
