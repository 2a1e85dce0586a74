/**
 * The operations over HTTP, from wherever there is `fetch`.
 * @module overlay-controller/client
 */
export { versionOf } from '../api/kit/entity-version.ts';
export { ApiError, catalog as errorCatalog, type ErrorCause, type ErrorCode } from '../errors/index.ts';
export { type Client, type ClientOptions, createClient, type RemoteCallOptions } from './client.ts';
export { each } from './each.ts';
export type { ClientCredentials } from './session.ts';
