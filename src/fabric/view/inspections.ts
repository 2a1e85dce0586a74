import type { Call } from '../../call/call.ts';
import { isLimited } from '../../call/grant.ts';
import { type Limit, limitIn } from '../../call/limit.ts';
import { rowsById } from '../../call/resources/references.ts';
import type { inspections } from '../../contract/api/inspections.ts';
import { identity, router, service } from '../../contract/api/kinds.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { isApiError } from '../../contract/errors/index.ts';
import { isoTime } from '../../runtime/platform/clock.ts';
import { idPattern } from './id-pattern.ts';
import { shownJson } from './shown-to-operators.ts';

type Run = (typeof inspections)['operations']['run'];

/** Inspects the routers whose ids or names match a pattern and, for administrators, this controller if its id does. Nothing is stored. */
export const runInspection = async (call: Call, { body }: DecodedOf<Run>): Promise<OutputOf<Run>> => {
  const { traffic, controllerId } = call.core;
  const isSelected = selectionBy(body.appRegex);
  if (typeof isSelected === 'string') return { success: false, errors: [`${controllerId}: ${isSelected}`], values: [] };
  const { isShown, shown, hidden } = shownTo(call, body.requestedValues);
  const own = !call.grant.isDelegated && isSelected(controllerId) ? await ownValues(call, shown) : { values: [], errors: [] };
  const named = await routersNamed(call, isSelected);
  const answers = shown.length === 0 ? [] : await traffic.inspect(shown, (routerId) => isSelected(routerId) || named.has(routerId));
  const ofRouters = answers.flatMap(({ routerId, errors }) => errors.map((error) => `${routerId}: ${error}`));
  const errors = [...hidden, ...own.errors, ...ofRouters];
  const values = [...own.values];
  // A router may answer what it was not asked.
  for (const { routerId: appId, values: ofRouter } of answers)
    for (const { name, value } of ofRouter) if (isShown(name)) values.push({ appId, name, value: (await shownJson(value)) ?? value });
  return { success: errors.length === 0, errors, values };
};

const DATA_MODEL = 'router-data-model';
/** Values that name no entity. */
const ABOUT_NO_ENTITY = /^(?:stackdump|(?:router-)?data-model-index)$/i;

/**
 * Splits the requested names, and says why some are not shown. The data model contains entities of all kinds, here and at routers. Others
 * name whatever links, circuits and identities a router has: they are not for callers who may read only some of these.
 */
const shownTo = ({ grant, core: { controllerId } }: Call, requested: readonly string[]) => {
  const isScoped = [identity, service, router].some((kind) => isPart(limitIn(grant.visible, kind)));
  const isShown = (name: string) => ABOUT_NO_ENTITY.test(name) || !(name.toLowerCase() === DATA_MODEL ? isLimited(grant) : isScoped);
  const hidden = requested.filter((name) => !isShown(name));
  const because = 'it shows entities of all kinds, which this caller may not see';
  return { isShown, shown: requested.filter(isShown), hidden: hidden.map((name) => `${controllerId}: ${name}: ${because}`) };
};

const isPart = (limit: Limit): boolean => limit.is !== 'everything' && limit.is !== 'nothing';

/** A function that selects by id or name, or the reason why there is none: it is part of the answer, for which clients have a type. */
const selectionBy = (expression: string): ((text: string) => boolean) | string => {
  try {
    return idPattern('appRegex', expression);
  } catch (error) {
    if (isApiError(error) && error.code === 'COULD_NOT_VALIDATE') return `error parsing regexp: ${error.message}`;
    throw error;
  }
};

/** Maximum number of routers, terminators and identities in a value, and of routers that are also selected by name. */
const MAX_ROUTERS = 1000;
const MAX_ENTRIES = 10_000;

/** Reads a value of the controller; undefined if there is none at present. */
type ReadOwnValue = (call: Call) => unknown;

/** The values of the controller itself, by name in lower case. They contain no secrets and no paths, and their size is bounded. */
const ownValueByName: ReadonlyMap<string, ReadOwnValue> = new Map<string, ReadOwnValue>([
  // A JavaScript process has a single stack, that of this call, so the work in progress is returned instead.
  ['stackdump', ({ core }) => ({ enrollments: loadOf(core.enrollments), passwordChecks: loadOf(core.passwordChecks) })],
  ['config', ({ core }) => core.settings],
  ['connected-routers', (call) => connectedRouters(call)],
  ['router-messaging', (call) => routerMessaging(call)],
  [DATA_MODEL, (call) => dataModel(call)],
  ['data-model-index', ({ core }) => core.traffic.modelPosition()],
  ['router-data-model-index', ({ core }) => core.traffic.modelPosition()],
  ['identity-connection-statuses', (call) => connectedIdentities(call)],
]);

/** Values that are selected by the beginning of a name. */
const ownValueByPrefix: readonly (readonly [prefix: string, read: ReadOwnValue])[] = [
  ['metrics', (call) => ownMetrics(call)],
  ['terminator-costs', (call) => terminatorCosts(call)],
];

/** The reason why a value is not shown. */
class NotShown extends Error {
  override readonly name = 'NotShown';
}

/** Values of this controller, in the order requested, each once however often it is named. Other names have no value. */
const ownValues = async (call: Call, requested: readonly string[]) => {
  const { controllerId } = call.core;
  const found: { readonly appId: string; readonly name: string; readonly value: unknown }[] = [];
  const errors: string[] = [];
  const read = new Set<ReadOwnValue>();
  for (const name of requested) {
    const wanted = name.toLowerCase();
    const readValue = ownValueByName.get(wanted) ?? ownValueByPrefix.find(([prefix]) => wanted.startsWith(prefix))?.[1];
    if (!readValue || read.has(readValue)) continue;
    read.add(readValue);
    try {
      const value = await readValue(call);
      if (value !== undefined) found.push({ appId: controllerId, name, value });
    } catch (error) {
      if (!(error instanceof NotShown)) throw error;
      errors.push(`${controllerId}: ${name}: ${error.message}`);
    }
  }
  return { values: found, errors };
};

