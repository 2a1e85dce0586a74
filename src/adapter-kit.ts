/**
 * The ports that adapters implement or call, and the types that pass through them. The built-in adapters import nothing else of this project, so
 * third-party adapters can do all that they do.
 *
 * - **A storage adapter** is a `StorageAdapter`, whose `open` gives a `Store` for the tables of a `StorageSchema`. A store evaluates `Predicate`s itself, or
 *   by `compileMatcher` and `comparator`, and reports by `UniqueViolation`, `WriteConflict`, `StoreBusy` and the other errors.
 * - **An HTTP adapter** makes a `CoreRequest` of a request of its host, passes it to `controller.handle`, and sends the `CoreAnswer`. It limits answers that
 *   clients do not read by `createUnreadAnswers`, and gives up streams by `abandon`.
 * - **A platform** is a `Platform`: `webPlatform` with other parts, such as `argon2idHasher` on a native function, or `createOutbound` on a transport.
 * - **Every adapter** checks its options by `checkedOptions`, and yields to the event loop in long computations: `createTimeSlice` says when.
 * @module overlay-controller/adapter-kit
 */

// Cooperative yielding: long computations share time slices of the event loop.
export {
  createTimeSlice,
  ENTRIES_AT_ONCE,
  inBatches,
  isTimeSliceSpent,
  spendTimeSlice,
  yieldToEventLoop,
} from './concurrency/event-loop.ts';
// Errors as answers: their body, and the seconds after which to come back.
export { errorBody, type PlainAnswer, RETRY_AFTER } from './errors/index.ts';
// HTTP: a host's request in, an answer out.
export { abandon } from './http/event-stream.ts';
export { countUnread } from './http/held-body.ts';
export { BodyIncomplete, BodyTooLarge, BodyTooSlow, type CoreAnswer, type CoreRequest, Overloaded } from './http/message.ts';
export { splitTarget } from './http/router.ts';
export { ANSWER_LIMITS, type AnswerLimits, createUnreadAnswers, type UnreadAnswer, type UnreadAnswers } from './http/unread-answers.ts';
// Options of adapters, whose names are checked.
export { checkedOptions } from './options.ts';
// Certificates: in a presented chain at most, and as texts in PEM.
export { MAX_PRESENTED } from './pki/certificate.ts';
export { type PemFault, type PemLimits, type Reading, readPem } from './pki/pem.ts';
// Platforms: clock, randomness, password hashing, logging, outbound requests.
export { type AddressRule, addressRule, isLoopback } from './platform/addresses.ts';
export { consoleLogger } from './platform/logger.ts';
export {
  createOutbound,
  fetchTransport,
  type Outbound,
  type OutboundAnswer,
  type OutboundMessage,
  type OutboundOptions,
  OutboundRefused,
  type OutboundTransport,
} from './platform/outbound.ts';
export { argon2idHasher, type DeriveArgon2id } from './platform/password-hasher.ts';
export type { Clock, Logger, PasswordHasher, Platform, Random, SnapshotSink } from './platform/platform.ts';
export { newSecretKey } from './platform/secrets.ts';
export { webPlatform } from './platform/web.ts';
export { decimalText } from './query/decimal.ts';
export { compileMatcher, type Lookup, matches } from './query/evaluate.ts';
export { comparator, compareText } from './query/order.ts';
export {
  ALL,
  and,
  ELEMENT,
  equals,
  type FieldRef,
  type FieldType,
  has,
  NONE,
  not,
  type Ordering,
  oneOf,
  or,
  type Predicate,
  type Scalar,
  type SortKey,
  stringField,
} from './query/predicate.ts';
export type { Document } from './query/read.ts';
// Storage: the port, its errors, and queries.
export {
  RowMissing,
  StorageError,
  StoreBusy,
  StoreSchemaMismatch,
  StoreUnavailable,
  UniqueViolation,
  ValueTooLong,
  WriteConflict,
} from './storage/errors.ts';
export type {
  ColumnSchema,
  IndexFault,
  KindSchema,
  Priority,
  Query,
  Read,
  ReadAnswer,
  Row,
  SchemaDifference,
  StorageAdapter,
  StorageSchema,
  Store,
  Transaction,
  TransactionMode,
  TransactionOptions,
  Uncommitted,
  Verified,
  VerifyPage,
} from './storage/port.ts';
export { readEach } from './storage/read-each.ts';
export { ReaderSlot, ReaderSlots } from './storage/reader-slots.ts';
export { storageSchema } from './storage/schema.ts';
export { WrittenRows } from './storage/written-rows.ts';
// Name and version, for the records that adapters write.
export { software } from './version.ts';
// Common parts of every answer over HTTP.
export { isRequestId, newRequestId } from './wire/request-id.ts';
export { SAFE_HEADERS } from './wire/safe-headers.ts';
