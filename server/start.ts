import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { nodePlatform, snapshotFolder } from '../adapters/platform/node.ts';
import { type CoreRequest, type Logger, ManagementController } from '../src/index.ts';
import { hostInUrl, isLoopbackHost, namesOf, urlOf } from './addresses.ts';
import { sentenceOf } from './failure.ts';
import { greet, logGreeting } from './greeting.ts';
import type { Listen } from './listen.ts';
import { messagesOf, plainMessages } from './messages.ts';
import { migrationGate } from './migrations.ts';
import { observingOf, probeRoute } from './observing.ts';
import { readOptions, type ServerOptions } from './options.ts';
import { routersOf } from './router-port.ts';
import { refusal, routed } from './routes.ts';
import { keepSecretKey } from './secret-key.ts';
import { exitOnSignal } from './shutdown.ts';
import { singlePage } from './single-page.ts';
import { dataFolderOf } from './storage.ts';
import { prepareTls } from './tls.ts';

const MIB = 1024 * 1024;
/** A server has its process to itself, and remembers more of what it has read than a controller within another service: about 100,000 entities. */
const readCacheBytes = Math.floor(Math.min(256 * MIB, getHeapStatistics().heap_size_limit / 8));

const open = async (options: ServerOptions, listen: Listen, messages: Logger): Promise<void> => {
  const closeOnSignal = exitOnSignal(messages);
  const { host, port, storage, snapshots, administrator, given, drainMs, showJwksEndpoints } = options;
  const applications = await Promise.all((options.applications ?? []).map(singlePage));
  const observing = observingOf(options);
  const { advertised, local } = namesOf(host);
  const { adapter, name, reading, pending, passed } = await migrationGate(storage, options.waitsForMigrations === true, messages);
  const folder = dataFolderOf(storage);
  const { key, file: keyFile } = await keepSecretKey(options, reading, folder);
  const network = { storage: reading, secretKey: key, folder, isKept: storage.is !== 'memory' };
  const certificate = await prepareTls(options, network);

  // The port comes first: if it were in use, a new network would already have a first password that was never shown.
  const { promise: opened, resolve: ready } = Promise.withResolvers<ManagementController>();
  const api = {
    handle: async (request: CoreRequest) =>
      pending().length > 0 ? refusal(503, MIGRATING, { 'retry-after': '5' }) : (await opened).handle(request),
  };
  const routes = [...(options.health ? [probeRoute(opened, pending)] : []), ...applications];
  const routers = options.routers ? routersOf(opened) : undefined;
  const trustedProxies = options.trustedProxies ?? [];
  const serving = await listen({ controller: routed(routes, api), host, port, certificate, routers, trustedProxies, messages });
  const watched = await observing.listen(opened);
  const url = (of: string) => urlOf(certificate !== undefined, of, serving.port);
  const address = options.address ?? url(advertised);
  await passed;
  const controller = await ManagementController.open({
    storage: adapter,
    administrator,
    platform: nodePlatform(observing.platform),
    observe: observing.observe,
    oidc: options.oidc,
    snapshots: snapshotFolder(snapshots ?? join(folder, 'snapshots')),
    ...(key === undefined ? {} : { secretKey: key }),
    ...certificate?.pki,
    settings: { address, readCacheBytes, outboundAllow: outboundAllowOf(options), showJwksEndpoints: showJwksEndpoints === true },
  });
  ready(controller);

  closeOnSignal(async () => {
    await serving.close(drainMs);
    await watched?.close(0);
    await controller.close();
  }, drainMs + CLOSE_MS);
  const greeting = {
    listening: url(host),
    url: url(local),
    advertised: address,
    storage: name,
    certificate,
    keyFile,
    metrics: watched && `${watched.address}/metrics`,
    applications: (options.applications ?? []).map(({ path }) => `${url(local)}${path}/`),
    given,
    isPasswordGiven: administrator.password !== undefined,
  };
  if (options.log) await logGreeting(messages, controller, greeting, folder);
  else console.log(await greet(controller, greeting));
};

/**
 * Identity providers on the same machine are common where people try things out. Clients of other machines must not reach services of this one by way of the
 * server.
 */
const outboundAllowOf = ({ host, address, trustedProxies }: ServerOptions): readonly string[] => {
  const names = [host, ...(address === undefined ? [] : [hostInUrl(new URL(address).hostname)])];
  return names.every(isLoopbackHost) && !trustedProxies ? ['loopback'] : [];
};

const MIGRATING = 'the database is to be migrated before the server can work';

/** How long a store may take to close. */
const CLOSE_MS = 5000;

/** Reads the options of the command, opens the controller that they ask for, and serves it until a signal ends it. */
export const start = async (listen: Listen): Promise<void> => {
  let messages = plainMessages;
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (!options) return console.log((await import('./commands/index.ts')).overview());
    messages = messagesOf(options.log);
    await open(options, listen, messages);
  } catch (error) {
    messages.error(sentenceOf(error));
    process.exit(1);
  }
};
