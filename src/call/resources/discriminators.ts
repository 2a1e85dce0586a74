import type { Kind } from '../../contract/api/kit/resource.ts';

/** The fields that every patch of an entity needs, because they determine the variant of its kind. */
export const discriminatorsOf = (kind: Kind, row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(kind.fields).flatMap(([name, { write }]) => (write === 'discriminator' ? [[name, row[name]]] : [])));
