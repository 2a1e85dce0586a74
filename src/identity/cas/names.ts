import { identity } from '../../contract/api/identities.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** The parts that the name of a self-enrolling identity may contain. */
export interface NameParts {
  readonly caName: string;
  readonly caId: string;
  readonly commonName: string | undefined;
  /** The name that the client requests; default: the id of the identity. */
  readonly requestedName: string | undefined;
  readonly identityId: string;
}

/**
 * Replaces the symbols in a name format, in one pass, so that values from a certificate are never interpreted as symbols. Unknown symbols
 * are kept.
 */
export const identityNameOf = (format: string, { caName, caId, commonName = '', requestedName, identityId }: NameParts): string => {
  const values = new Map([
    ['caName', caName],
    ['caId', caId],
    ['commonName', commonName],
    ['requestedName', requestedName?.trim() ? requestedName : identityId],
    ['identityId', identityId],
  ]);
  const filled = format.replace(/\[(\w+)\]/g, (symbol, name: string) => values.get(name) ?? symbol);
  return filled.trim() === '' ? identityId : filled;
};

/** Number of numbered variants of a name. */
const NUMBERED_VARIANTS = 30;

/**
 * The name itself, then variants that append 000001, 000002, ... each to the previous variant, and finally one with the id, which is
 * unique.
 */
export const nameVariants = (name: string, identityId: string): readonly string[] => {
  const names = [name];
  for (let i = 1; i <= NUMBERED_VARIANTS; i++) names.push(`${names.at(-1)}${String(i).padStart(6, '0')}`);
  return [...names, `${name}-${identityId}`];
};

/** The first variant of a name that no identity has. Runs one query. */
export const freeName = async (entities: Entities, name: string, identityId: string): Promise<string> => {
  const names = nameVariants(name, identityId);
  const taken = new Set(await entities.referenced(identity, 'name', names));
  return names.find((candidate) => !taken.has(candidate)) ?? identityId;
};
