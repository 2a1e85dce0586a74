import { edgeRouter, router } from '../../api/routers.ts';
import { terminator } from '../../api/terminators.ts';
import type { Entities } from '../../changes/entities.ts';
import { ApiError } from '../../errors/index.ts';
import { equals, text } from '../../query/index.ts';
import { behaviour } from '../../resources/behaviours.ts';
import { keepCompanion, removeCompanion } from './companion.ts';

/** What a router tells of itself once it runs; nothing runs yet. */
const offline = {
  isOnline: false,
  syncStatus: 'SYNC_UNKNOWN',
  versionInfo: { arch: '', buildDate: '', os: '', revision: '', version: '' },
} as const;

/** Terminators keep the name of their router beside its id. */
const renameInTerminators = async (entities: Entities, { id, name }: { readonly id: string; readonly name: string }) => {
  for (const row of await entities.list(terminator, { where: equals(text('routerId'), id) }))
    await entities.update(terminator, row, { routerName: name });
};

export const edgeRouterBehaviour = behaviour(edgeRouter, {
  write: async (entities, after, before) => {
    await keepCompanion(entities, after, before);
    if (before && before.name !== after.name) await renameInTerminators(entities, after);
  },
  remove: async (entities, row) => {
    if (row.isTunnelerEnabled) await removeCompanion(entities, row.id);
  },
  present: async (_entities, rows) => rows.map(() => offline),
});

export const routerBehaviour = behaviour(router, {
  check: async (_entities, _after, before) => {
    if (before?.isEdgeRouter) throw new ApiError('CAN_NOT_UPDATE_ROUTER');
    return undefined;
  },
  write: async (entities, after, before) => {
    if (before && before.name !== after.name) await renameInTerminators(entities, after);
  },
  // To this list an edge router is one that needs no enrollment here.
  present: async (_entities, rows) => rows.map((row) => ({ isOnline: false, ...(row.isEdgeRouter ? { isVerified: true } : {}) })),
});
