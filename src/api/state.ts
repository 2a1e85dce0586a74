import * as z from 'zod';
import { accessReport } from './access-report.ts';
import { declaredKinds, OWNER_TAG, type SectionName, sectionNames } from './declared-kinds.ts';
import { data, group, list, mapOf, operation, string } from './kit/index.ts';
import { boolean, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** Maximum number of entities in one section of a document. */
export const MAX_DECLARED = 10_000;

/** Maximum number of fields that an entity in a document has: more than any kind has. */
const MAX_DECLARED_FIELDS = 100;

const ownerLabel = shortText.min(1).meta({
  description: `The owner label: who declares these entities. Those that applying a plan creates carry it in the tag \`${OWNER_TAG}\`.`,
});

const section = list(
  mapOf(z.unknown(), MAX_DECLARED_FIELDS).meta({
    description: 'An entity: its fields by name. It refers to other entities by their names.',
  }),
  MAX_DECLARED,
);

// Each section has the same schema.
const sections = Object.fromEntries(
  sectionNames.map((name) => [name, section.optional().meta({ description: declaredKinds[name].about })]),
) as Record<SectionName, z.ZodOptional<typeof section>>;

/** The configuration of a network, or a part of it, without ids and secrets. */
export const stateDocument = z.strictObject({ owner: ownerLabel.optional(), ...sections }).meta({
  id: 'StateDocument',
  description: 'The configuration of a network, or a part of it: entities by section, without ids and secrets.',
});
export type StateDocument = z.infer<typeof stateDocument>;

/** The value of a field before and after; missing if the entity does not have it. */
const changedField = z
  .object({
    /** The value before. */
    before: z.unknown().optional(),
    /** The value after. */
    after: z.unknown().optional(),
  })
  .meta({ id: 'PlannedFieldChange' });

const plannedChange = z
  .object({
    /** What happens to the entity. */
    action: z.enum(['create', 'update', 'delete']),
    /** The section of the entity. */
    section: z.enum(sectionNames),
    /** Name of the entity. */
    name: string,
    /** The fields that change, in the form of a document. */
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
    /** Its input. */
    input: mapOf(z.unknown(), 20).meta({ description: 'Its input. `$3.id` is the id of what the third operation creates.' }),
  })
  .meta({ id: 'PlannedOperation' });

export const statePlan = z
  .object({
    revision: z.int().min(0).meta({ description: 'The revision of the network that the plan is made for.' }),
    operations: list(plannedOperation, MAX_PLANNED).meta({ description: 'What applying the plan does, in this order.' }),
    /** What these operations change, entity by entity. */
    changes: z.array(plannedChange),
    access: accessReport.optional().meta({
      description:
        'Who would gain and who would lose what: the first page, which `access.preview` continues. Missing if it was not asked for, if there is nothing to do, and for a caller without the right to all operations.',
    }),
  })
  .meta({ id: 'StatePlan', description: 'The difference between a network and a document. Applying it removes the difference.' });
export type StatePlan = z.infer<typeof statePlan>;

/** What to plan. */
const planned = {
  /** What the network should have. Entities that it does not name stay as they are. */
  document: stateDocument,
  prune: boolean.optional().meta({
    description: 'True to delete the entities that carry the owner label of the document and are not in it. Default false.',
  }),
};

/** A plan, or a document. */
const applied = z
  .object({
    revision: statePlan.shape.revision.optional().meta({
      description: 'That of the plan. Applying is refused with 412 if the configuration has changed since. Needed with `operations`.',
    }),
    operations: statePlan.shape.operations.optional().meta({ description: 'Those of the plan.' }),
    document: stateDocument.optional().meta({ description: 'In place of a plan: the document, which is planned in the same transaction.' }),
    prune: planned.prune,
  })
  .meta({ id: 'ApplyState', description: 'A plan, as it was answered, or a document.' });

const appliedState = z
  .object({
    revision: z.int().meta({ description: 'The last revision of the network after the operations.' }),
    results: z
      .array(
        z
          .object({
            /** Name of the operation. */
            operation: string,
            id: string.optional().meta({ description: 'Id of the entity that it created or was about.' }),
          })
          .meta({ id: 'AppliedOperation', description: 'An operation that was carried out.' }),
      )
      .meta({ description: 'The operations that were carried out; none if the network was as it should be.' }),
  })
  .meta({ id: 'AppliedState', description: 'What applying a plan or a document did.' });

/** Answers name entities of all these kinds. */
const SHOWN = Object.values(declaredKinds).map(({ kind }) => kind);

export const state = group('state', 'Declared state', {
  export: operation('GET', '/state', {
    operationId: 'exportState',
    summary: 'Get the configuration of the network as a document, without ids and secrets, in a stable order',
    permission: 'state.read',
    grantable: 'onlyToAuditors',
    surfaces: [surfaces.extensions],
    shows: SHOWN,
    query: z.object({
      select: list(z.enum(sectionNames), sectionNames.length)
        .optional()
        .meta({ description: 'The sections; may be repeated. Default: all.' }),
      owner: shortText
        .min(1)
        .optional()
        .meta({ description: 'Only entities with this owner label, which they then do not show as a tag.' }),
    }),
    answer: data(stateDocument),
  }),
  plan: operation('POST', '/state/plan', {
    operationId: 'planState',
    summary: 'Compare the network with a document: which operations make it as the document says. Nothing is changed',
    permission: 'state.read',
    grantable: 'onlyToAuditors',
    surfaces: [surfaces.extensions],
    shows: SHOWN,
    body: {
      schema: z
        .object({
          ...planned,
          access: boolean.optional().meta({ description: 'False to leave out what the plan means for access. Default true.' }),
        })
        .meta({ id: 'PlanState', description: 'The document to compare the network with.' }),
      name: 'planState',
      isLarge: true,
    },
    answer: data(statePlan),
  }),
  apply: operation('POST', '/state/apply', {
    operationId: 'applyState',
    summary:
      'Carry out a plan, or make the network as a document says, in one transaction. The caller needs the right to each of the operations, too',
    permission: 'state.update',
    grantable: 'onlyToAuditors',
    isBatch: true,
    standalone: 'it is a transaction of its own',
    surfaces: [surfaces.extensions],
    shows: SHOWN,
    body: { schema: applied, name: 'applyState', isLarge: true },
    answer: data(appliedState),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'CONFLICT'],
  }),
});
