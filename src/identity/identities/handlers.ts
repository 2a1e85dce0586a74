import { mfaOf } from '../../call/authentication/factors.ts';
import type { Handlers } from '../../call/implement.ts';
import { crudHandlers } from '../../call/resources/crud.ts';
import { identities, identity } from '../../contract/api/identities.ts';
import { endMfa } from '../mfa/record.ts';
import { disableIdentity, enableIdentity, refuseDefaultAdministrator } from './lockout.ts';
import { assignServiceConfigs, listServiceConfigs, removeServiceConfigs } from './service-configs.ts';

/** The operations of the group that do not depend on later rooms. */
export const identityHandlers = {
  ...crudHandlers(identities, identity),
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
  deleteMfa: async (call, { id }) => {
    await call.write(async (entities) => {
      await entities.require(identity, id);
      const enrolled = await mfaOf(entities, id);
      if (enrolled) await endMfa(entities, enrolled);
    });
    return {};
  },
  listServiceConfigs,
  assignServiceConfigs,
  removeServiceConfigs,
} satisfies Partial<Handlers<(typeof identities)['operations']>>;
