import type { EntityReference, Tags } from '../../contract/api/kit/index.ts';

/** The collections of the fabric API, with the sub-collections of each entity. */
const COLLECTIONS = {
  routers: ['terminators'],
  services: ['terminators'],
  terminators: [],
  links: [],
  circuits: [],
} as const;

type Collection = keyof typeof COLLECTIONS;

/** The link to an entity that was created. */
export const fabricSelf = (collection: Collection, id: string) => ({ self: { href: `./${collection}/${id}` } });

const linksOf = (collection: Collection, id: string): EntityReference['_links'] => {
  const { self } = fabricSelf(collection, id);
  const subcollections: readonly string[] = COLLECTIONS[collection];
  return { self, ...Object.fromEntries(subcollections.map((name) => [name, { href: `${self.href}/${name}` }])) };
};

/** A reference to an entity in the fabric API. It has no name if the entity no longer exists. */
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

/** The fields that all entities have in answers. */
export const fabricEntity = (collection: Collection, { id, createdAt, updatedAt, tags }: Entity) => ({
  _links: linksOf(collection, id),
  createdAt,
  id,
  tags,
  updatedAt,
});
