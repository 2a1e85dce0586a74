import type { Fields } from './field.ts';
import type { ResourceDeclaration } from './resource-declaration.ts';

type Named = Pick<ResourceDeclaration<string, Fields>, 'kind' | 'right'>;

/** The actions that a right allows on the entities of a kind. */
export type Action = 'read' | 'create' | 'update' | 'delete';

/** The name of a kind in rights: `service-policy`, `router`. Several kinds may share one. */
export const rightPrefix = ({ kind, right }: Named): string => right ?? kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The right to perform an action on the entities of a kind: `identity.update`. */
export const rightTo = <A extends Action>(action: A, kind: Named): `${string}.${A}` => `${rightPrefix(kind)}.${action}`;
