/** Routes HTTP requests to tenants, which a function of the host chooses. All HTTP adapters accept the handler in place of a controller. */

import type { StoreErrors } from '../../call/store-errors.ts';
import type { SurfaceName } from '../../contract/api/surfaces/index.ts';
import type { Surface } from '../../contract/api/surfaces/surface.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { checkedOptions } from '../../contract/options.ts';
import { abandon } from '../../http/event-stream.ts';
import type { Handle } from '../../http/handler.ts';
import type { CoreAnswer, CoreRequest } from '../../http/message.ts';
import { toApiError } from '../../http/refusal.ts';
import { splitTarget } from '../../http/router.ts';
import type { Logger } from '../../runtime/platform/platform.ts';
import type { ManagementController } from '../controller.ts';
import { errorAnswer, type OpenedTenants, type TenantInUse } from './opened.ts';
import { isTenantName } from './registry.ts';

/**
 * The parts of a request by which the host chooses a tenant. Clients can forge them, but they only select whose sessions are checked, and
 * grant nothing.
 */
export interface TenantRequest {
  /** The requested host name, in lower case and without the port; empty if the request has none. */
  readonly hostname: string;
  /** The raw path, without the query. */
  readonly path: string;
  /** Returns the value of a header by its lower-case name. */
  header(name: string): string | undefined;
  readonly remoteAddress: string;
}

/** The name of a tenant, or its name and the path at which it is mounted, e.g. `/acme`; undefined for no tenant. */
export type ChosenTenant = string | { readonly name: string; readonly mount: string } | undefined;

/** Chooses the tenant that answers a request. */
export type ChooseTenant = (request: TenantRequest) => ChosenTenant | Promise<ChosenTenant>;

/** Options of `Overlays.handling`. */
export interface TenantHandlingOptions {
  /** The API surfaces to serve, as for `controller.only`. Default: all. */
  readonly only?: readonly (Surface | SurfaceName)[] | undefined;
}

/** The handler for HTTP adapters. */
export interface TenantHandling {
  readonly handle: Handle;
  readonly logger: Logger;
}

interface HandlingParts {
  readonly opened: OpenedTenants;
  readonly storeErrors: StoreErrors;
  readonly logger: Logger;
}

export const createTenantHandling = (
  { opened, storeErrors, logger }: HandlingParts,
  choose: ChooseTenant,
  options: TenantHandlingOptions = {},
): TenantHandling => {
  const { only } = checkedOptions('overlays.handling', options, { only: true });
  const handlers = new WeakMap<ManagementController, Handle>();
  const handleOf = (controller: ManagementController): Handle => {
    const known = handlers.get(controller) ?? (only ? controller.only(...only) : controller).handle;
    handlers.set(controller, known);
    return known;
  };

  const chosen = async (request: CoreRequest): Promise<{ readonly tenant: TenantInUse; readonly mounted: CoreRequest } | undefined> => {
    const choice = await choose(tenantRequest(request));
    const { name, mount } = typeof choice === 'object' ? choice : { name: choice, mount: '' };
    if (name === undefined || !isTenantName(name)) return undefined;
    const mounted = mount === '' ? request : mountedAt(mount, request);
    if (!mounted) return undefined;
    try {
      return { tenant: await opened.acquire(name), mounted };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  };

  /** @returns undefined if the tenant was erased in the meantime */
  const answerOf = async (tenant: TenantInUse, request: CoreRequest): Promise<CoreAnswer | undefined> => {
    let isStreaming = false;
    try {
      const answer = await handleOf(tenant.controller)(request);
      const stream = isStream(answer.body) ? answer.body : undefined;
      if (tenant.isErased) {
        if (stream) abandon(stream[Symbol.asyncIterator]());
        return undefined;
      }
      isStreaming = stream !== undefined;
      return stream ? { ...answer, body: releasing(stream, tenant) } : answer;
    } finally {
      if (!isStreaming) tenant.release();
    }
  };

  const handle: Handle = async (request) => {
    const { method, target } = request;
    try {
      const found = await chosen(request);
      return (found && (await answerOf(found.tenant, found.mounted))) ?? unknownTenant(request);
    } catch (error) {
      const context = { method, path: splitTarget(target).path.slice(0, 256) };
      return errorAnswer(toApiError(storeErrors(error, context), logger, context), request);
    }
  };
  return { handle, logger };
};

const tenantRequest = (request: CoreRequest): TenantRequest => ({
  hostname: hostnameOf(request.host ?? request.header('host') ?? ''),
  path: splitTarget(request.target).path,
  header: (name) => request.header(name),
  remoteAddress: request.remoteAddress ?? '',
});

/**
 * A request with its target relative to a mount path. All other members are those of the original request.
 * @returns undefined if the path is outside
 */
const mountedAt = (path: string, request: CoreRequest): CoreRequest | undefined => {
  const prefix = path.replace(/\/+$/, '');
  const rest = request.target.slice(prefix.length);
  if (!request.target.startsWith(prefix) || !/^(?:$|[/?])/.test(rest)) return undefined;
  const mounted = new Map<unknown, string>([
    ['target', rest[0] === '/' ? rest : `/${rest}`],
    ['mount', (request.mount ?? '') + prefix],
  ]);
  return new Proxy(request, {
    get: (_, member) => {
      const value: unknown = mounted.get(member) ?? Reflect.get(request, member, request);
      return typeof value === 'function' ? value.bind(request) : value;
    },
  });
};

const hostnameOf = (host: string): string => host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();

/** The answer for an unknown tenant, which does not reveal whether the tenant ever existed. */
const unknownTenant = (request: CoreRequest): CoreAnswer =>
  errorAnswer(new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message: 'there is no such network' } }), request);

const isStream = (body: CoreAnswer['body']): body is AsyncIterable<Uint8Array> => typeof body !== 'string' && !(body instanceof Uint8Array);

/** A streamed body that keeps its tenant open until the stream ends or is abandoned. */
const releasing = (body: AsyncIterable<Uint8Array>, tenant: TenantInUse): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => {
    const source = body[Symbol.asyncIterator]();
    const releaseIfDone = <T extends { readonly done?: boolean | undefined }>(result: T): T => {
      if (result.done) tenant.release();
      return result;
    };
    const releaseAndThrow = (error: unknown): never => {
      tenant.release();
      throw error;
    };
    return {
      next: () => source.next().then(releaseIfDone, releaseAndThrow),
      return: async () => {
        tenant.release();
        return (await source.return?.()) ?? { done: true, value: undefined };
      },
    };
  },
});
