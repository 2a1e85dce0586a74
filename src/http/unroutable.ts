/** Refusals of requests that name no operation, or accept none of its answers. */
import type { Body } from '../contract/api/kit/operation.ts';
import { ApiError, invalidField, type MessageCause } from '../contract/errors/index.ts';
import { withSubcode } from '../contract/errors/subcode.ts';
import { JSON_TYPE } from '../contract/wire/media-types.ts';
import { mediaType } from './media-types.ts';
import type { CoreAnswer, CoreRequest } from './message.ts';
import type { Route } from './router.ts';

/** The answer to a path that cannot be decoded. */
export const malformed = (common: CoreAnswer['headers']): CoreAnswer => ({
  status: 400,
  headers: { ...common, 'content-type': 'text/plain; charset=utf-8' },
  body: 'Bad Request: malformed escape in the path\n',
});

/** The error for an unknown path, or a method that a path does not have. */
export const routeError = (
  route: Extract<Route, { readonly is: 'pathUnknown' | 'methodUnknown' }>,
  method: string,
  path: string,
): ApiError => {
  if (route.is === 'pathUnknown')
    return withSubcode(new ApiError('NOT_FOUND', { cause: unhandled(`path ${path.slice(0, 256)} was not found`) }), 'ADDRESS_UNKNOWN');
  const cause = unhandled(`method ${method.slice(0, 32)} is not allowed, but [${route.allowed.join()}] are`);
  return new ApiError('METHOD_NOT_ALLOWED', { cause });
};

const unhandled = (message: string): MessageCause => ({ code: 'UNHANDLED', message });

/**
 * The error if the client accepts no offered media type: 406, or 415 for a body other than JSON if the operation declares an error for such
 * bodies.
 */
export const unacceptable = (offers: readonly string[], request: CoreRequest, body: Body | undefined): Error => {
  const cause = { field: 'Accept', reason: `none of [${offers.join()}] is accepted`, value: request.header('accept') ?? '' };
  const isOther = body?.unsupported !== undefined && mediaType(request.header('content-type') ?? JSON_TYPE) !== JSON_TYPE;
  return isOther ? new ApiError(body.unsupported, { cause, status: 415 }) : invalidField(cause.field, cause.reason, cause.value, 406);
};

/** The path of the management channel, a WebSocket. Hosts that can upgrade connections take such requests before they come here. */
export const CHANNEL_PATH = '/fabric/v1/ws-api';

/** The answer to a request for the management channel without an upgrade, or at a host that does not upgrade connections. */
export const withoutUpgrade = (common: Readonly<Record<string, string>>): CoreAnswer => ({
  status: 400,
  headers: { ...common, 'content-type': 'text/plain; charset=utf-8', 'sec-websocket-version': '13' },
  body: 'Bad Request: this address is a WebSocket, and the request asked for none, or the host does not upgrade connections\n',
});
