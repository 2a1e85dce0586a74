/** The errors of the storage port. Every adapter translates its engine's errors into these; the core knows no others. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
}

/** A unique field, or the id, has this value already in another row. */
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

/** The row was written concurrently, or the engine could not serialise the transaction. Retrying may succeed. */
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

/** Another writer held the database for longer than this one waits. Nothing was written; trying again later may succeed. */
export class StoreBusy extends StorageError {
  override readonly name = 'StoreBusy';
}

/** The database's schema is not the one this version works with: migrate it (older), or run a newer version (newer). */
export class StoreSchemaMismatch extends StorageError {
  override readonly name = 'StoreSchemaMismatch';
}

/** A text is longer than the engine's indexes take. Nothing was written, and the transaction is over. */
export class ValueTooLong extends StorageError {
  override readonly name = 'ValueTooLong';
}

/** The snapshot is damaged, of a newer format, or holds data that this version would not have written; or the target store is not empty. Nothing was written. */
export class SnapshotRefused extends StorageError {
  override readonly name = 'SnapshotRefused';
}
