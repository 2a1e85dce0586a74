import type { Fields } from './field.ts';
import type { ResourceDeclaration } from './resource.ts';

type Named = Pick<ResourceDeclaration<string, Fields>, 'kind' | 'right'>;

/** What a right allows its holder to do with the entities of a kind. */
export type Action = 'read' | 'create' | 'update' | 'delete';

/** The name of a kind in rights: `service-policy`, `router`. Several kinds may share one. */
export const rightsOf = ({ kind, right }: Named): string => right ?? kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The right to perform an action on the entities of a kind: `identity.update`. */
export const rightTo = <A extends Action>(action: A, kind: Named): `${string}.${A}` => `${rightsOf(kind)}.${action}`;
