/**
 * The ports that adapters implement or call, and their types. The built-in adapters import nothing else from the core, so third-party adapters can do
 * everything that these can.
 *
 * - **A storage adapter** is a `StorageAdapter`, whose `open` returns a `Store` for the tables of a `StorageSchema`. A store evaluates `Predicate`s itself or
 *   with `compileMatcher` and `comparator`, and throws `UniqueViolation`, `WriteConflict`, `StoreBusy` and the other errors.
 * - **An HTTP adapter** converts a request of its server to a `CoreRequest`, passes it to `controller.handle`, and sends the `CoreAnswer`. It limits the
 *   answers that clients do not read with `createUnreadAnswers`, and cancels streams with `abandon`.
 * - **A platform** is a `Platform`: `webPlatform` with some parts replaced, such as `argon2idHasher` on a native function, or `createOutbound` on a transport.
 * - **Every adapter** checks its options with `checkedOptions`, and uses `createTimeSlice` to yield to the event loop in long computations.
 * @module overlay-controller/adapter-kit
 */

import './runtime.ts';

// Cooperative yielding: long computations share time slices of the event loop.
export {
  createTimeSlice,
  ENTRIES_AT_ONCE,
  inBatches,
  isTimeSliceSpent,
  spendTimeSlice,
  yieldToEventLoop,
} from './concurrency/event-loop.ts';
// Errors as answers: their body, and the seconds after which clients should retry.
export { errorBody, type PlainAnswer, RETRY_AFTER } from './errors/index.ts';
// HTTP: requests, answers, and limits for unread answers.
export { abandon } from './http/event-stream.ts';
export { countUnread } from './http/held-body.ts';
export { BodyIncomplete, BodyTooLarge, BodyTooSlow, type CoreAnswer, type CoreRequest, Overloaded } from './http/message.ts';
export { splitTarget } from './http/router.ts';
export { ANSWER_LIMITS, type AnswerLimits, createUnreadAnswers, type UnreadAnswer, type UnreadAnswers } from './http/unread-answers.ts';
// Validation of option names.
export { checkedOptions } from './options.ts';
// Certificates: the maximum length of a presented chain, and reading PEM.
export { MAX_PRESENTED } from './pki/certificate.ts';
export { type PemFault, type PemLimits, type Reading, readPem } from './pki/pem.ts';
// Platforms: clock, random generator, password hashing, logging, outbound requests.
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
export type { Bytes, Clock, Logger, PasswordHasher, Platform, Random, SnapshotSink } from './platform/platform.ts';
export { newSecretKey } from './platform/secrets.ts';
export { clearTimeout, performanceNow, setImmediate, setTimeout } from './platform/timers.ts';
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
  waitedFor,
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
export { Turns } from './storage/turns.ts';
export { WrittenRows } from './storage/written-rows.ts';
// Name and version of this software, for records that adapters write.
export { software } from './version.ts';
// Common headers of HTTP answers.
export { isRequestId, newRequestId } from './wire/request-id.ts';
export { SAFE_HEADERS } from './wire/safe-headers.ts';
