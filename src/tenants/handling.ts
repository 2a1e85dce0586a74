/** Routes HTTP requests to the tenant that a function of the host chooses. All adapters accept the handler like a controller. */
import type { SurfaceName } from '../api/surfaces/index.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import type { StoreErrors } from '../call/store-errors.ts';
import type { ManagementController } from '../controller.ts';
import { ApiError } from '../errors/index.ts';
import { abandon } from '../http/event-stream.ts';
import type { Handle } from '../http/handler.ts';
import type { CoreAnswer, CoreRequest } from '../http/message.ts';
import { toApiError } from '../http/refusal.ts';
import { splitTarget } from '../http/router.ts';
import { checkedOptions } from '../options.ts';
import type { Logger } from '../platform/platform.ts';
import { type OpenedTenants, refused, type TenantInUse } from './opened.ts';
import { isTenantName } from './registry.ts';

/** The parts of a request by which the host chooses a tenant. Clients can forge them: they only select whose sessions are checked, and grant nothing. */
export interface TenantRequest {
  /** The requested host name, in lower case and without port; empty if the request has none. */
  readonly hostname: string;
  /** The path as on the wire, without the query. */
  readonly path: string;
  /** Header value by lower-case name. */
  header(name: string): string | undefined;
  readonly remoteAddress: string;
}

/** The name of a tenant, or its name and the path below which it is mounted, e.g. `/acme`; undefined for no tenant. */
export type ChosenTenant = string | { readonly name: string; readonly mount: string } | undefined;

/** Chooses the tenant that answers a request. */
export type ChooseTenant = (request: TenantRequest) => ChosenTenant | Promise<ChosenTenant>;

/** Which API surfaces of the tenants are served. */
export interface TenantHandlingOptions {
  /** As `controller.only` takes them. Default: all. */
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
  const handles = new WeakMap<ManagementController, Handle>();
  const handleOf = (controller: ManagementController): Handle => {
    const known = handles.get(controller) ?? (only ? controller.only(...only) : controller).handle;
    handles.set(controller, known);
    return known;
  };

  const chosen = async (request: CoreRequest): Promise<{ readonly held: TenantInUse; readonly mounted: CoreRequest } | undefined> => {
    const choice = await choose(tenantRequest(request));
    const { name, mount } = typeof choice === 'object' ? choice : { name: choice, mount: '' };
    if (name === undefined || !isTenantName(name)) return undefined;
    const mounted = mount === '' ? request : below(mount, request);
    if (!mounted) return undefined;
    try {
      return { held: await opened.acquire(name), mounted };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  };

  const handle: Handle = async (request) => {
    const { method, target } = request;
    try {
      const found = await chosen(request);
      if (!found) return unknownTenant(request);
      const { held, mounted } = found;
      let answer: CoreAnswer | undefined;
      try {
        answer = await handleOf(held.controller)(mounted);
        if (held.isErased) return unknownTenant(request);
        return isStream(answer.body) ? { ...answer, body: releasing(answer.body, held) } : answer;
      } finally {
        if (!answer || held.isErased || !isStream(answer.body)) held.release();
        if (answer && held.isErased && isStream(answer.body)) abandon(answer.body[Symbol.asyncIterator]());
      }
    } catch (error) {
      const context = { method, path: splitTarget(target).path.slice(0, 256) };
      return refused(toApiError(storeErrors(error, context), logger, context), request);
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

/** A request as seen below a path. Its other members are read from the original request on demand. @returns undefined if it is not below the path */
const below = (path: string, request: CoreRequest): CoreRequest | undefined => {
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

/** The same answer for a tenant that was erased and for one that never existed. */
const unknownTenant = (request: CoreRequest): CoreAnswer =>
  refused(new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message: 'there is no such network' } }), request);

const isStream = (body: CoreAnswer['body']): body is AsyncIterable<Uint8Array> => typeof body !== 'string' && !(body instanceof Uint8Array);

/** A streamed body that keeps its tenant open until the stream ends or is abandoned. */
const releasing = (body: AsyncIterable<Uint8Array>, held: TenantInUse): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => {
    const source = body[Symbol.asyncIterator]();
    const over = <T extends { readonly done?: boolean | undefined }>(part: T): T => {
      if (part.done) held.release();
      return part;
    };
    const failed = (error: unknown): never => {
      held.release();
      throw error;
    };
    return {
      next: () => source.next().then(over, failed),
      return: async () => {
        held.release();
        return (await source.return?.()) ?? { done: true, value: undefined };
      },
    };
  },
});
