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

/** @throws StartFailure that names the valid values */
export const storageOf = (storage: string = DEFAULT_STORAGE): StorageChoice => {
  if (storage === 'memory') return { is: 'memory' };
  if (/^postgres(ql)?:/.test(storage)) return { is: 'postgres', url: postgresUrlOf(storage) };
  const file = /^sqlite:(?!:memory:$)(.+)$/s.exec(storage)?.[1];
  if (file !== undefined) return { is: 'sqlite', file };
  throw new StartFailure(
    `--storage must be memory, sqlite:FILE, such as sqlite:data/controller.db, or postgres://HOST/DATABASE, got '${storage}'`,
  );
};

/** The store of a command, which must be a database: a store in memory would be new, and lost at the end. */
export const keptStorageOf = (storage: string | undefined): KeptStorage => {
  const chosen = storageOf(storage);
  if (chosen.is === 'memory') throw new StartFailure('--storage must name a database: a store in memory is lost when the command ends');
  return chosen;
};

/** The invalid value is not repeated in the message: it may be a password. */
const postgresUrlOf = (storage: string): string => {
  // Several hosts, as libpq takes them, do not form a URL, but each one does.
  const [, before = '', hosts = '', after = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?@]*)(\/[^/?]+(?:\?.*)?)$/s.exec(storage) ?? [];
  const isRight = (host: string) => (host !== '' || hosts === '') && URL.canParse(`${before}${host}${after}`);
  if (after && hosts.split(',').every(isRight)) return storage;
  throw new StartFailure('--storage must name a database, as in postgres://USER:PASSWORD@HOST:PORT/DATABASE');
};

/** A URL for display, without the password and the parameters, which may hold others. The schema stays, because it identifies the network. */
export const withoutSecrets = (url: string): string => {
  // Several hosts do not form a URL.
  const [, protocol = '', userinfo = '', hosts = '', pathname = '', query = ''] =
    /^(\w+:)\/\/(?:([^/?]*)@)?([^/?@]*)(\/[^?]*)?(\?.*)?/s.exec(url) ?? [];
  const schema = new URLSearchParams(query).get('schema');
  const [username] = userinfo.split(':');
  return `${protocol}//${username && `${username}@`}${hosts}${pathname}${schema ? `?${new URLSearchParams({ schema })}` : ''}`;
};

/** The folder of the server's files: that of the SQLite file, else `data`. */
export const dataFolderOf = (storage: StorageChoice): string => (storage.is === 'sqlite' ? dirname(storage.file) : 'data');
