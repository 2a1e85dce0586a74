import { kinds } from '../../contract/api/index.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';

export const allKinds: readonly Kind[] = Object.values(kinds);

const byName: ReadonlyMap<string, Kind> = new Map(allKinds.map((kind) => [kind.kind, kind]));

/** The kind with this name; undefined if this version does not know it. */
export const kindOf = (name: string): Kind | undefined => byName.get(name);
