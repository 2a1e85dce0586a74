/**
 * The ports that adapters implement or call, and their types. The built-in adapters import nothing else from the core, so third-party
 * adapters can do everything that these can.
 *
 * - **A storage adapter** is a `StorageAdapter`, whose `open` returns a `Store` for the tables of a `StorageSchema`. A store evaluates
 *   `Predicate`s itself or
 *   with `compileMatcher` and `comparator`, and throws `UniqueViolation`, `WriteConflict`, `StoreBusy` and the other errors.
 * - **An HTTP adapter** converts a request of its server to a `CoreRequest`, passes it to `controller.handle`, and sends the `CoreAnswer`.
 *   It limits the
 *   answers that clients do not read with `createUnreadAnswers`, and cancels streams with `abandon`.
 * - **A platform** is a `Platform`: `webPlatform` with some parts replaced, such as `argon2idHasher` on a native function, or
 *   `createOutbound` on a transport.
 * - **Every adapter** checks its options with `checkedOptions`, and uses `createTimeSlice` to yield to the event loop in long computations.
 * @module overlay-controller/adapter-kit
 */

import './runtime/required.ts';

// Errors as answers: their body, and the seconds after which clients should retry.
export { errorBody, type PlainAnswer, RETRY_AFTER } from './contract/errors/index.ts';
// The names of the kinds of network events, for adapters that deliver them.
export { allNetworkEventKinds } from './contract/network-events/kinds.ts';
// Validation of option names.
export { checkedOptions } from './contract/options.ts';
// Name and version of this software, for records that adapters write.
export { software } from './contract/version.ts';
// Common headers of HTTP answers.
export { isRequestId, newRequestId } from './contract/wire/request-id.ts';
export { SAFE_HEADERS } from './contract/wire/safe-headers.ts';
// Certificates: the maximum length of a presented chain, and reading PEM.
export { MAX_PRESENTED } from './crypto/pki/certificate.ts';
export { type PemFault, type PemLimits, type Reading, readPem } from './crypto/pki/pem.ts';
// HTTP: requests, answers, and limits for unread answers.
export { abandon } from './http/event-stream.ts';
export { countUnread } from './http/held-body.ts';
export {
  BodyIncomplete,
  BodyTooLarge,
  BodyTooSlow,
  type CoreAnswer,
  type CoreIdentity,
  type CoreRequest,
  Overloaded,
} from './http/message.ts';
export { splitTarget } from './http/router.ts';
export { ANSWER_LIMITS, type AnswerLimits, createUnreadAnswers, type UnreadAnswer, type UnreadAnswers } from './http/unread-answers.ts';
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
// Cooperative yielding: long computations share time slices of the event loop.
export {
  allPendingTurns,
  createTimeSlice,
  ENTRIES_AT_ONCE,
  inBatches,
  isTimeSliceSpent,
  pendingTurns,
  spendTimeSlice,
  yieldToEventLoop,
} from './runtime/concurrency/event-loop.ts';
// Platforms: clock, random generator, password hashing, logging, outbound requests.
export { type AddressRule, addressRule, isLoopback, networkOf } from './runtime/platform/addresses.ts';
export { consoleLogger } from './runtime/platform/logger.ts';
export {
  createOutbound,
  fetchTransport,
  type Outbound,
  type OutboundAnswer,
  type OutboundMessage,
  type OutboundOptions,
  OutboundRefused,
  type OutboundTransport,
} from './runtime/platform/outbound.ts';
export { argon2idHasher, type DeriveArgon2id } from './runtime/platform/password-hasher.ts';
export type { BackupStore, Bytes, Clock, Logger, PasswordHasher, Platform, Random, SnapshotSink } from './runtime/platform/platform.ts';
export { newSecretKey } from './runtime/platform/secrets.ts';
export { clearTimeout, performanceNow, setImmediate, setTimeout } from './runtime/platform/timers.ts';
export { webPlatform } from './runtime/platform/web.ts';
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
  waitedFor,
} from './store/storage/errors.ts';
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
} from './store/storage/port.ts';
export { readEach } from './store/storage/read-each.ts';
export { ReaderSlot, ReaderSlots } from './store/storage/reader-slots.ts';
export { storageSchema } from './store/storage/schema.ts';
export { snapshotTime } from './store/storage/snapshot/take.ts';
export { Turns } from './store/storage/turns.ts';
export { WrittenRows } from './store/storage/written-rows.ts';
