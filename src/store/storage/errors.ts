/**
 * The base class of the errors of the storage port. Every adapter translates the errors of its engine into these; the core knows no others.
 */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
}

/** Another row already has this value of a unique field or this id. */
export class UniqueViolation extends StorageError {
  override readonly name = 'UniqueViolation';
  readonly kind: string;
  readonly field: string;
  constructor(kind: string, field: string) {
    super(`another ${kind} has this ${field}`);
    this.kind = kind;
    this.field = field;
  }
}

/** The row to be updated does not exist. */
export class RowMissing extends StorageError {
  override readonly name = 'RowMissing';
  constructor(kind: string, id: string) {
    super(`no ${kind} with id ${id}`);
  }
}

/** The row was written concurrently, or the engine could not serialize the transaction. Retrying may succeed. */
export class WriteConflict extends StorageError {
  override readonly name = 'WriteConflict';
  constructor(message = 'another write came first', options?: ErrorOptions) {
    super(message, options);
  }
}

/** The database cannot be reached. */
export class StoreUnavailable extends StorageError {
  override readonly name = 'StoreUnavailable';
}

/** Another writer blocked the database for longer than this one waits. Nothing was written; retrying later may succeed. */
export class StoreBusy extends StorageError {
  override readonly name = 'StoreBusy';
}

/**
 * The error of a transaction that has waited for another one of this process.
 * @param milliseconds how long it waited
 */
export const waitedFor = (milliseconds: number): StoreBusy =>
  new StoreBusy(
    `another transaction of this process has held the database for ${milliseconds} ms: within a transaction of the host, pass it to each call, as the option transaction`,
  );

/** This version does not work with the schema of the database. If the schema is older, migrate it; if it is newer, run a newer version. */
export class StoreSchemaMismatch extends StorageError {
  override readonly name = 'StoreSchemaMismatch';
}

/** A text is too long for the indexes of the engine. Nothing was written, and the transaction has ended. */
export class ValueTooLong extends StorageError {
  override readonly name = 'ValueTooLong';
}

/**
 * The snapshot is damaged, has a newer format or contains data that this version would not write, or the target store is not empty. Nothing
 * was written.
 */
export class SnapshotRefused extends StorageError {
  override readonly name = 'SnapshotRefused';
}
