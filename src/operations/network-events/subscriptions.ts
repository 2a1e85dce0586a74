import { RE2JS } from 're2js';
import type { DecodedOf } from '../../contract/api/kit/index.ts';
import type { networkEvents } from '../../contract/api/network-events.ts';
import { invalidField } from '../../contract/errors/index.ts';
import {
  allNetworkEventKinds,
  type NetworkEvent,
  type NetworkEventKind,
  networkEventDeclaration,
} from '../../contract/network-events/kinds.ts';
import { describeUnknown } from '../../contract/options.ts';
import { boundedCache } from '../../runtime/platform/bounded-cache.ts';
import { MINUTE } from '../../runtime/platform/clock.ts';
import { parseDuration } from '../tracing/trace-identity.ts';
import { ENTITY_TYPES } from './entity-states.ts';

type Input = DecodedOf<typeof networkEvents.operations.follow>;

/** The events of one kind that a follower receives. */
export interface Subscription {
  readonly kind: NetworkEventKind;
  /**
   * The event as the follower receives it; undefined if the subscription does not include it. Must be called for every event of the kind,
   * in order.
   */
  seen(event: NetworkEvent): object | undefined;
}

/** The names of kinds for subscribers: those of 1.x, and earlier ones, each with the version of its events where there are several. */
export const networkEventSubscription = (
  name: string,
  version: number,
): { readonly kind: NetworkEventKind; readonly namespace?: string } | undefined => {
  for (const kind of allNetworkEventKinds) {
    if ((kind === 'usage' && version === 3) || (kind === 'usage.v3' && version === 2)) continue;
    const { subscribedAs = kind, earlierName, namespaceOfEarlier = earlierName } = networkEventDeclaration(kind);
    if (name === subscribedAs) return { kind };
    if (name === earlierName) return { kind, ...(namespaceOfEarlier !== undefined && { namespace: namespaceOfEarlier }) };
  }
  return undefined;
};

const namesOf = (kinds: readonly NetworkEventKind[]): readonly string[] => [
  ...new Set(kinds.map((kind) => networkEventDeclaration(kind).subscribedAs ?? kind)),
];
const subscribedNames = namesOf(allNetworkEventKinds);
/** The names that a follower subscribes to by default. */
const defaultNames = namesOf(allNetworkEventKinds.filter((kind) => networkEventDeclaration(kind).isOnRequest !== true));

/**
 * The subscriptions of a follower.
 * @param maySee true for kinds that the caller may follow. Others are left out if the caller names none
 * @throws ApiError `COULD_NOT_VALIDATE`
 */
export const subscriptionsOf = (input: Input, maySee: (kind: NetworkEventKind) => boolean): readonly Subscription[] => {
  const { types, version = 3 } = input;
  if (version !== 2 && version !== 3) throw invalidField('version', `unsupported usage version: ${version}`, version);
  return [...new Set(types ?? defaultNames)].flatMap((name) => {
    const found = networkEventSubscription(name, version);
    if (!found) throw invalidField('types', `there are no network events ${describeUnknown(name, subscribedNames)}`, name);
    const { kind, namespace } = found;
    if (types && !maySee(kind)) throw invalidField('types', `this caller may not follow events of the kind ${name}`, name);
    if (!maySee(kind)) return [];
    const includes = includeOf(kind, input);
    const seen = (event: NetworkEvent): object | undefined => {
      const included = includes(event);
      return included && namespace !== undefined ? { ...included, namespace } : included;
    };
    return [{ kind, seen }];
  });
};

/** Selects events, and parts of them. */
type Includes = (event: NetworkEvent) => object | undefined;

const ALL_EVENTS: Includes = (event) => event;

const includeOf = (kind: NetworkEventKind, input: Input): Includes => {
  const { include } = input;
  if (kind === 'entity.change') return entityChanges(input);
  if (kind === 'metrics') return metricsBy(input);
  if (!include || include.length === 0) return ALL_EVENTS;
  if (kind === 'usage.v3') return usageOf(new Set(include));
  const declared = networkEventDeclaration(kind).include;
  const wrong = include.find((type) => !declared?.types.includes(type));
  if (wrong !== undefined) throw invalidField('include', `invalid include ${wrong} ${declared?.refusal ?? `for ${kind}`}`, wrong);
  const types = new Set(include);
  return (event) => ('event_type' in event && types.has(event.event_type) ? event : undefined);
};

