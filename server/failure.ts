import { ApiError } from '../src/index.ts';

/** A failure to start the server or to run a command. Its message is one sentence for the operator. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/** The message of any error in one line, without a stack. */
export const sentenceOf = (error: unknown): string => printable(textOf(error).replace(/\s*\n\s*/g, ' '));

/** Escapes control characters, so that untrusted text cannot control the terminal. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** The message of the error, or the reason in its cause for an `ApiError`, whose own message is the same for every error with its code. */
const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof ApiError) || typeof error.cause !== 'object' || error.cause === null) return error.message;
  const { reason, message }: { readonly reason?: unknown; readonly message?: unknown } = error.cause;
  return [reason, message].find((text) => typeof text === 'string') ?? error.message;
};

/** The code of a system error, such as `EACCES`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** The meaning of a file system error, without its path and system call. */
export const describeFileError = (error: unknown): string => FILE_ERRORS[codeOf(error) ?? ''] ?? sentenceOf(error);

const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'a file with that name already exists',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its name is too long',
  ENXIO: 'it is a device or a socket, not a file',
  // Node.js refuses such a path before it calls the operating system.
  ERR_INVALID_ARG_VALUE: 'its path contains the character U+0000',
};
