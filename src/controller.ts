import { allSurfaces, type SurfaceName, surfaces } from './api/surfaces/index.ts';
import type { Surface } from './api/surfaces/surface.ts';
import type { Settings } from './call/settings.ts';
import { createStoreErrors } from './call/store-errors.ts';
import type { ChangeListeners } from './changelog/listeners.ts';
import { keepInside } from './controller-inside.ts';
import { type CallerCredentials, createApi } from './create-api.ts';
import { entries } from './domain/entries.ts';
import { createPresence } from './domain/fabric/connections/create-presence.ts';
import type { Presence } from './domain/fabric/connections/presence.ts';
import { createStamps } from './entities/stamps.ts';
import { hostDocument, type OpenApiOptions } from './host-document.ts';
import { createHandler, type Handle } from './http/handler.ts';
import { type Consume, createConsume } from './jobs/consumers.ts';
import type { FirstAdministrator } from './opening/bootstrap.ts';
import { createHealth, type Health } from './opening/health.ts';
import { openNetwork } from './opening/network.ts';
import { type ControllerOptions, type Opening, openingOf } from './opening/options.ts';
import { createParts } from './opening/parts.ts';
import { type Resealed, type ResealOptions, reseal } from './opening/reseal.ts';
import { createStatistics, type Statistics } from './opening/statistics.ts';
import { beginWork } from './opening/work.ts';
import { checkedOptions } from './options.ts';
import { permitByDeclaration } from './pipeline/authorize.ts';
import { createInvoke } from './pipeline/invoke.ts';
import { observeCalls } from './pipeline/observe-calls.ts';
import { createPermit } from './pipeline/permit.ts';
import type { Logger } from './platform/platform.ts';
import type { Store } from './storage/port.ts';
import { storageSchema } from './storage/schema.ts';
import type { Api } from './types/api.ts';

/** Sent with every call of a session, in addition to its token. */
export interface AsOptions {
  /** A token of an external JWT signer, for sessions whose every call must come with one. */
  readonly externalToken?: string;
  /**
   * The certificates that the client has proved in its TLS handshake, DER, leaf first: access tokens that are bound to one are refused without it (RFC 8705,
   * 3), as are operations that extend one. Default: none.
   */
  readonly peerCertificates?: readonly Uint8Array[];
}

/** The management plane of an overlay network, in process. */
export interface ManagementController {
  /** The operations as the host's own code calls them, with every right: `controller.api.<group>.<verb>(input)`. */
  readonly api: Api;
  /** The same object as `api`, for code that names the rights it calls with: `as`, `asIdentity`, `system`. */
  readonly system: Api;
  /** The operations as the owner of a session may call them: by the token of an API session, or an access token of the OpenID provider. */
  as(session: string | { readonly token: string | null }, options?: AsOptions): Api;
  /**
   * The operations as an identity may call them, without a session: for hosts that know their users otherwise. It has the rights of that identity when each
   * call is made. Second factors are not required, since the host vouches for who it is; what is about a session rejects with `UNAUTHORIZED`, as every call
   * does while the identity is disabled.
   * @param id of the identity; for an unknown one each call rejects with `NOT_FOUND`
   */
  asIdentity(id: string): Api;
  /** Answers an HTTP request; what HTTP adapters call. */
  readonly handle: Handle;
  /**
   * The same controller with only some API surfaces, to mount separately: `nodeHandler(controller.only(surfaces.client))` serves devices without
   * exposing the management API. Paths without the prefix of a surface belong to the client API.
   * @param selection surfaces, or their names
   */
  only(...selection: readonly (Surface | SurfaceName)[]): Pick<ManagementController, 'handle' | 'logger'>;
  /**
   * The OpenAPI 3.1 document of what the host mounts, to be served, or merged into its own.
   *
   * ```ts
   * app.get('/openapi.json', (_, response) => response.json(controller.openapi({ groups: ['identities'], surface: 'management' })));
   * ```
   * @returns a new JSON object
   * @throws TypeError for a group, a surface or an option that is unknown
   */
  openapi(options?: OpenApiOptions): object;
  /** The logger of its platform. */
  readonly logger: Logger;
  /** For hosts that carry the connections of routers: admits routers, and takes their reports. Other controllers on the store see both. */
  readonly presence: Presence;
  /** Consumers of the change log: all committed changes of the network, of every origin. `api.changes` lists and follows them. */
  readonly changes: Changes;
  /** Committed changes, in order: `change` for all, `identity`, `apiSession`, ... for those of a kind. */
  readonly events: Omit<ChangeListeners, 'emit'>;
  /** Publishes changes that were committed otherwise than by this controller: in a host's transaction, or by another controller on the same store. */
  publish(): Promise<void>;
  /** Credentials of the first administrator, if this call of `open` made it. They are kept nowhere else. */
  readonly firstAdministrator: FirstAdministrator | undefined;
  readonly settings: Settings;
  /** The health of the controller, with reasons, for supervisors and load balancers. Never rejects. */
  health(): Promise<Health>;
  /**
   * Numbers of entities and the state of queues, for gauges. Entities are counted at most once in five seconds.
   * @throws StoreUnavailable, StoreBusy when the database does not answer
   */
  statistics(): Promise<Statistics>;
  /**
   * Replaces the secret key of the network permanently: everything sealed in the store is sealed again under the given key, or under the first of those that the
   * controller was opened with. Once it is done, controllers are opened with that key alone. Before, give every controller of the network both keys, the new
   * one first; those that lack the new one cannot read what is sealed under it. Calls continue during a reseal. After an interruption, open with both keys and call it again.
   *
   * ```ts
   * const controller = await ManagementController.open({ storage, secretKey: [newKey, oldKey], settings });
   * await controller.reseal();
   * ```
   * @throws TypeError for an invalid key, or when something cannot be unsealed with the keys given; StoreUnavailable, StoreBusy when the database does not
   * answer: what was resealed until then stays so
   */
  reseal(options?: ResealOptions): Promise<Resealed>;
  /** Ends background work, and closes the store. Close servers first, so that requests in progress get their answers. */
  close(): Promise<void>;
}

