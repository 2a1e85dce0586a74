import { crud, group, required, resource } from './kit/index.ts';
import { name } from './shared.ts';

/** There are two fixed types: `Default` for people and programs, and `Router` for the identities of edge routers with a tunneler. */
export const identityType = resource({
  kind: 'identityType',
  collection: 'identity-types',
  names: ['IdentityType', 'IdentityTypes'],
  about: 'Identity types are fixed: Default, and Router for the companions of edge routers with a tunneler.',
  fields: { name: required(name, { filter: true, unique: true }) },
});

export const identityTypes = group(
  'identityTypes',
  'Identity types',
  crud(identityType, { except: ['create', 'replace', 'patch', 'delete'], everySession: 'everywhere' }),
);
