import type { FollowNetworkEventsQuery } from '../../contract/types/network-events.ts';
import { networkEventSubscription } from '../network-events/subscriptions.ts';

/** A request that is answered with this reason. */
export class StreamRefused extends Error {
  override readonly name = 'StreamRefused';
}

/** A stream that a client requests: the kind of its events, and what it selects. */
export interface RequestedStream {
  readonly kind: string;
  readonly query: FollowNetworkEventsQuery;
}

/** Maximum number of subscriptions in a request. */
const MAX_SUBSCRIPTIONS = 64;

type Options = Readonly<Record<string, unknown>>;

/**
 * Reads a request for events. Subscriptions to unknown kinds are left out, as in the reference.
 * @throws StreamRefused
 */
export const parseStreamRequest = (text: string): readonly RequestedStream[] => {
  const request = parseJson(text);
  const format = isObject(request) ? request['format'] : undefined;
  if (!isObject(request) || format !== 'json')
    throw new StreamRefused(`invalid format ['${typeof format === 'string' ? format.slice(0, 100) : ''}']`);
  const subscriptions = Array.isArray(request['subscriptions']) ? request['subscriptions'] : [];
  if (subscriptions.length > MAX_SUBSCRIPTIONS) throw new StreamRefused(`a request has at most ${MAX_SUBSCRIPTIONS} subscriptions`);
  return subscriptions.flatMap((each: unknown) => {
    if (!isObject(each) || typeof each['type'] !== 'string') return [];
    const { type } = each;
    const options = isObject(each['options']) ? each['options'] : {};
    const version = Number(options['version'] ?? DEFAULT_USAGE_VERSION);
    const kind = networkEventSubscription(type, version === 3 ? 3 : 2)?.kind;
    return kind === undefined ? [] : [{ kind, query: { types: [type], ...queryOf(kind, options, version) } }];
  });
};

/** Clients that name no version get the earlier one. */
const DEFAULT_USAGE_VERSION = 2;

const queryOf = (kind: string, options: Options, version: number): FollowNetworkEventsQuery => {
  const { include, interval, sourceFilter, metricFilter, includeParentEvents } = options;
  if (kind === 'usage') return { version };
  if (kind === 'entityCount') return typeof interval === 'string' ? { interval } : {};
  if (kind === 'metrics')
    return {
      ...(typeof sourceFilter === 'string' && { sourceFilter }),
      ...(typeof metricFilter === 'string' && { metricFilter }),
    };
  const included = include === undefined || include === null ? {} : { include: includedIn(kind, include) };
  if (kind === 'usage.v3') return { version, ...included };
  return String(includeParentEvents) === 'true' ? { ...included, includeParentEvents: true } : included;
};

/** @throws StreamRefused */
const includedIn = (kind: string, include: unknown): readonly string[] => {
  if (typeof include === 'string' && kind !== 'entity.change') return [include];
  if (Array.isArray(include) && include.every((each) => typeof each === 'string')) return include;
  const given = Array.isArray(include) ? 'list' : typeof include;
  throw new StreamRefused(
    `invalid value type [${given}] for ${kind === 'entity.change' ? 'entityChange' : kind} include list, must be string list`,
  );
};

const isObject = (value: unknown): value is Options => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws StreamRefused */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = String(error);
    // Engines name the position at which they stop.
    const isCutOff = /unexpected end/i.test(message) || message.includes(`position ${text.length} `);
    throw new StreamRefused(isCutOff ? 'unexpected end of JSON input' : 'the request is not valid JSON');
  }
};
