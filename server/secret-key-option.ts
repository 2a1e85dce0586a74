import type { Given, OptionDeclaration } from './arguments.ts';

/** The secret key of the network, as the command line and the environment name it. */
export interface SecretKeyOptions {
  /** One key, or several separated by commas, instead of the one that the server creates and keeps. */
  readonly secretKey?: string;
  /** File with such keys. */
  readonly secretKeyFile?: string;
}

export const secretKeyFile: OptionDeclaration & { readonly value: string } = {
  value: 'FILE',
  about:
    "key that seals secrets in the database: 32 random bytes in base64 (default: the environment's SECRET_KEY; without either, one that is made once and kept in the data folder). Servers on one database need the same. While it is replaced, both: a line each, or with a comma between them",
};

/** The file takes precedence over the environment. */
export const secretKeyIn = (
  values: Given<'secret-key-file'>,
  environment: Readonly<Record<string, string | undefined>>,
): SecretKeyOptions => {
  const file = values.get('secret-key-file');
  if (file !== undefined) return { secretKeyFile: file };
  return environment.SECRET_KEY ? { secretKey: environment.SECRET_KEY } : {};
};
