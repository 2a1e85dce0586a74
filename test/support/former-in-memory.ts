import type { AdoptedAuthority, FormerNetwork } from '../../adopt/conversion/index.ts';
import { FORMER_FIELDS } from '../../adopt/reader/fields/entities.ts';
import type { Field, Fields } from '../../adopt/reader/fields/field.ts';
import type { FormerEntities, FormerKind } from '../../adopt/reader/fields/former-entities.ts';
import { NOW, sharedPki } from './pki.ts';

/** Some fields of former entities, by kind. All others have their defaults. */
export type FormerSeeds = { readonly [K in FormerKind]?: readonly (Partial<FormerEntities[K]> & { readonly id: string })[] };

const DATES = { createdAt: new Date(NOW - 9_000_000_000), updatedAt: new Date(NOW - 5_000_000_123) };

const defaultOf = (field: Field, name: string, id: string): unknown => {
  if (field.orElse) return field.orElse.value;
  if (field.is === 'text') return `${name} of ${id}`;
  throw new TypeError(`the former entity ${id} needs the field ${name}`);
};

const filled = (fields: Fields, { id, ...given }: { readonly id: string }): { readonly id: string } => {
  const defaults = Object.entries(fields).flatMap(([name, field]): [string, unknown][] =>
    name in DATES || field.is === 'derived' ? [] : [[name, name in given ? undefined : defaultOf(field, name, id)]],
  );
  const dates = fields.createdAt?.is === 'derived' ? {} : DATES;
  return { id, ...{ unknown: [] }, ...dates, ...Object.fromEntries(defaults), ...given };
};

/** A former network that never was in a database. */
export const formerInMemory = (seeds: FormerSeeds, { schemaVersion = 44 } = {}): FormerNetwork => {
  const entities = new Map(
    Object.entries(FORMER_FIELDS).map(([kind, fields]) => [kind, (seeds[kind as FormerKind] ?? []).map((seed) => filled(fields, seed))]),
  );
  return {
    schemaVersion,
    counts: () => new Map([...entities].map(([kind, all]) => [kind, all.length])),
    ids: (kind) => (entities.get(kind) ?? []).map(({ id }) => id),
    nameOf: (kind, id) =>
      (entities.get(kind) as readonly { readonly id: string; readonly name?: string }[]).find((one) => one.id === id)?.name,
    entities: (kind) => (entities.get(kind) ?? []) as never, // filled with all fields of the kind
    assertUnchanged: () => undefined,
  };
};

/** The authority of a former network. */
export const formerAuthority = async (): Promise<AdoptedAuthority> => {
  const { root, signer, server } = await sharedPki();
  return {
    signer: { certificates: signer.cert, key: signer.key },
    roots: root.cert,
    server: { cert: server.cert + signer.cert, key: server.key },
    trustDomain: 'former.example.org',
  };
};
