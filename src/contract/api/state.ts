import * as z from 'zod';
import { LINES_TYPE } from '../wire/media-types.ts';
import { accessReport } from './access-report.ts';
import { declaredKinds, OWNER_TAG, type SectionName, sectionNames } from './declared-kinds.ts';
import { data, group, list, mapOf, operation, queryFlag, string, textUpTo } from './kit/index.ts';
import { AUDITOR } from './permissions.ts';
import { boolean, PRINTABLE, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** Maximum number of entities in one section of a document. */
export const MAX_DECLARED = 10_000;

/** Maximum number of fields of an entity in a document, which is more than any kind has. */
export const MAX_DECLARED_FIELDS = 100;

/** Maximum number of characters of a document in lines. */
const MAX_LINES_CHARACTERS = 64 * 2 ** 20;

/** Filters, by which entities with a label are found, have no control characters. */
const label = shortText.min(1).regex(PRINTABLE, 'must not contain control characters');

const ownerLabel = label.meta({
  description: `The owner label, which identifies who declares these entities. Entities created by a plan have it in the tag \`${OWNER_TAG}\`.`,
});

const section = list(
  mapOf(z.unknown(), MAX_DECLARED_FIELDS).meta({
    description: 'The fields of an entity, by name. They refer to other entities by name.',
  }),
  MAX_DECLARED,
);

// Each section has the same schema.
const sections = Object.fromEntries(
  sectionNames.map((name) => [name, section.optional().meta({ description: declaredKinds[name].about })]),
) as Record<SectionName, z.ZodOptional<typeof section>>;

export const stateDocument = z.strictObject({ owner: ownerLabel.optional(), ...sections }).meta({
  id: 'StateDocument',
  description: 'The configuration of a network, or a part of it: entities by section, without ids or secrets.',
});
export type StateDocument = z.infer<typeof stateDocument>;

/** The value of a field before and after the change; missing if the field is not set. */
const changedField = z
  .object({
    /** The value before the change. */
    before: z.unknown().optional(),
    /** The value after the change. */
    after: z.unknown().optional(),
  })
  .meta({ id: 'PlannedFieldChange' });

const plannedChange = z
  .object({
    /** The kind of change. */
    action: z.enum(['create', 'update', 'delete']),
    /** The section of the entity. */
    section: z.enum(sectionNames),
    /** Name of the entity. */
    name: string,
    /** The changed fields, in the format of a document. */
    fields: z.record(string, changedField),
  })
  .meta({ id: 'PlannedChange', description: 'An entity that a plan changes.' });

/** Maximum number of operations of one plan. */
export const MAX_PLANNED = 20_000;

/** An operation of the API, with its input. */
const plannedOperation = z
  .object({
    /** Name of the operation: `services.create`. */
    operation: shortText,
    input: mapOf(z.unknown(), 20).meta({
      description: 'The input of the operation. `$3.id` is replaced by the id of the entity that the third operation creates.',
    }),
  })
  .meta({ id: 'PlannedOperation' });

export const statePlan = z
  .object({
    revision: z.int().min(0).meta({ description: 'The revision of the network for which the plan was computed.' }),
    operations: list(plannedOperation, MAX_PLANNED).meta({ description: 'The operations of the plan, in the order of execution.' }),
    /** The effect of these operations, entity by entity. */
    changes: z.array(plannedChange),
    access: accessReport.optional().meta({
      description:
        'The first page of the effect on access, which `access.preview` continues. Missing if it was not requested, if the plan is empty, or if the caller lacks the right to one of the operations.',
    }),
  })
  .meta({ id: 'StatePlan', description: 'The difference between a network and a document. Applying it removes the difference.' });
export type StatePlan = z.infer<typeof statePlan>;

/** The input of a plan. */
const planInput = {
  /** The desired configuration. Entities that are not in the document remain unchanged. */
  document: stateDocument,
  prune: boolean.optional().meta({
    description: 'True to delete the entities that have the owner label of the document and are not in the document. Default: false.',
  }),
};

/** The body of `state.apply`: a plan, or a document to plan and apply. */
const applyInput = z
  .object({
    revision: statePlan.shape.revision.optional().meta({
      description:
        'The revision of the plan, required with `operations`. The request fails with 412 if the configuration has changed since then.',
    }),
    operations: statePlan.shape.operations.optional().meta({ description: 'The operations of the plan.' }),
    document: stateDocument
      .optional()
      .meta({ description: 'Instead of a plan: the document, for which a plan is computed and applied in one transaction.' }),
    prune: planInput.prune,
  })
  .meta({ id: 'ApplyState', description: 'A plan or a document to apply.' });

const appliedState = z
  .object({
    revision: z.int().meta({ description: 'The last revision of the network after the operations.' }),
    results: z
      .array(
        z
          .object({
            /** Name of the operation. */
            operation: string,
            id: string.optional().meta({ description: 'Id of the entity that the operation created or changed.' }),
          })
          .meta({ id: 'AppliedOperation', description: 'An operation that was applied.' }),
      )
      .meta({ description: 'The operations that were applied; empty if the network already matched.' }),
  })
  .meta({ id: 'AppliedState', description: 'The result of applying a plan or a document.' });

const documentInLines = textUpTo(MAX_LINES_CHARACTERS).meta({
  id: 'StateLines',
  description:
    'A document in lines (NDJSON): an entity per line, as an object whose only key is its section: `{"services":{"name":"wiki","encryptionRequired":true}}`. Lines may be in any order, and refer to later ones. Blank lines are skipped.',
});

/** The query of a plan of a document in lines. */
const linesQuery = z.object({
  owner: label.optional().meta({ description: ownerLabel.description }),
  prune: queryFlag.optional().meta({
    override: { type: 'boolean' },
    description: 'True to delete the entities that have the owner label and are not in the document. Requires `owner`. Default: false.',
  }),
});

/** Selects entities for a document. */
const exportQuery = z.object({
  select: list(z.enum(sectionNames), sectionNames.length)
    .optional()
    .meta({ description: 'The sections to include; may be repeated. Default: all.' }),
  owner: label.optional().meta({ description: 'Only entities with this owner label; the tag with the label is then omitted.' }),
});

/** The kinds of entities that answers contain. The sessions are those that a plan ends. */
const SHOWN = [...Object.values(declaredKinds).map(({ kind }) => kind), 'session'];

/** The rights of exports and plans. */
const reading = {
  permission: 'state.read',
  acceptedPermissions: [AUDITOR],
  surfaces: [surfaces.extensions],
  shows: SHOWN,
} as const;
/** The rights of applying a plan, which needs those to its operations, too. */
const applying = {
  ...reading,
  permission: 'state.update',
  isBatch: true,
  standalone: 'it runs in a transaction of its own',
} as const;

export const state = group('state', 'Declared state', {
  export: operation('GET', '/state', {
    operationId: 'exportState',
    summary: 'Get the configuration of the network as a document, without ids or secrets, in a stable order',
    ...reading,
    query: exportQuery,
    answer: data(stateDocument),
  }),
  plan: operation('POST', '/state/plan', {
    operationId: 'planState',
    summary: 'Compare the network with a document, and compute the operations that make it match; nothing is changed',
    ...reading,
    body: {
      schema: z
        .object({
          ...planInput,
          access: boolean.optional().meta({ description: 'False to omit the effect of the plan on access. Default: true.' }),
        })
        .meta({ id: 'PlanState', description: 'The document to compare the network with.' }),
      name: 'planState',
      isLarge: true,
    },
    answer: data(statePlan),
  }),
  apply: operation('POST', '/state/apply', {
    operationId: 'applyState',
    summary: 'Apply a plan or a document to the network in one transaction. The caller also needs the rights to its operations',
    ...applying,
    body: { schema: applyInput, name: 'applyState', isLarge: true },
    answer: data(appliedState),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'CONFLICT'],
  }),
  exportLines: operation('GET', '/state/lines', {
    operationId: 'exportStateLines',
    summary: 'Get the configuration of the network as a document in lines: of any size, as of the revision at the start, in a stable order',
    ...reading,
    query: exportQuery,
    answer: { is: 'response', contentTypes: [LINES_TYPE], hasEnd: true },
  }),
  planLines: operation('POST', '/state/lines/plan', {
    operationId: 'planStateLines',
    summary: 'Compare the network with a document in lines, and compute the operations that make it match; nothing is changed',
    ...reading,
    query: linesQuery.extend({
      access: queryFlag.optional().meta({
        override: { type: 'boolean' },
        description: 'False to omit the effect of the plan on access. Default: true.',
      }),
    }),
    body: { schema: documentInLines, name: 'document', media: [LINES_TYPE], isLarge: true },
    answer: data(statePlan),
  }),
  applyLines: operation('POST', '/state/lines/apply', {
    operationId: 'applyStateLines',
    summary: 'Plan a document in lines and apply the plan, in one transaction. The caller also needs the rights to its operations',
    ...applying,
    query: linesQuery,
    body: { schema: documentInLines, name: 'document', media: [LINES_TYPE], isLarge: true },
    answer: data(appliedState),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'CONFLICT'],
  }),
});