const loadOf = ({ running, waiting }: { readonly running: number; readonly waiting: number }) => ({ running, waiting });

/** Rows of the routers that are connected to any controller of the network. */
const connectedRows = async (call: Call) =>
  call.read(async (entities) => {
    const ids = call.core.presence
      .keys()
      .slice(0, MAX_ROUTERS)
      .map(({ id }) => id);
    return [...(await rowsById(entities, router, ids)).values()];
  });

/** Ids of the connected routers with such names. */
const routersNamed = async (call: Call, isSelected: (name: string) => boolean): Promise<ReadonlySet<string>> => {
  const rows = await connectedRows(call);
  return new Set(rows.filter(({ name }) => isSelected(name)).map(({ id }) => id));
};

/** The names of routers, by id. */
const namesOf = async (call: Call, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const rows = await call.read((entities) => rowsById(entities, router, ids));
  return new Map([...rows].map(([id, { name }]) => [id, name]));
};

/** The routers of this controller, in the form of the reference. */
const connectedRouters = async (call: Call) => {
  const connected = call.core.presence.local().slice(0, MAX_ROUTERS);
  const ids = connected.map(({ key }) => key.id);
  const names = await namesOf(call, ids);
  return connected.flatMap(({ key: { id }, state, since }) => {
    const name = names.get(id);
    return name === undefined ? [] : [{ Id: id, Name: name, Version: state.versionInfo.version, ConnectTime: inSeconds(since) }];
  });
};

const inSeconds = (time: number): string => `${isoTime(time).slice(0, 19)}Z`;

/** Pending messages to routers of this controller: changes of other routers, and questions about terminators. */
const routerMessaging = async (call: Call) => {
  const { updates, validations } = call.core.traffic.pendingMessages();
  const [told, asked] = [updates.slice(0, MAX_ROUTERS), validations.slice(0, MAX_ROUTERS)];
  const ids = new Set([...told.flatMap(({ routerId, changed }) => [routerId, ...changed]), ...asked.map(({ routerId }) => routerId)]);
  const names = await namesOf(call, [...ids].slice(0, MAX_ENTRIES));
  const named = (id: string) => ({ id, name: names.get(id) ?? '<unknown>' });
  let left = MAX_ENTRIES;
  const withinBounds = (terminators: readonly string[]): readonly string[] => {
    const shown = terminators.slice(0, left);
    left -= shown.length;
    return shown;
  };
  return {
    routerUpdates: told.map(({ routerId, changed }) => ({ router: named(routerId), changedRouters: changed.map(named) })),
    terminatorValidations: asked.map(({ routerId, terminators, askedAt }) => ({
      router: named(routerId),
      terminators: withinBounds(terminators),
      checkInProgress: askedAt !== undefined,
      ...(askedAt !== undefined && { lastSend: inSeconds(askedAt) }),
    })),
  };
};

/** @throws NotShown if it is too large */
const dataModel = async ({ core: { traffic } }: Call) => {
  const model = await traffic.model();
  if (model === 'tooLarge') throw new NotShown('it is too large to be shown; data-model-index has its position');
  return model;
};

/** The identities at the routers of this controller. */
const connectedIdentities = ({ core: { presence } }: Call) => {
  const routersOf = new Map<string, string[]>();
  for (const { id } of presence.keys())
    for (const identityId of presence.identitiesAt(id)) {
      const routers = routersOf.get(identityId) ?? [];
      if (routersOf.size >= MAX_ENTRIES && routers.length === 0) continue;
      routersOf.set(identityId, routers);
      routers.push(id);
    }
  const connections = [...routersOf].map(([identityId, routers]) => [
    identityId,
    {
      connected_routers: Object.fromEntries(routers.map((router_id) => [router_id, { router_id, closed: false }])),
      last_reported_state: presence.statusOf(identityId),
    },
  ]);
  return { connections: Object.fromEntries(connections) };
};

/** Terminators with circuits. Failures add nothing to their cost here: a terminator that fails is left out of the dial instead. */
const terminatorCosts = ({ core: { traffic } }: Call) => {
  const circuits = new Map<string, number>();
  for (const { terminatorId } of traffic.circuits()) circuits.set(terminatorId, (circuits.get(terminatorId) ?? 0) + 1);
  const terminators = [...circuits].slice(0, MAX_ENTRIES).map(([terminatorId, circuitCount]) => ({
    terminatorId,
    circuitCount,
    failureCost: 0,
    currentCost: 0,
  }));
  return { terminators };
};

/** Counts of the routers of this controller, in the form of events of the kind `metrics`. */
const ownMetrics = ({ core: { controllerId, traffic, presence, networkEvents } }: Call) => {
  const counts = {
    'connected.routers': presence.localCount,
    links: traffic.links().length,
    circuits: traffic.circuits().length,
    ...Object.fromEntries(Object.entries(traffic.carried()).map(([point, bytes]) => [`${point}.bytes`, bytes])),
  };
  return Object.entries(counts).map(([metric, value]) =>
    networkEvents.eventOf('metrics', () => ({
      metric_type: 'intValue',
      source_id: controllerId,
      version: 3,
      metric,
      metrics: { value },
      source_event_id: '',
    })),
  );
};
