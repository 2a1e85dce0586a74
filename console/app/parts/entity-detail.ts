import type { EntityReference } from '../../../client/index.ts';
import { type Entity, kindOf } from '../kinds.ts';
import { shapesOf } from '../shapes.ts';
import { nameOf } from '../words.ts';

/** Text that tells entities apart beside their names: what the first column of their list refers to, such as the type of a config. */
export const detailOf = (group: string, entity: Entity): string | undefined => {
  const column = kindOf(group)?.columns?.[0] ?? '';
  const value = entity[column];
  return shapesOf(group)(column) === 'reference' && value ? nameOf(value as EntityReference) : undefined; // by the description of the API
};
