export { ApiError, catalog as errorCatalog, type ErrorCause, type ErrorCode } from '../errors/index.ts';
export { type Client, type ClientOptions, createClient, type RemoteCallOptions } from './client.ts';
export { each } from './each.ts';
export type { ClientCredentials } from './session.ts';
