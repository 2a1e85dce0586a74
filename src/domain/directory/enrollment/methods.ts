import type { IdentityMethodName } from '../../../api/enrollment-methods.ts';
import type { EnrollmentMethod } from './method.ts';
import { enrollByOtt } from './methods/ott.ts';
import { enrollByOttca } from './methods/ottca.ts';
import { enrollByUpdb } from './methods/updb.ts';

/** The methods of identities: a row for each that the contract declares, or this does not compile. Those of routers are where routers are. */
export const identityMethods: { readonly [M in IdentityMethodName]: EnrollmentMethod } = {
  ott: enrollByOtt,
  ottca: enrollByOttca,
  updb: enrollByUpdb,
};
