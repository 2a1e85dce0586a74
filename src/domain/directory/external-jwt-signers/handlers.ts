import {
  externalJwtSigner,
  externalJwtSigners,
  publicExternalJwtSigner,
  publicExternalJwtSigners,
} from '../../../api/external-jwt-signers.ts';
import { implement } from '../../../call/implement.ts';
import { crudHandlers, listRows } from '../../../resources/crud.ts';

export const externalJwtSignerEntries = [
  ...implement(externalJwtSigners, crudHandlers(externalJwtSigners, externalJwtSigner)),
  ...implement(publicExternalJwtSigners, {
    list: (call, query) => call.read((entities) => listRows(entities, publicExternalJwtSigner, query, call)),
  }),
];
