import { authenticator } from '../../api/authenticators.ts';
import { identities, identity } from '../../api/identities.ts';
import { implement } from '../../call/implement.ts';
import { equals, text } from '../../query/index.ts';
import { crudHandlers, listRows } from '../../resources/crud.ts';
import { identityBehaviour } from './behaviour.ts';
import { disableIdentity, enableIdentity, refuseDefaultAdministrator } from './disable.ts';

export const identityEntries = implement(identities, {
  ...crudHandlers(identities, identity, identityBehaviour),
  disable: async (call, { id, body }) => {
    await call.write(async (entities) => {
      const row = await entities.require(identity, id);
      refuseDefaultAdministrator(row);
      await disableIdentity(entities, row, body.durationMinutes, call.now());
    });
    return {};
  },
  enable: async (call, { id }) => {
    await call.write(async (entities) => enableIdentity(entities, await entities.require(identity, id)));
    return {};
  },
  listAuthenticators: (call, { id, ...query }) =>
    call.read(async (entities) => {
      await entities.require(identity, id);
      return listRows(entities, authenticator, undefined, query, call, equals(text('identityId'), id));
    }),
});
