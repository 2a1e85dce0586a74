import { dirname } from 'node:path';
import { StartFailure } from './failure.ts';

/** A store, as the command line names it. */
export type StorageChoice =
  | { readonly is: 'memory' }
  | { readonly is: 'sqlite'; readonly file: string }
  | { readonly is: 'postgres'; readonly url: string };

/** A store that outlives its process. */
export type KeptStorage = Exclude<StorageChoice, { readonly is: 'memory' }>;

export const DEFAULT_STORAGE = 'sqlite:data/controller.db';

/** @throws StartFailure with what would be right */
export const storageOf = (storage: string = DEFAULT_STORAGE): StorageChoice => {
  if (storage === 'memory') return { is: 'memory' };
  if (/^postgres(ql)?:/.test(storage)) return { is: 'postgres', url: postgresUrlOf(storage) };
  const file = /^sqlite:(?!:memory:$)(.+)$/s.exec(storage)?.[1];
  if (file !== undefined) return { is: 'sqlite', file };
  throw new StartFailure(
    `--storage must be memory, sqlite:FILE, such as sqlite:data/controller.db, or postgres://HOST/DATABASE, got '${storage}'`,
  );
};

/** For commands that work on what is there: a store in memory would be new, and gone at once. */
export const keptStorageOf = (storage: string | undefined): KeptStorage => {
  const chosen = storageOf(storage);
  if (chosen.is === 'memory') throw new StartFailure('--storage must be one that stays: a store in memory would be gone at once');
  return chosen;
};

/** The invalid value is not repeated in the message: it may be a password. */
const postgresUrlOf = (storage: string): string => {
  // Several hosts, as of libpq, are no URL: each of them is.
  const [, before = '', hosts = '', after = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?@]*)(\/[^/?]+(?:\?.*)?)$/s.exec(storage) ?? [];
  const isRight = (host: string) => (host !== '' || hosts === '') && URL.canParse(`${before}${host}${after}`);
  if (after && hosts.split(',').every(isRight)) return storage;
  throw new StartFailure('--storage must name a database, as in postgres://USER:PASSWORD@HOST:PORT/DATABASE');
};

/** Passwords and parameters, in which there may be others, are not for the screen, but for the schema, which says which network it is. */
export const withoutSecrets = (url: string): string => {
  // Of several hosts no URL can be made.
  const [, protocol = '', userinfo = '', hosts = '', pathname = '', query = ''] =
    /^(\w+:)\/\/(?:([^/?]*)@)?([^/?@]*)(\/[^?]*)?(\?.*)?/s.exec(url) ?? [];
  const schema = new URLSearchParams(query).get('schema');
  const [username] = userinfo.split(':');
  return `${protocol}//${username && `${username}@`}${hosts}${pathname}${schema ? `?${new URLSearchParams({ schema })}` : ''}`;
};

/** Where the server keeps its files: beside the database, if it is a file. */
export const dataFolderOf = (storage: StorageChoice): string => (storage.is === 'sqlite' ? dirname(storage.file) : 'data');
