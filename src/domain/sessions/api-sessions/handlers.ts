import { apiSession, apiSessions, currentApiSession } from '../../../api/api-sessions.ts';
import { endApiSessions } from '../../../authentication/api-sessions.ts';
import { apiSessionOf } from '../../../call/actor.ts';
import { implement } from '../../../call/implement.ts';
import { ApiError } from '../../../errors/index.ts';
import { crudHandlers } from '../../../resources/crud.ts';
import { lastServiceChange } from '../../catalogue/services/updates.ts';
import { presentOwnSession } from './present.ts';

export const apiSessionEntries = [
  ...implement(apiSessions, crudHandlers(apiSessions, apiSession)),
  ...implement(currentApiSession, {
    get: (call) => call.read((entities) => presentOwnSession(entities, apiSessionOf(call.actor), call)),
    delete: async (call) => {
      const { session } = apiSessionOf(call.actor);
      await call.write(async (entities) => endApiSessions(entities, [await entities.require(apiSession, session.id)]));
      return {};
    },
    getServiceUpdates: lastServiceChange,
    createTotpToken: async () => {
      throw new ApiError('INVALID_BACKING_TOKEN_TYPE');
    },
  }),
];
