/**
 * The operations over HTTP, on any runtime with `fetch`.
 * @module overlay-controller/client
 */
export { versionOf } from '../api/kit/entity-version.ts';
export type { Page, Pagination } from '../api/kit/operation.ts';
export type { Change, ChangedKind, ChangedRow, EntityState, StateEnd } from '../changelog/events.ts';
export {
  ApiError,
  type CatalogEntry,
  type CauseOf,
  type Causes,
  type CursorCause,
  catalog as errorCatalog,
  type ErrorCause,
  type ErrorCode,
  type FailingCheck,
  type FieldCause,
  isApiError,
  type MessageCause,
  type PostureCause,
} from '../errors/index.ts';
export { type Preview, type PreviewedChange, type Previewing, previewing } from '../previewing.ts';
export { type FilterValue, filter } from '../query/filter-text.ts';
export type { ErrorsOf } from '../types/errors.ts';
export type * from '../types/index.ts';
export { type Client, type ClientOptions, createClient, type RemoteCallOptions } from './client.ts';
export { each } from './each.ts';
export type { ClientCredentials } from './session.ts';
