import type { ResourceDeclaration } from './resource.ts';

/** What a right lets do with the entities of a kind. */
export type Action = 'read' | 'create' | 'update' | 'delete';

/** The name of a kind in the names of rights, which several kinds may share: `service-policy`, `router`. The published names, where there are some. */
export const rightsOf = ({ kind, right }: Pick<ResourceDeclaration<string, never>, 'kind' | 'right'>): string =>
  right ?? kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The right to some action on the entities of a kind: `identity.update`. */
export const rightTo = <A extends Action>(action: A, kind: Pick<ResourceDeclaration<string, never>, 'kind' | 'right'>): `${string}.${A}` =>
  `${rightsOf(kind)}.${action}`;
