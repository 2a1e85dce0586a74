import type { ConfigTarget } from '../../contract/api/configs.ts';
import { publishedTypes, routerLinkSchema } from './builtin-schemas.ts';

export interface BuiltinConfigType {
  readonly id: string;
  readonly name: string;
  /** JSON Schema, draft-07. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Default: `service`. */
  readonly target?: ConfigTarget;
}

/** Parts of a published schema that other schemas reuse. */
interface PublishedSchema {
  readonly definitions: Readonly<Record<string, unknown>>;
  readonly properties: Readonly<Record<string, unknown>>;
}
const publishedSchemaOf = (name: string) => publishedTypes.find((type) => type.name === name)?.schema as PublishedSchema | undefined; // each has both

const nonEmptySet = (items: unknown, description: string) => ({ allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items }], description });

/** A config type for link-layer frames, built in since release 2.0.3. */
const linkLayerType = (
  name: string,
  { definitions, properties, ...others }: PublishedSchema & { readonly required?: readonly string[] },
) => ({
  id: name,
  name,
  schema: {
    $id: `https://ziti-edge.netfoundry.io/schemas/${name}.schema.json`,
    definitions,
    type: 'object',
    properties,
    ...others,
    additionalProperties: false,
  },
});

const [host, intercept] = [publishedSchemaOf('host.v1'), publishedSchemaOf('intercept.v1')];

const linkLayerTypes: readonly BuiltinConfigType[] = [
  linkLayerType('l2.host.v1', {
    definitions: { ...host?.definitions },
    properties: {
      listenOptions: host?.properties.listenOptions,
      bridgeIfs: nonEmptySet({ type: 'string' }, 'Network interfaces that are bridged with the tap interface of the tunneler.'),
    },
  }),
  linkLayerType('l2.intercept.v1', {
    definitions: { ...intercept?.definitions, ethType: { type: 'string', pattern: '^0[xX][0-9a-fA-F]{4}$' } },
    properties: {
      dialOptions: intercept?.properties.dialOptions,
      ethTypes: nonEmptySet({ $ref: '#/definitions/ethType' }, 'EtherTypes of the frames that are forwarded; others are dropped.'),
    },
    required: ['ethTypes'],
  }),
];

/** The listeners and dialers of a router for links, built in since release 2.1. */
const routerLinkType: BuiltinConfigType = { id: 'router.link.v1', name: 'router.link.v1', schema: routerLinkSchema, target: 'router' };

/**
 * The config types that every network starts with, including their ids: tunnelers refer to them by name, and scripts by id.
 * Once created, they are ordinary entities, which may be changed or deleted.
 */
export const builtinConfigTypes: readonly BuiltinConfigType[] = [...publishedTypes, ...linkLayerTypes, routerLinkType];
