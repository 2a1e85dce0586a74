import type { Kind } from '../api/kit/resource.ts';

/** The fields that every patch of an entity needs, because they tell which variant of its kind it is. */
export const discriminatorsOf = (kind: Kind, row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(kind.fields).flatMap(([name, { write }]) => (write === 'discriminator' ? [[name, row[name]]] : [])));
