import type { DecodedOf, Group, Operations, OutputOf } from '../contract/api/kit/operation.ts';
import type { Entry, Handler } from './entry.ts';

export type Handlers<O extends Operations> = { readonly [V in keyof O]: Handler<DecodedOf<O[V]>, OutputOf<O[V]>> };

/**
 * Binds the operations of a group to the functions that carry them out. A missing or extra handler is a compile error.
 * @throws TypeError that names the handler, for code that was not type-checked
 */
export const implement = <N extends string, O extends Operations>(group: Group<N, O>, handlers: Handlers<O>): readonly Entry[] => {
  const missing = Object.keys(group.operations).filter((verb) => !(verb in handlers));
  const extra = Object.keys(handlers).filter((verb) => !(verb in group.operations));
  if (missing.length + extra.length > 0)
    throw new TypeError(`group ${group.name}: no handler for [${missing}], no operation for [${extra}]`);
  return Object.entries(group.operations).map(([verb, operation]) => ({
    group: group.name,
    verb,
    operation,
    handler: handlers[verb] as Handler,
  }));
};
