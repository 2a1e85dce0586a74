import { string } from './kit/entity.ts';
import { readOnly } from './kit/field.ts';
import { resource } from './kit/resource.ts';

/** What the controller itself must keep and nobody may read: it has no operation. Its id says what it is: `key-check`, ... */
export const keptSecret = resource({
  kind: 'keptSecret',
  collection: 'kept-secrets',
  names: ['KeptSecret', 'KeptSecrets'],
  about: 'A kept secret is something of the controller itself, sealed under the secret key of its host.',
  fields: { sealed: readOnly(string, { keep: 'hidden' }) },
});
