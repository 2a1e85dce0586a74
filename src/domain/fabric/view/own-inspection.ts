import { router } from '../../../api/kinds.ts';
import type { Call } from '../../../call/call.ts';
import { rowsById } from '../../../resources/references.ts';

/** Maximum number of routers in a value. */
const MAX_ROUTERS = 1000;

/** The values of the controller itself, by name in lower case. They contain no secrets and no paths, and their size is bounded. */
const values: ReadonlyMap<string, (call: Call) => unknown> = new Map<string, (call: Call) => unknown>([
  // A JavaScript process has a single stack, that of this call. The work in progress shows what the process is busy with.
  ['stackdump', ({ core }) => ({ enrollments: loadOf(core.enrollments), passwordChecks: loadOf(core.passwordChecks) })],
  ['connected-routers', (call) => connectedRouters(call)],
]);

/** Values of this controller, in the order requested. Other names have no value. */
export const ownValues = async (call: Call, requested: readonly string[]) => {
  const found: { readonly appId: string; readonly name: string; readonly value: unknown }[] = [];
  for (const name of new Set(requested)) {
    const value = await values.get(name.toLowerCase())?.(call);
    if (value !== undefined) found.push({ appId: call.core.controllerId, name, value });
  }
  return found;
};

const loadOf = ({ running, waiting }: { readonly running: number; readonly waiting: number }) => ({ running, waiting });

/** The routers that are connected to any controller of the network. */
const connectedRouters = (call: Call) =>
  call.read(async (entities) => {
    const { presence } = call.core;
    const keys = presence.keys().slice(0, MAX_ROUTERS);
    const rows = await rowsById(
      entities,
      router,
      keys.map(({ id }) => id),
    );
    return [...rows.values()].flatMap((row) => {
      const state = presence.stateOf(row);
      return state ? [{ id: row.id, name: row.name, version: state.versionInfo.version }] : [];
    });
  });
