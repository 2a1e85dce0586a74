import type { Operation } from '../api/kit/operation.ts';
import type { Kind } from '../api/kit/resource.ts';
import { rightsOf } from '../api/kit/right.ts';
import { behaviourOf } from '../call/behaviour.ts';
import type { Call } from '../call/call.ts';
import type { Entities } from '../changes/entities.ts';
import { ALL, FilterError, type Predicate, readFilter } from '../query/index.ts';
import { symbolsFor } from './symbols.ts';

/** Whether the right that an operation takes is one on entities of this kind. */
export const isOnKind = ({ permission }: Pick<Operation, 'permission'>, kind: Kind): boolean => permission.startsWith(`${rightsOf(kind)}.`);

/**
 * The entities of a kind that a call may see and write.
 * @throws TypeError when the filter of the host's rule is none: a mistake of the host, not of the caller
 */
export const granted = async (entities: Entities, kind: Kind, call: Call, { where } = call.grant): Promise<Predicate> => {
  if (where === undefined || !isOnKind(call.operation, kind)) return ALL;
  const bound = bind(where, kind);
  return (await behaviourOf(call, kind)?.resolve?.(entities, bound, call)) ?? bound;
};

const bind = (where: string, kind: Kind): Predicate => {
  try {
    const { where: bound, sort, skip, limit } = readFilter(where, symbolsFor(kind));
    if (sort !== undefined || skip !== undefined || limit !== undefined)
      throw new TypeError(`authorize gave '${where}': it takes a condition alone`);
    return bound;
  } catch (error) {
    if (error instanceof FilterError)
      throw new TypeError(`authorize gave '${where}', which is no filter on ${kind.kind}: ${error.message}`);
    throw error;
  }
};