const entityChanges = ({ include, includeParentEvents = false }: Input): Includes => {
  const wrong = include?.find((type) => !ENTITY_TYPES.includes(type));
  if (wrong !== undefined)
    throw invalidField(
      'include',
      `invalid entity type [${wrong}] in entityChange events include list, valid values include: [${ENTITY_TYPES.join(' ')}]`,
      wrong,
    );
  const types = include && include.length > 0 ? new Set(include) : undefined;
  /** The id of the last event that was seen: only its commit is. */
  let last: string | undefined;
  return (event) => {
    if (!('eventId' in event)) return undefined;
    const { eventId, eventType, entityType = '', isParentEvent = false } = event;
    if (eventType === 'committed') return eventId === last ? event : undefined;
    if ((isParentEvent && !includeParentEvents) || (types && !types.has(entityType))) return undefined;
    last = eventId;
    return event;
  };
};

const usageOf =
  (types: ReadonlySet<string>): Includes =>
  (event) => {
    if (!('usage' in event) || typeof event.usage === 'number') return undefined;
    const usage = Object.entries(event.usage).filter(([type]) => types.has(type));
    return usage.length === 0 ? undefined : { ...event, usage: Object.fromEntries(usage) };
  };

const metricsBy = ({ sourceFilter, metricFilter }: Input): Includes => {
  const isSource = matcherOf('sourceFilter', sourceFilter);
  const isMetric = matcherOf('metricFilter', metricFilter);
  return (event) => {
    if (!('metric_type' in event) || !isSource(event.source_id)) return undefined;
    const { metric, metric_type } = event;
    const isSingle = metric_type === 'intValue' || metric_type === 'floatValue';
    const all = Object.entries(event.metrics);
    const values = all.filter(([name]) => isMetric(`${metric}.${isSingle ? '' : name}`));
    if (values.length === 0) return undefined;
    // Followers share events of which they receive the whole, whose size is measured once.
    return values.length === all.length ? event : { ...event, metrics: Object.fromEntries(values) };
  };
};

/** Maximum length of a regular expression, and sum of the numbers in its repetitions, each of which multiplies the work of compiling it. */
const MAX_PATTERN = 512;
const MAX_REPETITIONS = 200;
/** Maximum size of the program of a regular expression, which it is matched with. */
const MAX_PROGRAM = 1000;
/** Maximum number of texts for which a match is remembered. */
const MAX_KNOWN = 1000;

/**
 * RE2 takes time in proportion to the length of the text, as hostile expressions do not in JavaScript.
 * @param field the name of the field with the expression, for the error
 * @throws ApiError `COULD_NOT_VALIDATE`
 */
export const matcherOf = (field: string, text: string | undefined): ((value: string) => boolean) => {
  if (text === undefined || text === '') return () => true;
  const repetitions = [...text.matchAll(/\{(\d+)(?:,(\d+))?/g)].reduce((sum, [, least, most]) => sum + Number(most ?? least), 0);
  if (text.length > MAX_PATTERN || repetitions > MAX_REPETITIONS)
    throw invalidField(
      field,
      `a regular expression has at most ${MAX_PATTERN} characters, and ${MAX_REPETITIONS} repetitions in braces`,
      text,
    );
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(text);
  } catch (error) {
    throw invalidField(field, error instanceof Error ? error.message : 'error parsing regexp', text);
  }
  if (pattern.programSize() > MAX_PROGRAM) throw invalidField(field, 'the regular expression is too large', text);
  // Routers report the same metrics again and again.
  const known = boundedCache<string, boolean>(MAX_KNOWN);
  return (value) => {
    const isMatch = known.get(value) ?? pattern.matcher(value).find();
    known.set(value, isMatch);
    return isMatch;
  };
};

const DEFAULT_INTERVAL = 5 * MINUTE;
const MIN_INTERVAL = 1000;

/**
 * The interval of the kind `entityCount`, in milliseconds.
 * @throws ApiError `COULD_NOT_VALIDATE`
 */
export const countIntervalOf = ({ interval }: Pick<Input, 'interval'>): number => {
  if (interval === undefined || interval === '') return DEFAULT_INTERVAL;
  const milliseconds = parseDuration(interval);
  if (milliseconds === undefined || milliseconds <= 0)
    throw invalidField(
      'interval',
      `invalid duration value for edge.entityCounts interval: '${interval}': time: invalid duration "${interval}"`,
      interval,
    );
  return Math.min(Math.max(milliseconds, MIN_INTERVAL), 2 ** 31 - 1);
};
