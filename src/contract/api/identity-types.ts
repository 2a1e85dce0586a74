import { crud, group, required, resource } from './kit/index.ts';
import { name } from './shared.ts';

export const identityType = resource({
  kind: 'identityType',
  collection: 'identity-types',
  names: ['IdentityType', 'IdentityTypes'],
  about: 'Identity types are fixed: `Default` for people and programs, `Router` for the identities of edge routers with a tunneler.',
  fields: { name: required(name, { filter: true, unique: true }) },
});

export const identityTypes = group(
  'identityTypes',
  'Identity types',
  crud(identityType, { except: ['create', 'replace', 'patch', 'delete'], everySession: 'everywhere' }),
);
