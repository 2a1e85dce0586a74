/** The kinds that operations involve, derived from their declarations. */
import type { Operation } from '../../contract/api/kit/operation.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { type NamedOperation, namedOperations } from '../../contract/api/named-operations.ts';
import { allKinds, kindOf } from '../resources/kinds.ts';
import type { OperationName } from './operation-name.ts';

/** Every operation with its name in the API. */
export const operations = namedOperations as readonly (NamedOperation & { readonly name: OperationName })[]; // `Api` has the same groups and verbs

const collectionIn = ({ path }: Operation): string => path.split('/')[1] ?? '';

/** Kinds by the collections that paths begin with; some kinds have more than one. */
const byCollection: ReadonlyMap<string, Kind> = new Map([
  ...allKinds.map((kind) => [kind.collection, kind] as const),
  ...operations.flatMap(({ operation }) => {
    const kind = operation.entity && kindOf(operation.entity.kind);
    return kind ? [[collectionIn(operation), kind] as const] : [];
  }),
]);

/** The kind whose collection a path begins with. */
export const kindAt = (operation: Operation): Kind | undefined => byCollection.get(collectionIn(operation));

/** The kind that each parameter of a path identifies: `{id}` an entity of the collection before it, `{serviceId}` a service. */
export const namedIn = (operation: Operation): readonly (readonly [parameter: string, kind: Kind])[] =>
  operation.parameters.flatMap((name) => {
    const kind = name === 'id' ? kindAt(operation) : kindOf(name.replace(/Id$/, ''));
    return kind ? [[name, kind]] : [];
  });

/** The kind that an operation answers with. */
export const answeredKind = ({ answer }: Operation): Kind | undefined =>
  allKinds.find(
    ({ kind, schemas }) =>
      (answer.is === 'page' && (answer.item === schemas.detail || answer.of === kind)) ||
      (answer.is === 'data' && answer.schema === schemas.detail),
  );
