import type { Call } from '../../call/call.ts';
import { rowsById } from '../../call/resources/references.ts';
import type { inspections } from '../../contract/api/inspections.ts';
import { router } from '../../contract/api/kinds.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { idPattern } from './id-pattern.ts';

type Run = (typeof inspections)['operations']['run'];

/** Inspects the routers whose ids match a pattern and, for administrators, this controller if its id does. Nothing is stored. */
export const runInspection = async (call: Call, { body }: DecodedOf<Run>): Promise<OutputOf<Run>> => {
  const { traffic, controllerId } = call.core;
  const isSelected = idPattern('appRegex', body.appRegex);
  const own = !call.grant.isDelegated && isSelected(controllerId) ? await ownValues(call, body.requestedValues) : [];
  const answers = await traffic.inspect(body.requestedValues, isSelected);
  const errors = answers.flatMap(({ routerId, errors }) => errors.map((error) => `${routerId}: ${error}`));
  const values = answers.flatMap(({ routerId: appId, values }) =>
    values.map(({ name, value }) => ({ appId, name, value: jsonIn(value) ?? value })),
  );
  return { success: errors.length === 0, errors, values: [...own, ...values] };
};

/** Maximum depth of nested lists and maps. Deeper values could not be serialized. */
const MAX_DEPTH = 100;

/** Parses JSON; undefined if the text is not JSON, or empty. */
const jsonIn = (text: string): unknown => {
  if (isDeep(text)) return undefined;
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
};

const isDeep = (text: string): boolean => {
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === '\\') i++;
    else if (!isQuoted && (character === '[' || character === '{')) depth++;
    else if (!isQuoted && (character === ']' || character === '}')) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
};

/** Maximum number of routers in a value. */
const MAX_ROUTERS = 1000;

/** The values of the controller itself, by name in lower case. They contain no secrets and no paths, and their size is bounded. */
const values: ReadonlyMap<string, (call: Call) => unknown> = new Map<string, (call: Call) => unknown>([
  // A JavaScript process has a single stack, that of this call, so the work in progress is returned instead.
  ['stackdump', ({ core }) => ({ enrollments: loadOf(core.enrollments), passwordChecks: loadOf(core.passwordChecks) })],
  ['connected-routers', (call) => connectedRouters(call)],
]);

/** Values of this controller, in the order requested. Other names have no value. */
const ownValues = async (call: Call, requested: readonly string[]) => {
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
