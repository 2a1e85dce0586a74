import { kinds } from '../contract/api/kinds.ts';
import type { Field, Kind } from '../contract/api/kit/index.ts';
import type { JsonSchema, JsonSchemaComponents } from '../contract/api/surfaces/json-schema.ts';

/**
 * The extension `x-refers-to` of a property: the collection of the entities that its value names. `by`: by their ids, by role attributes,
 * or by selectors (`#attribute`, `@id`, `#all`). `in`: the keys of a map name them; default: the value, or the entries of a list.
 */
export interface RefersTo {
  readonly collection: string;
  readonly by: 'id' | 'attribute' | 'selector';
  readonly in?: 'keys';
}

/** Adds `x-refers-to` to the properties of bodies that name other entities, from the declarations of the kinds. */
export const withEntityReferences = (components: JsonSchemaComponents): JsonSchemaComponents => {
  const annotated = structuredClone(components);
  for (const kind of Object.values(kinds) as readonly Kind[])
    for (const verb of ['Create', 'Update', 'Patch'])
      for (const { properties = {} } of variantsOf(annotated, { $ref: `#/components/schemas/${kind.names[0]}${verb}` }))
        for (const [name, field] of Object.entries(kind.fields)) annotate(annotated, properties, name, referencesOf(kind, field));
  return annotated;
};

/** Finds the references of a field: its own under the empty path, and those of its parts under theirs (`extJwt.allowedSigners`). */
const referencesOf = (kind: Kind, field: Field): ReadonlyMap<string, RefersTo> => {
  const { set, keys, idsWithin = {}, endsOf, attributesOf } = field;
  const { reference, idOf = reference?.target } = field.storedAs === undefined ? field : { ...field, ...kind.fields[field.storedAs] };
  const found = new Map(
    Object.entries(idsWithin).map(([path, target]) => [path.replace('[]', ''), { collection: collectionOf(target), by: 'id' } as RefersTo]),
  );
  if (idOf !== undefined) found.set('', { collection: collectionOf(idOf), by: 'id' });
  else if (set?.of === 'references') found.set('', { collection: collectionOf(set.target), by: 'id' });
  else if (set?.of === 'selectors') found.set('', { collection: collectionOf(set.target), by: 'selector' });
  else if (set?.of === 'attributes' || attributesOf !== undefined)
    found.set('', { collection: collectionOf(attributesOf ?? kind.kind), by: 'attribute' });
  else if (keys !== undefined) found.set('', { collection: collectionOf(keys), by: 'id', in: 'keys' });
  else if (endsOf !== undefined) found.set('', { collection: kind.collection, by: 'attribute', in: 'keys' });
  return found;
};

const collectionOf = (kind: string): string => (kinds as Readonly<Record<string, Pick<Kind, 'collection'>>>)[kind]?.collection ?? kind;

type Properties = NonNullable<JsonSchema['properties']>;

const annotate = (components: JsonSchemaComponents, properties: Properties, name: string, found: ReadonlyMap<string, RefersTo>): void => {
  for (const [path, refersTo] of found) {
    const steps = path === '' ? [name] : [name, ...path.split('.')];
    const last = steps.pop() ?? '';
    const parent = steps.reduce<Properties>((inner, step) => variantsOf(components, inner[step])[0]?.properties ?? {}, properties);
    const schema = parent[last];
    if (typeof schema === 'object') schema['x-refers-to'] = refersTo;
  }
};

/** The objects that a schema describes: itself, what it refers to, or its alternatives. */
const variantsOf = (components: JsonSchemaComponents, schema: JsonSchema | boolean | undefined): readonly JsonSchema[] => {
  if (typeof schema !== 'object') return [];
  if (schema.$ref !== undefined) return variantsOf(components, components[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)]);
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return alternatives.length > 0 ? alternatives.flatMap((each) => variantsOf(components, each)) : [schema];
};
