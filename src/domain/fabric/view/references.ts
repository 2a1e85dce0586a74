import type { EntityReference, Tags } from '../../../api/kit/index.ts';

/** Where the entities of the fabric API are, and what is listed below each. */
const COLLECTIONS = {
  routers: ['terminators'],
  services: ['terminators'],
  terminators: [],
  links: [],
  circuits: [],
} as const;

type Collection = keyof typeof COLLECTIONS;

const linksOf = (collection: Collection, id: string): EntityReference['_links'] => {
  const self = `./${collection}/${id}`;
  const below: readonly string[] = COLLECTIONS[collection];
  return { self: { href: self }, ...Object.fromEntries(below.map((name) => [name, { href: `${self}/${name}` }])) };
};

/** How the fabric API points at an entity; without a name at one that is there no more. */
export const fabricReference = (collection: Collection, id: string, name: string | null | undefined): EntityReference => ({
  _links: linksOf(collection, id),
  entity: collection,
  id,
  ...(name ? { name } : {}),
});

interface Entity {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tags: Tags;
}

/** The fields that all entities show. */
export const fabricEntity = (collection: Collection, { id, createdAt, updatedAt, tags }: Entity) => ({
  _links: linksOf(collection, id),
  createdAt,
  id,
  tags,
  updatedAt,
});
