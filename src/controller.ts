import { groups } from './api/index.ts';
import type { Surface } from './api/kit/surface.ts';
import { type Api, allSurfaces } from './api/surfaces.ts';
import { createActivity } from './call/activity.ts';
import { createBackground } from './call/background.ts';
import type { Credentials } from './call/call.ts';
import type { Core } from './call/core.ts';
import { createGate } from './call/gate.ts';
import { createPasswordChecks } from './call/password-checks.ts';
import { checkedSettings, defaultSettings, type Settings } from './call/settings.ts';
import { createWriter } from './call/writer.ts';
import { type ChangeListeners, createListeners } from './changes/listeners.ts';
import { createPublisher } from './changes/publisher.ts';
import { createRecentChanges } from './changes/recent.ts';
import { createStamps } from './changes/stamps.ts';
import { keepDecoy } from './domain/authentication/decoy.ts';
import {
  type AdministratorOptions,
  bootstrap,
  type FirstAdministrator,
  type FirstCredentials,
  firstCredentials,
} from './domain/bootstrap.ts';
import { joinNetwork, type MemberOptions } from './domain/controllers/membership.ts';
import { entries } from './domain/entries.ts';
import { loadKeysEarly } from './domain/external-jwt-signers/load-keys.ts';
import { keptAuthority } from './domain/kept-authority.ts';
import { createPresence, followChanges, type Presence } from './domain/routers/presence.ts';
import { checkSecretKey, secretsOf } from './domain/secret-key.ts';
import { createSessionUpkeep } from './domain/service-sessions/upkeep.ts';
import { concerningKinds } from './domain/services/concerns.ts';
import { sealIdentitySecrets } from './domain/terminators/identity-secret.ts';
import { createNetworkJwt } from './domain/trust/network-jwt.ts';
import { createFacade, type Facade } from './facade.ts';
import { createDocuments } from './http/documents.ts';
import { createHandler, type Handle } from './http/handler.ts';
import { checkedOptions } from './options.ts';
import { createInvoke } from './pipeline/invoke.ts';
import { createPki, type PkiOptions, pkiSources } from './pki/pki.ts';
import { addressRule } from './platform/addresses.ts';
import type { Logger, Platform } from './platform/platform.ts';
import type { Secrets } from './platform/secrets.ts';
import type { SnapshotSink } from './platform/snapshots.ts';
import { webPlatform } from './platform/web.ts';
import { createConnections } from './presence/connections.ts';
import { StoreSchemaMismatch } from './storage/errors.ts';
import type { StorageAdapter, Store } from './storage/port.ts';
import { storageSchema } from './storage/schema.ts';
import { createTokenVerifier } from './tokens/verifier.ts';

export interface ControllerOptions extends PkiOptions {
  readonly storage: StorageAdapter;
  /** The first administrator of a new network; without effect where there is one. */
  readonly administrator?: AdministratorOptions;
  /** Clock, randomness, password hashing, logging. Default: those of the web standards. */
  readonly platform?: Platform;
  readonly settings?: Partial<Settings>;
  /**
   * Under which private keys and TOTP secrets are sealed in the store: 32 random bytes in base64, kept apart from the database. A list to replace a
   * key: the first one seals, all of them unseal. Needed with every store but one in memory, which has a key of its own.
   */
  readonly secretKey?: string | readonly string[];
  /** Where snapshots of the database are kept, e.g. `snapshotFolder('snapshots')` on Node. Default: nowhere, and none can be taken. */
  readonly snapshots?: SnapshotSink | undefined;
  /** Makes the controller known under a name in `/controllers`, as one of several on one store. Default: it is not listed. */
  readonly member?: MemberOptions | undefined;
}

/** What comes with every call of a session beside its token. */
export interface AsOptions {
  /** A token of an external JWT signer, for sessions whose every call must come with one. */
  readonly externalToken?: string;
}

