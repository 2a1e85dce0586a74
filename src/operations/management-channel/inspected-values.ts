/** Reads the values that routers answer to inspections with. Routers may send anything. */
import type { Api } from '../../contract/types/api.ts';
import { exactPattern } from '../../fabric/view/id-pattern.ts';
import { beginningOf } from '../../runtime/platform/control-characters.ts';

/** Maximum number of entries of a value that are read, and length of their texts. */
const MAX_ENTRIES = 10_000;
const MAX_TEXT = 255;

type JsonObject = Readonly<Record<string, unknown>>;

const EMPTY: JsonObject = {};

export const objectIn = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : EMPTY; // it is one

/** The objects of a list. */
export const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.slice(0, MAX_ENTRIES).map(objectIn) : []);

const valuesByKey = (map: unknown): readonly (readonly [key: string, value: unknown])[] =>
  Object.entries(objectIn(map))
    .slice(0, MAX_ENTRIES)
    .map(([key, value]) => [beginningOf(key, MAX_TEXT), value]);

/** The objects of a map, by key. */
export const objectsByKey = (map: unknown): readonly (readonly [key: string, value: JsonObject])[] =>
  valuesByKey(map).map(([key, value]) => [key, objectIn(value)]);

/** The texts of a map, by key. */
export const textsByKey = (map: unknown): ReadonlyMap<string, string> =>
  new Map(valuesByKey(map).map(([key, value]) => [key, shortTextIn(value)]));

export const shortTextIn = (value: unknown): string => (typeof value === 'string' ? beginningOf(value, MAX_TEXT) : '');

/** The reason why a router was not validated. */
export class NotValidated extends Error {
  override readonly name = 'NotValidated';
}

/**
 * Asks a router for values by name.
 * @returns the values; the first one is present
 * @throws NotValidated; errors of the operation
 */
export const inspectedValues = async (
  { inspections }: Pick<Api, 'inspections'>,
  routerId: string,
  requestedValues: readonly string[],
): Promise<ReadonlyMap<string, unknown>> => {
  const appRegex = exactPattern(routerId);
  const { errors, values } = await inspections.run({ body: { appRegex, requestedValues } });
  // The expression is also searched for in names: that of another router may be this id.
  const found = new Map(values.flatMap(({ appId, name, value }) => (appId === routerId ? [[name, value]] : [])));
  const [first = ''] = requestedValues;
  if (found.get(first) !== undefined) return found;
  throw new NotValidated(errors.length > 0 ? beginningOf(errors.join(', '), MAX_TEXT) : `router ${routerId} is not connected`);
};
