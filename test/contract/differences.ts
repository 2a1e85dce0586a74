/**
 * Parameters, fields and values of enumerations that the published descriptions declare, and the controller's own description lacks.
 * `published-schemas.json` has what the published descriptions, version 0.29, say about these: names and values, without texts.
 */

import { groups } from '../../src/contract/api/index.ts';
import { surfaces } from '../../src/contract/api/surfaces/index.ts';
import { describeOperations } from '../../src/http/describe-operations.ts';
import { ANY_OF_TYPE, ANYTHING, type FieldSchema, type FieldTable, fieldsOfSchema } from './fields-of.ts';
import published from './published-schemas.json' with { type: 'json' };

export type DescribedApi = keyof typeof published.operations;

export interface Difference {
  readonly api: DescribedApi;
  readonly operationId: string;
  readonly part: 'parameter' | 'body' | 'answer';
  /** The name of a parameter, or the path of a field; of an enumeration, with the value: `type=Router`. */
  readonly lacks: string;
}

interface Parts {
  readonly parameters?: Readonly<Record<string, FieldSchema>>;
  readonly body?: FieldSchema;
  readonly answer?: FieldSchema;
}

// The type that TypeScript infers of the file names every member, and takes `type` for any string.
const { definitions, operations: declaredOperations } = published as unknown as {
  readonly definitions: Readonly<Record<string, FieldSchema>>;
  readonly operations: Readonly<Record<DescribedApi, Readonly<Record<string, Parts>>>>;
};

/** What a table of fields lacks of another: paths, and values of enumerations as `path=value`. */
export const lacking = (declared: FieldTable, own: FieldTable): readonly string[] => {
  const anything = [...own].flatMap(([path, values]) => (values.has(ANYTHING) ? [path] : []));
  const missing = [...declared.keys()].filter((path) => path !== '' && !own.has(path) && !isBelow(path, anything));
  const values = [...declared].flatMap(([path, wanted]) => {
    const known = own.get(path);
    if (!known || known.has(ANY_OF_TYPE) || known.has(ANYTHING)) return [];
    return [...wanted].filter((value) => typeof value !== 'symbol' && !known.has(value)).map((value) => `${path}=${String(value)}`);
  });
  // A missing field stands for all below it.
  return [...missing.filter((path) => !isBelow(path, missing)), ...values];
};

/** True if a path leads through one of the others; the values of a map, `tags.*`, stand for all its members. */
const isBelow = (path: string, others: readonly string[]): boolean =>
  others.some((other) => path.startsWith(`${other.replace(/\.\*$/, '')}.`) || path.startsWith(`${other}[`));

const differencesOf = (api: DescribedApi): readonly Difference[] => {
  const { operations, components } = describeOperations(Object.values(groups), [surfaces[api]]);
  const declared = declaredOperations[api];
  return operations.flatMap(({ operation: { operationId }, parameters, body, answer }) => {
    const parts = declared[operationId];
    if (!parts) return [];
    const own = Object.fromEntries(parameters.map(({ name, schema }) => [name.toLowerCase(), schema]));
    const wanted = Object.fromEntries(Object.entries(parts.parameters ?? {}).map(([name, schema]) => [name.toLowerCase(), schema]));
    const compare = (part: Difference['part'], theirs: FieldSchema = {}, ours: object = {}) =>
      lacking(fieldsOfSchema(theirs, definitions), fieldsOfSchema(ours, components)).map((lacks) => ({ api, operationId, part, lacks }));
    return [
      ...compare('parameter', { properties: wanted }, { properties: own }),
      ...compare('body', parts.body, body),
      ...compare('answer', parts.answer, answer),
    ];
  });
};

export const differences: readonly Difference[] = [...differencesOf('management'), ...differencesOf('client')];

interface Explanation {
  readonly why: string;
  readonly part: Difference['part'];
  /** Matches `lacks`, from its beginning to its end. */
  readonly lacks: RegExp;
  /** Of these operations alone. */
  readonly of?: readonly string[];
}

/** Why the controller leaves out what it leaves out. */
const explanations: readonly Explanation[] = [
  { part: 'answer', lacks: /.*_links\.\*\.(comment|method)/, why: 'links have only an address; servers in the field omit the others' },
  { part: 'answer', lacks: /meta\.(filterableFields|pagination)/, why: 'only lists have these' },
  { part: 'answer', lacks: /data|meta/, of: ['detailSpecBody'], why: 'the answer is the document itself' },
  {
    part: 'answer',
    lacks: /data\.(_links\.\*|tags|(apiSession|service)\.(_links|entity|id|name))/,
    of: ['createSession'],
    why: 'recorded servers answer a new session with its id, token, type and routers',
  },
  { part: 'answer', lacks: /data\.ca/, of: ['extendRouterEnrollment'], why: 'recorded servers omit it; the router has it' },
  { part: 'answer', lacks: /data\[\]\.openIdConfigurationUrl/, why: 'no server fills it' },
  {
    part: 'answer',
    lacks: /data(\[\])?\.(edgeRouters\[\]\.)?appData/,
    why: 'recorded servers omit it where an edge router is shown to its clients',
  },
  {
    part: 'answer',
    lacks: /data\[\]\.(identityRoles|postureCheckRoles)(Display)?|data\[\]\.type/,
    of: ['listEdgeRouterServiceEdgeRouterPolicies'],
    why: 'declared with the fields of service policies; the list has service edge router policies',
  },
  { part: 'answer', lacks: /.*\.promptGracePeriodSeconds/, why: 'recorded servers omit it' },
  { part: 'answer', lacks: /.*(policyType|sessionType|type)=Invalid/, why: 'no policy or session is of this type' },
  { part: 'body', lacks: /type=Invalid/, of: ['createSession'], why: 'no session is of this type' },
  {
    part: 'body',
    lacks: /(\[\]\.)?typeId=(MFA|PROCESS_MULTI)/,
    why: 'clients report processes one by one (`PROCESS`); the second factor is not reported, but proved',
  },
  { part: 'body', lacks: /clientCsr/, of: ['enrollOttCa'], why: 'the certificate is the one that the client presents' },
  { part: 'body', lacks: /encryptionRequired/, of: ['patchService'], why: 'recorded servers ignore it in a patch' },
  { part: 'parameter', lacks: /authorization/, why: 'OpenAPI describes this header as a security scheme' },
];

/** The explanation of a difference; undefined if none is given. */
export const explanationOf = ({ part, lacks, operationId }: Difference): Explanation | undefined =>
  explanations.find(
    (each) => each.part === part && each.lacks.exec(lacks)?.[0] === lacks && (each.of === undefined || each.of.includes(operationId)),
  );

/** The explanations that explain nothing. */
export const unusedExplanations = (): readonly Explanation[] => {
  const used = new Set(differences.map(explanationOf));
  return explanations.filter((each) => !used.has(each));
};
