import type { Fields } from './field.ts';
import type { ResourceDeclaration } from './resource.ts';

type Named = Pick<ResourceDeclaration<string, Fields>, 'kind' | 'right'>;

/** The actions of a right on the entities of a kind. */
export type Action = 'read' | 'create' | 'update' | 'delete';

/** The name of a kind in the names of rights, which several kinds may share: `service-policy`, `router`. Uses the published names, if there are any. */
export const rightsOf = ({ kind, right }: Named): string => right ?? kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The right to some action on the entities of a kind: `identity.update`. */
export const rightTo = <A extends Action>(action: A, kind: Named): `${string}.${A}` => `${rightsOf(kind)}.${action}`;
