import type { IdentityMethodName } from '../../../api/enrollment-methods.ts';
import type { Method } from './method.ts';
import { ott } from './methods/ott.ts';
import { ottca } from './methods/ottca.ts';
import { updb } from './methods/updb.ts';

/** The methods of identities: a row for each that the contract declares, or this does not compile. Those of routers are where routers are. */
export const identityMethods: { readonly [M in IdentityMethodName]: Method } = { ott, ottca, updb };
