import { ApiError } from '../src/index.ts';

/** An error whose message tells the operator in one sentence why the server does not start, or why a command failed. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/** A one-line message for any error at start, without a stack: errors of the controller and the store are self-explanatory. */
export const sentenceOf = (error: unknown): string => printable(textOf(error).replace(/\s*\n\s*/g, ' '));

/** Text of others must not control the terminal that shows it. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** An `ApiError` is explained by its cause. */
const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(error instanceof ApiError) || typeof cause !== 'object' || cause === null) return error.message;
  const reason = 'reason' in cause ? cause.reason : 'message' in cause ? cause.message : undefined;
  return typeof reason === 'string' ? reason : error.message;
};

/** The code of a system error, such as `EACCES`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** The meaning of a file system error, without its path and system call. */
export const fileTrouble = (error: unknown): string => FILE_TROUBLES[codeOf(error) ?? ''] ?? sentenceOf(error);

const FILE_TROUBLES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'a file of that name exists',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'its symbolic links lead to themselves',
  ENAMETOOLONG: 'its name is too long',
  ENXIO: 'it is a device or a socket, not a file',
  // Of Node: the path has a character that no path can have.
  ERR_INVALID_ARG_VALUE: 'its path has the character U+0000',
};
