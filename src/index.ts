/**
 * The public API for hosts: the controller, its options, errors and ports.
 * @module overlay-controller
 */

import './runtime.ts';

export type { KindName } from './api/kind-names.ts';
export type { Attribution } from './api/kit/attribution.ts';
export { versionOf } from './api/kit/entity-version.ts';
export type { Page, Pagination } from './api/kit/operation.ts';
export { type SurfaceName, surfaces } from './api/surfaces/index.ts';
export type { Surface } from './api/surfaces/surface.ts';
export type { CallOptions } from './call/options.ts';
export type { Settings } from './call/settings.ts';
export type { Change, ChangedKind, ChangedRow, ChangeEvents, EntityState, StateEnd } from './changelog/events.ts';
export { each } from './client/each.ts';
export { type AsOptions, type Changes, ManagementController } from './controller.ts';
export type { Presence, RouterConnection, RouterInterfaceReport } from './domain/fabric/connections/presence.ts';
export type { MemberOptions } from './domain/maintenance/controllers/membership.ts';
export {
  type AnswerOptions,
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
  invalidField,
  isApiError,
  type MessageCause,
  type PlainAnswer,
  type PostureCause,
} from './errors/index.ts';
export type { OpenApiOptions } from './host-document.ts';
export type { CoreAnswer, CoreRequest } from './http/message.ts';
export type { RoleIndexSize } from './indexes/role-indexes.ts';
export { type Inspection, type InspectionOptions, type InspectionQuery, inspectStore } from './inspection.ts';
export type { Consume, ConsumeOptions, Consumer, HandlerContext, MissingChanges } from './jobs/consumers.ts';
export {
  type AdoptedServer,
  type AuthorityRotation,
  hasSecretKey,
  type NetworkAuthority,
  type NetworkAuthorityOptions,
  networkAuthority,
  rotateAuthority,
} from './network-authority.ts';
export { accessLog } from './observability/access-log.ts';
export type {
  ActorKind,
  AuthenticationEvent,
  AuthenticationFailure,
  AuthenticationMethod,
  AuthorizationEvent,
  Observe,
  ObservedEvent,
  OperationEvent,
} from './observability/events.ts';
export type { AdoptedAuthority } from './opening/adopted-authority.ts';
export type { AdministratorOptions, FirstAdministrator } from './opening/bootstrap.ts';
export { awaitingMigrations } from './opening/health.ts';
export type { FormerAuthority } from './opening/kept-authority.ts';
export type { ControllerOptions } from './opening/options.ts';
export { type ProbeOptions, probes } from './opening/probes.ts';
export type { Resealed, ResealOptions } from './opening/reseal.ts';
export { type Restored, type RestoreOptions, restoreSnapshot } from './opening/restore/index.ts';
export type { QueueLoad, Statistics } from './opening/statistics.ts';
export type { BeforeArguments, HookedCall, Hooks } from './pipeline/hooks.ts';
export {
  type AuthorizationRequest,
  type CalledOperation,
  type HostRule,
  readOnlyRule as readOnly,
  type Verdict,
} from './pipeline/host-rule.ts';
export type { OperationInput, OperationName } from './pipeline/operation-name.ts';
export type { Principal } from './pipeline/principal.ts';
export { type IssueOptions, newRoot, newServerCertificate, newSigner } from './pki/authority.ts';
export { type AuthorityCertificates, type CertificateEnd, type CertificateRole, certificateEnds } from './pki/certificate-ends.ts';
export type { KeyPair } from './pki/network-key.ts';
export type { PkiOptions } from './pki/pki.ts';
export type { SignerOptions } from './pki/signer.ts';
export type { Outbound, OutboundAnswer, OutboundOptions } from './platform/outbound.ts';
export type { Clock, Logger, PasswordHasher, Platform, Random, SnapshotSink } from './platform/platform.ts';
export { newSecretKey } from './platform/secrets.ts';
export { webPlatform } from './platform/web.ts';
export type { TrafficBytes, TrafficPoint } from './presence/traffic.ts';
export { type Preview, type PreviewedChange, type Previewing, previewing } from './previewing.ts';
export { type FilterValue, filter } from './query/filter-text.ts';
export { SnapshotRefused, StorageError, StoreBusy, StoreSchemaMismatch, StoreUnavailable } from './storage/errors.ts';
export type { StorageAdapter } from './storage/port.ts';
export { type SnapshotOptions, type TakenSnapshot, takeSnapshot } from './storage/snapshot/take.ts';
export type { ErrorsOf } from './types/errors.ts';
export type * from './types/index.ts';
