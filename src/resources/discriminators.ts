import type { Kind } from '../api/kit/resource.ts';
import type { Row } from '../storage/port.ts';

/** The fields that every patch of an entity needs, because they tell which variant of its kind it is. */
export const discriminatorsOf = (kind: Kind, row: Row): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(kind.fields).flatMap(([name, { write }]) => (write === 'discriminator' ? [[name, row[name]]] : [])));
