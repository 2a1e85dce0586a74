import applicator from 'ajv/dist/refs/json-schema-2020-12/meta/applicator.json' with { type: 'json' };
import content from 'ajv/dist/refs/json-schema-2020-12/meta/content.json' with { type: 'json' };
import core from 'ajv/dist/refs/json-schema-2020-12/meta/core.json' with { type: 'json' };
import formats from 'ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json' with { type: 'json' };
import metaData from 'ajv/dist/refs/json-schema-2020-12/meta/meta-data.json' with { type: 'json' };
import unevaluated from 'ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json' with { type: 'json' };
import validation from 'ajv/dist/refs/json-schema-2020-12/meta/validation.json' with { type: 'json' };
import schema2020 from 'ajv/dist/refs/json-schema-2020-12/schema.json' with { type: 'json' };
import draft07 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' };
import type { Draft, SchemaObject } from './schema-graph.ts';

/** The deprecated keywords that it still knows, with references into its parts as ones into the whole. */
const deprecated = JSON.parse(JSON.stringify(schema2020.properties).replaceAll(/"meta\/\w+#/g, '"#'));
const vocabularies = [core, applicator, unevaluated, validation, metaData, formats, content];

/** The schemas of schemas, each as one document: that of 2020-12 comes as eight that refer to each other. */
export const metaSchemas: Readonly<Record<Draft, SchemaObject>> = {
  'draft-07': draft07,
  '2020-12': {
    $dynamicAnchor: 'meta',
    type: ['object', 'boolean'],
    properties: Object.assign({}, deprecated, ...vocabularies.map(({ properties }) => properties)),
    $defs: Object.assign({}, core.$defs, applicator.$defs, validation.$defs),
  },
};