/** The change log, for the host's own code. */
export interface Changes {
  readonly consume: Consume;
}

const open = async (options: ControllerOptions): Promise<ManagementController> => {
  const opening = await openingOf(options);
  const store = await opening.storage.open(storageSchema);
  try {
    return await start(store, opening);
  } catch (error) {
    await store.close();
    throw error;
  }
};

const start = async (store: Store, opening: Opening): Promise<ManagementController> => {
  const { platform, settings, observer, authorize, hooks } = opening;
  const { changesKept, changeBytesKept } = settings;
  const keys = opening.secrets;
  const common = { random: platform.random, stamp: createStamps(platform.clock), changesKept, changeBytesKept, keys };
  const { pki, firstAdministrator } = await openNetwork(store, opening, common);
  const parts = await createParts(store, opening, pki, { ...common, inTransaction: hooks.inTransaction?.bind(hooks) });
  const { core, events, publisher } = parts;
  await beginWork(parts, opening);
  const storeErrors = createStoreErrors(platform);
  if (hooks.afterCommit) events.on('change', hooks.afterCommit.bind(hooks));
  const permit = authorize ? createPermit(authorize, platform.logger) : permitByDeclaration;
  const invoke = createInvoke({ ...parts, permit }, storeErrors, hooks.before?.bind(hooks));
  const apiOf = (caller: CallerCredentials) => createApi(entries, observeCalls(invoke, observer), platform.random, caller);
  const api = apiOf({ credentials: { kind: 'system' } });
  const offered = core.provider ? entries : entries.filter(({ operation }) => !operation.surfaces.some(isOfProvider));
  const serving = { entries: offered, invoke, settings, platform, observer };
  const controller: ManagementController = {
    api,
    system: api,
    changes: { consume: createConsume(core) },
    as: (session, options = {}) => {
      const { externalToken, peerCertificates } = checkedOptions('as', options, { externalToken: true, peerCertificates: true });
      if (peerCertificates && !(Array.isArray(peerCertificates) && peerCertificates.every((each) => each instanceof Uint8Array)))
        throw new TypeError('as takes as peerCertificates a list of certificates in DER, each a Uint8Array');
      const token = (typeof session === 'string' ? session : session.token) ?? '';
      const external = externalToken === undefined ? [] : [`Bearer ${externalToken}`];
      // As a client would send it: the token of an API session, or an access token of the provider.
      const isBearer = core.provider !== undefined && token.split('.').length === 3;
      const authorization = [...(isBearer ? [`Bearer ${token}`] : []), ...external].join(', ');
      const credentials = { kind: 'token', ...(isBearer ? {} : { token }), ...(authorization === '' ? {} : { authorization }) } as const;
      return apiOf(peerCertificates ? { credentials, peerCertificates } : { credentials });
    },
    asIdentity: (id) => apiOf({ credentials: { kind: 'identity', id: String(id) } }),
    handle: createHandler(serving),
    only: (...selection) => ({
      handle: createHandler({ ...serving, surfaces: selection.map((one) => surfaceOf('controller.only', one)) }),
      logger: platform.logger,
    }),
    openapi: ({ surface, ...options } = {}) =>
      hostDocument(offered, settings, { ...options, surface: surface && surfaceOf('openapi', surface) }),
    logger: platform.logger,
    presence: createPresence(core, storeErrors),
    events,
    publish: async () => {
      core.reviewSessions();
      await publisher.catchUp();
    },
    firstAdministrator,
    settings,
    health: createHealth(core, opening),
    statistics: createStatistics(core, parts),
    reseal: async (options = {}) => {
      const checked = checkedOptions('reseal', options, { secretKey: true });
      const attribution = { actor: 'system', requestId: 'reseal' };
      return core.background.run(attribution, ({ signal }) => reseal(store, keys, { ...common, ...attribution }, signal, checked));
    },
    close: async () => {
      core.presence.close();
      core.tokens.close();
      core.logWatch.close();
      await core.background.close();
      await store.close();
    },
  };
  keepInside(controller, parts);
  return controller;
};

const isOfProvider = (surface: Surface): boolean => surface === surfaces.oidc || surface === surfaces.oidcLogin;

/** @throws TypeError for a name that no surface has */
const surfaceOf = (what: string, given: Surface | SurfaceName): Surface => {
  if (typeof given !== 'string') return given;
  const found = allSurfaces.find((surface) => surface.name === given);
  if (!found) throw new TypeError(`${what} takes the surfaces ${allSurfaces.map((surface) => surface.name).join(', ')}, got '${given}'`);
  return found;
};

/** Where controllers come from: `ManagementController.open`. */
export const ManagementController = {
  /**
   * Opens a controller on a store.
   *
   * ```ts
   * const controller = await ManagementController.open({ storage: memoryStorage(), settings: { address: 'https://overlay.example.com' } });
   * const { id } = await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
   * ```
   * @throws StoreSchemaMismatch when the database belongs to another release; StoreBusy when another process held it for too long, e.g. while
   * migrating; StoreUnavailable when it cannot be reached; TypeError for an unknown option, and for invalid settings, credentials or secret keys
   */
  open,
} as const;
