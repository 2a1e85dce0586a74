/**
 * The public API for hosts: the controller, its options, errors and ports.
 * @module overlay-controller
 */

import './runtime/required.ts';

export type { BeforeArguments, HookedCall, Hooks } from './call/pipeline/hooks.ts';
export {
  type AuthorizationRequest,
  type CalledOperation,
  type HostRule,
  readOnlyRule as readOnly,
  type Verdict,
} from './call/pipeline/host-rule.ts';
export type { OperationInput, OperationName } from './call/pipeline/operation-name.ts';
export type { Principal } from './call/pipeline/principal.ts';
export type { Settings } from './call/settings.ts';
export type { UsageQuota } from './call/usage-quotas.ts';
export type { KindName } from './contract/api/kind-names.ts';
export type { Attribution } from './contract/api/kit/attribution.ts';
export { versionOf } from './contract/api/kit/entity-version.ts';
export type { Page, Pagination } from './contract/api/kit/operation.ts';
export { type SurfaceName, surfaces } from './contract/api/surfaces/index.ts';
export type { Surface } from './contract/api/surfaces/surface.ts';
export type { CallOptions } from './contract/call-options.ts';
export type { Change, ChangedKind, ChangedRow, ChangeEvents, EntityState, StateEnd } from './contract/changes/events.ts';
export { each } from './contract/each.ts';
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
} from './contract/errors/index.ts';
export type { NetworkEvent, NetworkEventKind } from './contract/network-events/kinds.ts';
export { type Preview, type PreviewedChange, type Previewing, previewing } from './contract/previewing.ts';
export type { ErrorsOf } from './contract/types/errors.ts';
export type * from './contract/types/index.ts';
export { type AsOptions, type Changes, ManagementController } from './controller/controller.ts';
export type { OpenApiOptions } from './controller/host-document.ts';
export { type Inspection, type InspectionOptions, type InspectionQuery, inspectStore } from './controller/inspection.ts';
export {
  type AdoptedServer,
  type AuthorityRotation,
  hasSecretKey,
  type NetworkAuthority,
  type NetworkAuthorityOptions,
  networkAuthority,
  rotateAuthority,
} from './controller/network-authority.ts';
export type { AdministratorOptions, FirstAdministrator } from './controller/opening/bootstrap.ts';
export { awaitingMigrations } from './controller/opening/health.ts';
export type { ControllerOptions } from './controller/opening/options.ts';
export { type ProbeOptions, probes } from './controller/opening/probes.ts';
export type { LinkTraffic, QueueLoad, RouterTraffic, Statistics, StatisticsOptions } from './controller/opening/statistics.ts';
export { type IssueOptions, newRoot, newServerCertificate, newSigner } from './crypto/pki/authority.ts';
export { type AuthorityCertificates, type CertificateEnd, type CertificateRole, certificateEnds } from './crypto/pki/certificate-ends.ts';
export type { KeyPair } from './crypto/pki/network-key.ts';
export type { PkiOptions } from './crypto/pki/pki.ts';
export type { SignerOptions } from './crypto/pki/signer.ts';
export type { Presence, RouterConnection, RouterInterfaceReport } from './fabric/connections/presence.ts';
export type { CoreAnswer, CoreRequest } from './http/message.ts';
export type { AdoptedAuthority } from './operations/authority/adopted-authority.ts';
export type { FormerAuthority } from './operations/authority/kept-authority.ts';
export type { MemberOptions } from './operations/controllers/membership.ts';
export type { BackupOptions } from './operations/database/backups.ts';
export { type Restored, type RestoreOptions, restoreSnapshot } from './operations/restore/index.ts';
export type { Resealed, ResealOptions } from './operations/restore/reseal.ts';
export { type FilterValue, filter } from './query/filter-text.ts';
export { accessLog } from './runtime/observability/access-log.ts';
export type {
  ActorKind,
  AuthenticationEvent,
  AuthenticationFailure,
  AuthenticationMethod,
  AuthorizationEvent,
  Observe,
  ObservedEvent,
  OperationEvent,
} from './runtime/observability/events.ts';
export type { NetworkEventListeners } from './runtime/observability/network-events.ts';
export type { Outbound, OutboundAnswer, OutboundOptions } from './runtime/platform/outbound.ts';
export type { BackupStore, Clock, Logger, PasswordHasher, Platform, Random, SnapshotSink } from './runtime/platform/platform.ts';
export { newSecretKey } from './runtime/platform/secrets.ts';
export { webPlatform } from './runtime/platform/web.ts';
export type { TrafficBytes, TrafficPoint } from './runtime/presence/traffic.ts';
export type { RoleIndexSize } from './store/indexes/role-indexes.ts';
export type { Consume, ConsumeOptions, Consumer, HandlerContext, MissingChanges } from './store/jobs/consumers.ts';
export { SnapshotRefused, StorageError, StoreBusy, StoreSchemaMismatch, StoreUnavailable } from './store/storage/errors.ts';
export type { StorageAdapter } from './store/storage/port.ts';
export { type SnapshotOptions, type TakenSnapshot, takeSnapshot } from './store/storage/snapshot/take.ts';
