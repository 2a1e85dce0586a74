/** The shapes of the fields of entities, from the description of the API: what is a reference, and what a date. */
import { remoteOperations } from '../../client/operations.ts';
import type { Shape } from '../descriptions.ts';
import { session } from './session.ts';

export type ShapeOf = (field: string) => Shape | 'plain';

const shapesIn = (group: string | undefined): Readonly<Record<string, Shape>> => {
  const { get, list } = remoteOperations[group ?? ''] ?? {};
  const operations = session.get()?.descriptions.operations ?? {};
  return [get, list].map((operation) => operations[operation?.operationId ?? '']?.shapes).find((each) => each !== undefined) ?? {};
};

/** The shapes of the fields of a group's entities. A field that the description leaves open is plain, whatever it contains. */
export const shapesOf = (group: string | undefined): ShapeOf => {
  const shapes = shapesIn(group);
  return (field) => shapes[field] ?? 'plain';
};

/** The fields of a group's entities that are true or false. */
export const flagsOf = (group: string): readonly string[] =>
  Object.entries(shapesIn(group)).flatMap(([name, shape]) => (shape === 'flag' ? [name] : []));

/** The shapes of stored fields, in which references are ids. */
export const storedShapesOf = (group: string | undefined): ShapeOf => {
  const shapeOf = shapesOf(group);
  return (field) => (shapeOf(field) === 'date' ? 'date' : 'plain');
};