/** The management plane of an overlay network, in process. Its own operations run as the host's own code, with every right. */
export interface ManagementController extends Facade {
  readonly system: Facade;
  /** The operations as the owner of a session may call them. */
  as(session: string | { readonly token: string | null }, options?: AsOptions): Facade;
  /** Answers an HTTP request; what HTTP adapters call. */
  readonly handle: Handle;
  /**
   * The same with some of the API surfaces only, for an adapter to mount elsewhere: `nodeHandler(controller.only(surfaces.client))` is what devices need, and
   * lets nobody administer from where they are. Addresses without the prefix of a surface are those of the client API.
   * @param selection surfaces, or their names
   */
  only(...selection: readonly (Surface | Api)[]): Pick<ManagementController, 'handle' | 'logger'>;
  /** That of its platform. */
  readonly logger: Logger;
  /** For hosts that carry the connections of routers: what these tell, and whether they may connect. Known to this controller only. */
  readonly presence: Presence;
  /** Committed changes, in order: `change` for all, `identity`, `apiSession`, ... for those of a kind. */
  readonly events: Omit<ChangeListeners, 'emit'>;
  /** Publishes changes that were committed otherwise than by this controller: in a host's transaction, or by another controller on the same store. */
  publish(): Promise<void>;
  /** Credentials of the first administrator, if this call of `open` made it. They are kept nowhere else. */
  readonly firstAdministrator: FirstAdministrator | undefined;
  readonly settings: Settings;
  /** Whether the controller can do its work, for the checks of supervisors and load balancers. Never rejects. */
  health(): Promise<Health>;
  /** Ends what works in the background, and closes the store. Close servers first, so that what is under way gets its answer. */
  close(): Promise<void>;
}

/** What a controller says of itself. */
export interface Health {
  readonly isHealthy: boolean;
  /** What is the matter: `away`, the database does not answer; `superseded`, a newer release has migrated it, and this process writes no more until it is replaced. */
  readonly store: 'ready' | 'away' | 'superseded';
}

const healthOf = async (store: Store): Promise<Health> => {
  try {
    await store.check?.();
    return { isHealthy: true, store: 'ready' };
  } catch (error) {
    return { isHealthy: false, store: error instanceof StoreSchemaMismatch ? 'superseded' : 'away' };
  }
};

const MINUTE = 60_000;

/**
 * Opens a controller on a store.
 *
 * ```ts
 * const controller = await ManagementController.open({ storage: memoryStorage(), settings: { address: 'https://overlay.example.com' } });
 * const { id } = await controller.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
 * ```
 * @throws StoreSchemaMismatch when the database is of another release; StoreBusy when another process held the database for too long, as one that migrates may;
 *   StoreUnavailable when the database cannot be reached; TypeError for an unknown option, and for settings, credentials or a secret key
 *   out of bounds
 */
const open = async (options: ControllerOptions): Promise<ManagementController> => {
  const {
    storage,
    administrator = {},
    platform = webPlatform(),
    settings: given = {},
    secretKey,
    snapshots,
    member,
    ...pki
  } = checkedOptions('ManagementController.open', options, OPTIONS);
  checkedOptions("the option 'administrator' of ManagementController.open", administrator, { username: true, password: true, name: true });
  if (member) checkedOptions("the option 'member' of ManagementController.open", member, { name: true, ctrlAddress: true });
  const settings = checkedSettings({ ...defaultSettings, ...given });
  if (given.address === undefined)
    platform.logger.warn(
      `settings.address is not set: enrollment tokens will lead clients to ${settings.address}, which is this machine only; set it to the address under which clients reach this controller`,
    );
  const credentials = firstCredentials(platform, administrator);
  const secrets = await secretsOf(secretKey, storage, platform.random);
  const store = await storage.open(storageSchema);
  try {
    return await start(store, platform, settings, secrets, credentials, pki, { snapshots, member });
  } catch (error) {
    await store.close();
    throw error;
  }
};

