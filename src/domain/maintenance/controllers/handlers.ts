import { controller, controllers } from '../../../api/controllers.ts';
import { surfaces } from '../../../api/surfaces/index.ts';
import { behaviour } from '../../../call/behaviour.ts';
import { implement } from '../../../call/implement.ts';
import { ALL } from '../../../query/index.ts';
import { pageInMemory } from '../../../resources/in-memory.ts';
import { presentOne } from '../../../resources/present.ts';
import { symbolsOfList } from '../../../resources/symbols.ts';
import { COMPATIBLE_RELEASES } from '../../../version.ts';

/** Maximum number of controllers in the list: more than any network has. */
const MAX_CONTROLLERS = 1000;

const FOR_CLIENTS: readonly string[] = ['edge-client', 'edge-oidc'];

/** Computes `isOnline`, and limits what the client API shows. */
export const controllerBehaviour = behaviour(controller, {
  present: async (_entities, rows, call) =>
    rows.map(({ onlineUntil, apiAddresses }) => ({
      isOnline: (onlineUntil ?? '') > call.now(),
      ...(call.surface === surfaces.client
        ? { ctrlAddress: null, apiAddresses: Object.fromEntries(Object.entries(apiAddresses).filter(([api]) => FOR_CLIENTS.includes(api))) }
        : {}),
    })),
});

export const controllerEntries = implement(controllers, {
  // Controllers are few, and `isOnline` is computed, so filtering and sorting apply to the presented rows. Filters find `isPreferredLeader`, which is
  // absent when it is false.
  list: (call, query) =>
    call.read(async (entities) => {
      const rows = await entities.list(controller, { where: ALL, limit: MAX_CONTROLLERS });
      const shown = await Promise.all(rows.map((row) => presentOne(entities, controller, row, call)));
      const documents = shown.map((detail) => ({ ...detail, isPreferredLeader: false }));
      const page = pageInMemory(call, symbolsOfList(controller, call), query, documents);
      return { ...page, data: page.data.map(({ isPreferredLeader: _, ...detail }) => detail) };
    }),
  listMembers: (call) =>
    call.read(async (entities) => {
      const { controllerId, ctrlAddress, settings } = call.core;
      const rows = await entities.list(controller, { where: ALL, limit: MAX_CONTROLLERS });
      const others = rows
        .filter(({ name }) => name !== controllerId)
        .map(({ name, ctrlAddress, apiLevel, onlineUntil }) => ({
          id: name ?? '',
          address: ctrlAddress ?? '',
          version: apiLevel ?? '',
          leader: false,
          connected: (onlineUntil ?? '') > call.now(),
        }));
      const own = {
        id: controllerId,
        address: ctrlAddress ?? '',
        version: COMPATIBLE_RELEASES[settings.compat],
        leader: true,
        connected: true,
      };
      return [own, ...others].map((member) => ({ ...member, voter: true, readOnly: false }));
    }),
});
