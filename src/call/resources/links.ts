import type { EntityReference } from '../../contract/api/kit/entity.ts';
import { partsOf } from '../../contract/api/kit/path-template.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { Row } from '../../store/storage/port.ts';

type Links = Readonly<Record<string, { readonly href: string }>>;

const builders = new WeakMap<Kind, (row: Row) => Links>();

/** `_links` of an entity: relative addresses, the same in details, lists and references. */
export const linksOf = (kind: Kind, row: Row): Links => {
  let build = builders.get(kind);
  if (!build) builders.set(kind, (build = builder(kind)));
  return build(row);
};

export const selfLink = (kind: Kind, id: string): { readonly self: { readonly href: string } } => ({
  self: { href: `./${kind.collection}/${id}` },
});

const builder = (kind: Kind): ((row: Row) => Links) => {
  const subPaths = (kind.subLinks ?? []).map((name) => [name, `/${name}`] as const);
  const others = Object.entries(kind.links ?? {}).map(([name, link]) => {
    const { at, while: condition } = typeof link === 'string' ? { at: link, while: undefined } : link;
    return { name, parts: partsOf(at), condition };
  });
  return (row) => {
    const self = `./${kind.collection}/${row.id}`;
    const links: Record<string, { href: string }> = { self: { href: self } };
    for (const [name, path] of subPaths) links[name] = { href: self + path };
    for (const { name, parts, condition } of others)
      if (condition === undefined || row[condition[0]] === condition[1])
        links[name] = { href: parts.map((part, i) => (i % 2 ? String(row[part]) : part)).join('') };
    return links;
  };
};

/** The reference to an entity in answers about other entities. */
export const referenceTo = (kind: Kind, row: Row): EntityReference => ({
  _links: linksOf(kind, row),
  entity: kind.collection,
  id: row.id,
  ...(typeof row.name === 'string' ? { name: row.name } : {}),
});
