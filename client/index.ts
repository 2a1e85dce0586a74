/**
 * The operations over HTTP, on any runtime with `fetch`.
 * @module overlay-controller/client
 */
export { versionOf } from '../src/contract/api/kit/entity-version.ts';
export type { Page, Pagination } from '../src/contract/api/kit/operation.ts';
export type { Change, ChangedKind, ChangedRow, EntityState, StateEnd } from '../src/contract/changes/events.ts';
export { each } from '../src/contract/each.ts';
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
} from '../src/contract/errors/index.ts';
export { type Preview, type PreviewedChange, type Previewing, previewing } from '../src/contract/previewing.ts';
export type { ErrorsOf } from '../src/contract/types/errors.ts';
export type * from '../src/contract/types/index.ts';
export { type FilterValue, filter } from '../src/query/filter-text.ts';
export type { RemoteCallOptions } from './caller.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { ClientCredentials } from './session.ts';
