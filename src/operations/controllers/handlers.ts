import { behaviour } from '../../call/behaviour.ts';
import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { implement } from '../../call/implement.ts';
import { pageInMemory } from '../../call/resources/in-memory.ts';
import { newRow } from '../../call/resources/merge.ts';
import { presentOne } from '../../call/resources/present.ts';
import { symbolsOfList } from '../../call/resources/symbols.ts';
import { controller, controllers } from '../../contract/api/controllers.ts';
import type { DetailOf, RowOf } from '../../contract/api/kit/index.ts';
import { surfaces } from '../../contract/api/surfaces/index.ts';
import { COMPATIBLE_RELEASES } from '../../contract/version.ts';
import { ALL } from '../../query/index.ts';
import { describeController } from './membership.ts';

/** Maximum number of controllers in the list. */
const MAX_CONTROLLERS = 1000;

const FOR_CLIENTS: readonly string[] = ['edge-client', 'edge-oidc'];

type Row = RowOf<typeof controller>;

const isOnline = ({ onlineUntil }: Row, call: Call): boolean => (onlineUntil ?? '') > call.now();

/** The fields whose values for clients differ from those for administrators. */
const forClients = ({ apiAddresses }: Row) => ({
  ctrlAddress: null,
  apiAddresses: Object.fromEntries(Object.entries(apiAddresses).filter(([api]) => FOR_CLIENTS.includes(api))),
});

/** Computes `isOnline`, and limits what the client API shows. */
export const controllerBehaviour = behaviour(controller, {
  present: async (_entities, rows, call) =>
    rows.map((row) => ({ isOnline: isOnline(row, call), ...(call.surface === surfaces.client ? forClients(row) : {}) })),
});

/**
 * The controllers that clients may use, for answers to enrollments, which in release 1.7 do not contain them. A controller without a name
 * lists only itself.
 */
export const controllersForClients = async (call: Call): Promise<{ readonly controllers?: DetailOf<typeof controller>[] }> => {
  if (call.core.settings.compat === '1.7') return {};
  return call.read(async (entities) => {
    const rows = await entities.list(controller, { where: ALL, limit: MAX_CONTROLLERS });
    const shown = rows.length > 0 ? rows : [await ownRow(call.core)];
    return {
      controllers: await Promise.all(
        shown.map(async (row) => ({ ...(await presentOne(entities, controller, row, call)), ...forClients(row) })),
      ),
    };
  });
};

/** The row of a controller without a name, which is not stored. */
const ownRow = async (core: Core): Promise<Row> => {
  const { host } = new URL(core.settings.address);
  const at = core.startedAt;
  const described = newRow(controller, {}, { name: host, ...(await describeController(core)) });
  return { ...described, id: host, createdAt: at, updatedAt: at, version: 1, tags: {} };
};

export const controllerEntries = implement(controllers, {
  // Controllers are few, and `isOnline` is computed, so filtering and sorting apply to the presented rows. Filters find
  // `isPreferredLeader`, which is absent when it is false.
  list: (call, query) =>
    call.read(async (entities) => {
      const rows = await entities.list(controller, { where: ALL, limit: MAX_CONTROLLERS });
      const shown = await Promise.all(rows.map((row) => presentOne(entities, controller, row, call)));
      const documents = shown.map((detail) => ({ ...detail, isPreferredLeader: false }));
      const page = pageInMemory(call, symbolsOfList(controller, call), query, documents);
      return { ...page, data: page.data.map(({ isPreferredLeader: _, ...detail }) => detail) };
    }),
  getHealth: ({ core }) => core.health(),
  listMembers: (call) =>
    call.read(async (entities) => {
      const { controllerId, ctrlAddress, settings } = call.core;
      const rows = await entities.list(controller, { where: ALL, limit: MAX_CONTROLLERS });
      const others = rows
        .filter(({ name }) => name !== controllerId)
        .map((row) => ({
          id: row.name ?? '',
          address: row.ctrlAddress ?? '',
          version: row.apiLevel ?? '',
          leader: false,
          connected: isOnline(row, call),
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
