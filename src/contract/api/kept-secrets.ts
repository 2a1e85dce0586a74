import { resource, sealed, string } from './kit/index.ts';

/** Secrets of the controller itself, which no operation reads. The id is the name of the secret: `key-check`, ... */
export const keptSecret = resource({
  kind: 'keptSecret',
  collection: 'kept-secrets',
  names: ['KeptSecret', 'KeptSecrets'],
  about: 'A kept secret is a secret of the controller itself, encrypted with the secret key of its host.',
  fields: { sealed: sealed(string, ({ id }) => String(id)) },
});
