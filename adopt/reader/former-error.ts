/** Why a former database cannot be read. Stable. */
export type FormerDatabaseErrorCode =
  /** The file is not a bbolt database, nor a gzipped one. */
  | 'NOT_A_DATABASE'
  /** It is a bbolt database, but not that of a network. */
  | 'NOT_A_NETWORK'
  /** Its schema version is not supported. */
  | 'SCHEMA_UNSUPPORTED'
  /** A page, or a value in it, breaks the rules of the format: the file is damaged, cut or forged. */
  | 'DAMAGED'
  /** The file, or a part of it, is larger than the reader's limits. */
  | 'TOO_LARGE'
  /** Another process has it open. */
  | 'IN_USE'
  /** It was written to while it was read. */
  | 'CHANGED';

/** The error of the reader. Errors of the file system, such as `EACCES`, are thrown as they are. */
export class FormerDatabaseError extends Error {
  override readonly name = 'FormerDatabaseError';
  readonly code: FormerDatabaseErrorCode;
  /** The page of the database where the fault is, if it is in one. */
  readonly page: number | undefined;

  constructor(code: FormerDatabaseErrorCode, message: string, page?: number) {
    super(page === undefined ? message : `page ${page} of the former database: ${message}`);
    this.code = code;
    this.page = page;
  }
}
