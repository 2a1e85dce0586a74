import {
  externalJwtSigner,
  externalJwtSigners,
  publicExternalJwtSigner,
  publicExternalJwtSigners,
} from '../../api/external-jwt-signers.ts';
import { implement } from '../../call/implement.ts';
import { crudHandlers, listRows } from '../../resources/crud.ts';
import { externalJwtSignerBehaviour } from './behaviour.ts';

export const externalJwtSignerEntries = [
  ...implement(externalJwtSigners, crudHandlers(externalJwtSigners, externalJwtSigner, externalJwtSignerBehaviour)),
  ...implement(publicExternalJwtSigners, {
    list: (call, query) => call.read((entities) => listRows(entities, publicExternalJwtSigner, undefined, query, call)),
  }),
];