const OPTIONS = {
  storage: true,
  administrator: true,
  platform: true,
  settings: true,
  secretKey: true,
  snapshots: true,
  member: true,
  pki: true,
  serverCertificate: true,
  bundle: true,
} as const;

const start = async (
  store: Store,
  platform: Platform,
  settings: Settings,
  secrets: Secrets,
  first: FirstCredentials,
  pki: PkiOptions,
  { snapshots, member }: Pick<ControllerOptions, 'snapshots' | 'member'>,
): Promise<ManagementController> => {
  const stamp = createStamps(platform.clock);
  const { changesKept, changeBytesKept } = settings;
  const common = { random: platform.random, stamp, changesKept, changeBytesKept };
  const context = { actor: 'system', requestId: 'open', ...common };
  await checkSecretKey(store, secrets, context);
  await keepDecoy(store, context);
  await sealIdentitySecrets(store, secrets, context);
  const sources = await pkiSources(pki, () => keptAuthority(store, secrets, platform.clock, context));
  const firstAdministrator = await bootstrap(store, platform, context, first);
  const events = createListeners(platform.logger);
  const publisher = await createPublisher(store, events, platform.logger);
  const { carryOut, goOn } = createSessionUpkeep(platform);
  const reviewSessions = () => goOn(background);
  const write = createWriter(store, publisher, createGate(4, settings.maxQueuedWrites), { carryOut, goOn: reviewSessions });
  const background = createBackground(store, platform.clock, write, common);
  const keys = createPki(sources);
  const startedAt = stamp();
  const core: Core = {
    store,
    platform,
    settings,
    secrets,
    pki: keys,
    networkJwt: createNetworkJwt(keys, settings, platform.random),
    passwordChecks: createPasswordChecks(platform, settings),
    tokens: createTokenVerifier({ ...platform, permits: addressRule(settings.outboundAllow) }),
    enrollments: createGate(2, settings.maxQueuedEnrollments),
    documents: createDocuments(groups, settings),
    background,
    activity: createActivity(store, background, platform),
    reviewSessions,
    snapshots,
    stamp,
    presence: createConnections(platform.clock, settings.unknownConnectionMinutes * MINUTE),
    recentChanges: createRecentChanges(concerningKinds, startedAt),
    startedAt,
  };
  loadKeysEarly(events, core);
  followChanges(events, core);
  if (member) await joinNetwork(core, member);
  // What a controller that was closed, or lost, has left.
  reviewSessions();
  const invoke = createInvoke({ core, write, carryOut });
  const facade = (credentials: Credentials) => createFacade(entries, invoke, platform.random, credentials);
  const system = facade({ kind: 'system' });
  const serving = { entries, invoke, settings, platform };
  return {
    ...system,
    system,
    as: (session, options = {}) => {
      const { externalToken } = checkedOptions('as', options, { externalToken: true });
      return facade({
        kind: 'token',
        token: (typeof session === 'string' ? session : session.token) ?? '',
        ...(externalToken === undefined ? {} : { authorization: `Bearer ${externalToken}` }),
      });
    },
    handle: createHandler(serving),
    only: (...selection) => ({
      handle: createHandler({ ...serving, surfaces: selection.map((one) => (typeof one === 'string' ? surfaceNamed(one) : one)) }),
      logger: platform.logger,
    }),
    logger: platform.logger,
    presence: createPresence(core),
    events,
    publish: async () => {
      reviewSessions();
      await publisher.catchUp();
    },
    firstAdministrator,
    settings,
    health: () => healthOf(store),
    close: async () => {
      core.presence.close();
      core.tokens.close();
      await background.close();
      await store.close();
    },
  };
};

/** @throws TypeError for a name that no surface has */
const surfaceNamed = (name: string): Surface => {
  const found = allSurfaces.find((surface) => surface.name === name);
  if (!found) throw new TypeError(`controller.only takes [${allSurfaces.map((surface) => surface.name).join()}], got '${name}'`);
  return found;
};

/** Where controllers come from: `ManagementController.open`. */
export const ManagementController = { open } as const;
