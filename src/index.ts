/**
 * What hosts import: the controller, its options, errors and ports.
 * @module overlay-controller
 */
export type { KindName, Kinds } from './api/index.ts';
export type { InputOf, OutputOf, Page, Pagination } from './api/kit/operation.ts';
export type { Settings } from './call/settings.ts';
export type { Change, ChangedKind, ChangedRow, ChangeEvents } from './changes/events.ts';
export { each } from './client/each.ts';
export { type AsOptions, type ControllerOptions, type Health, ManagementController } from './controller.ts';
export type { AdministratorOptions, FirstAdministrator } from './domain/bootstrap.ts';
export type { MemberOptions } from './domain/controllers/membership.ts';
export type { FormerAuthority } from './domain/kept-authority.ts';
export type { Presence, RouterConnection, RouterInterface } from './domain/routers/presence.ts';
export {
  ApiError,
  type CatalogEntry,
  type CauseOf,
  type Causes,
  catalog as errorCatalog,
  type ErrorCause,
  type ErrorCode,
  type FailingCheck,
  type FieldCause,
  type MessageCause,
  type PostureCause,
} from './errors/index.ts';
export type { CallOptions, Facade } from './facade.ts';
export type { CoreAnswer, CoreRequest } from './http/message.ts';
export {
  hasSecretKey,
  type NetworkAuthority,
  type NetworkAuthorityOptions,
  networkAuthority,
} from './network-authority.ts';
export { type Making, newRoot, newServerCertificate, newSigner } from './pki/authority.ts';
export type { KeyPair } from './pki/network-key.ts';
export type { PkiOptions } from './pki/pki.ts';
export type { SignerOptions } from './pki/signer.ts';
export type { Outbound, OutboundAnswer, OutboundOptions } from './platform/outbound.ts';
export type { Clock, Logger, PasswordHasher, Platform, Random } from './platform/platform.ts';
export { newSecretKey } from './platform/secrets.ts';
export type { SnapshotSink } from './platform/snapshots.ts';
export { webPlatform } from './platform/web.ts';
export { SnapshotRefused, StorageError, StoreBusy, StoreSchemaMismatch, StoreUnavailable } from './storage/errors.ts';
export type { StorageAdapter } from './storage/port.ts';
export { type Restored, type RestoreOptions, restoreSnapshot } from './storage/snapshot/restore.ts';
export type { ErrorsOf, OperationErrors } from './types/errors.ts';
