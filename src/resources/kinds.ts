import { kinds } from '../api/index.ts';
import type { Resource } from '../api/kit/resource.ts';

export const allKinds: readonly Resource[] = Object.values(kinds);

const byName: ReadonlyMap<string, Resource> = new Map(allKinds.map((kind) => [kind.kind, kind]));

/** The kind that a field table names; undefined where it names one that this version does not have. */
export const kindOf = (name: string): Resource | undefined => byName.get(name);
