import { dirname } from 'node:path';
import { shownAddress } from '../src/contract/wire/shown-address.ts';
import type { OptionDeclaration } from './arguments.ts';
import { StartFailure } from './failure.ts';

/** A store, as chosen on the command line. */
export type StorageChoice =
  | { readonly is: 'memory' }
  | { readonly is: 'sqlite'; readonly file: string }
  | { readonly is: 'postgres'; readonly url: string };

/** A store that outlives its process. */
export type KeptStorage = Exclude<StorageChoice, { readonly is: 'memory' }>;

export const DEFAULT_STORAGE = 'sqlite:data/controller.db';

/** @throws StartFailure that names the valid values */
export const parseStorage = (storage: string = DEFAULT_STORAGE): StorageChoice => {
  if (storage === 'memory') return { is: 'memory' };
  if (/^postgres(ql)?:/.test(storage)) return { is: 'postgres', url: postgresUrlOf(storage) };
  const file = /^sqlite:(?!:memory:$)(.+)$/s.exec(storage)?.[1];
  if (file !== undefined) return { is: 'sqlite', file };
  throw new StartFailure(
    `--storage must be memory, sqlite:FILE, such as sqlite:data/controller.db, or postgres://HOST/DATABASE, got '${shownAddress(storage)}'`,
  );
};

/** The store that a command works on. It must be a database: an in-memory store would be empty, and lost when the command ends. */
export const parseKeptStorage = (storage: string | undefined): KeptStorage => {
  const chosen = parseStorage(storage);
  if (chosen.is === 'memory') throw new StartFailure('--storage must name a database: a store in memory is lost when the command ends');
  return chosen;
};

/** The error message omits the invalid value, which may contain a password. */
const postgresUrlOf = (storage: string): string => {
  // A list of hosts, which libpq accepts, is not valid in a URL, so each host is checked on its own.
  const [, before = '', hosts = '', after = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?@]*)(\/[^/?@]+(?:\?.*)?)$/s.exec(storage) ?? [];
  const isValidHost = (host: string) => (host !== '' || hosts === '') && URL.canParse(`${before}${host}${after}`);
  if (after && hosts.split(',').every(isValidHost)) return storage;
  throw new StartFailure('--storage must name a database, as in postgres://USER:PASSWORD@HOST:PORT/DATABASE');
};

/** A URL for display, without the password, and without query parameters except those of the adapter, since others may contain secrets. */
export const withoutSecrets = (url: string): string => {
  // `URL` cannot parse a list of hosts.
  const [, protocol = '', userinfo = '', hosts = '', pathname = '', query = ''] =
    /^(\w+:)\/\/(?:([^/?]*)@)?([^/?@]*)(\/[^?]*)?(\?.*)?/s.exec(url) ?? [];
  const shown = new URLSearchParams([...new URLSearchParams(query)].filter(([name]) => name === 'schema' || name === 'prepared'));
  const [username] = userinfo.split(':');
  return `${protocol}//${username && `${username}@`}${hosts}${pathname}${shown.size > 0 ? `?${shown}` : ''}`;
};

/** True if the URL has a password or query parameters that `withoutSecrets` removes. */
export const hasSecrets = (storage: KeptStorage): boolean => storage.is === 'postgres' && withoutSecrets(storage.url) !== storage.url;

/** True if the connection to the database is encrypted, but any server is accepted. */
export const isServerUnverified = (storage: StorageChoice): boolean => {
  if (storage.is !== 'postgres') return false;
  const parameters = new URLSearchParams(storage.url.split('?')[1]);
  const mode = parameters.get('sslmode') ?? '';
  return (
    mode === 'no-verify' || (['prefer', 'require'].includes(mode) && !parameters.has('sslrootcert') && !parameters.has('uselibpqcompat'))
  );
};

export const dataFolder = {
  value: 'FOLDER',
  about:
    'folder of the files that the server creates: certificates, the secret key, snapshots (default: the folder of the SQLite file, or data with any other storage)',
} as const satisfies OptionDeclaration;

/** The data folder, as given or by default. */
export const dataFolderOf = (storage: StorageChoice, given?: string): string =>
  given ?? (storage.is === 'sqlite' ? dirname(storage.file) : 'data');
