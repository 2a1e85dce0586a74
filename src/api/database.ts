import * as z from 'zod';
import { data, EMPTY, group, operation, readOnly, resource, string, timestamp } from './kit/index.ts';
import { boolean } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const finding = z
  .object({
    /** The inconsistency and the entity that has it. */
    description: string,
    /** True if the inconsistency was fixed. */
    fixed: boolean,
  })
  .meta({ id: 'IntegrityFinding', description: 'Something that is wrong, and whether it has been made right.' });

export type Finding = z.infer<typeof finding>;

/** Work that only one of a network's controllers does at a time. */
export const maintenanceTask = resource({
  kind: 'maintenanceTask',
  collection: 'maintenance-tasks',
  names: ['MaintenanceTask', 'MaintenanceTasks'],
  about:
    'A maintenance task runs on one controller of a network at a time, under the lease of the same name; its row holds the last result.',
  unrecorded: true,
  fields: {
    startedAt: readOnly(timestamp),
    /** Null during the run, and if the controller died during it. */
    endedAt: readOnly(timestamp),
    /** When it last succeeded. */
    succeededAt: readOnly(timestamp),
    error: readOnly(string),
    /** The name of the last saved snapshot. */
    snapshotName: readOnly(string),
    isFix: readOnly(boolean, { default: false }),
    tooManyFindings: readOnly(boolean, { default: false }),
    findings: readOnly(z.array(finding), { default: [] }),
  },
});

const integrityState = z
  .object({
    /** When the run ended; null while it runs. */
    endTime: timestamp.nullable(),
    error: string.nullable().meta({ description: 'Why the run ended before everything was examined.' }),
    fixingErrors: boolean.meta({ description: 'Whether the last run is one that fixes.' }),
    /** True during the run. */
    inProgress: boolean,
    results: z.array(finding).meta({ description: 'At most 1000.' }),
    /** When the run began; null if there was none. */
    startTime: timestamp.nullable(),
    tooManyErrors: boolean.meta({ description: 'Whether there is more than `results` holds.' }),
  })
  .meta({ id: 'IntegrityState', description: 'The last run of a data integrity check or fix.' });

const snapshotState = z
  .object({
    /** When it ended; null while it is being taken. */
    endTime: timestamp.nullable(),
    error: string.nullable().meta({ description: 'Why the last snapshot was not kept.' }),
    /** True while it is being taken. */
    inProgress: boolean,
    /** When it began; null if there was none. */
    startTime: timestamp.nullable(),
    name: string.nullable().meta({ description: 'Of the last snapshot that was kept: `snapshotFolder` stores it as `NAME.ndjson`.' }),
    succeededAt: timestamp.nullable().meta({ description: 'When a snapshot was last kept.' }),
  })
  .meta({ id: 'SnapshotState', description: 'The last snapshot of the database.' });

const start = {
  permission: 'database.update',
  grantable: false,
  answer: EMPTY,
  status: 202,
  errors: ['RATE_LIMITED'],
  standalone: 'its work continues after its answer',
} as const;

export const database = group('database', 'Maintenance of the database', {
  checkIntegrity: operation('POST', '/database/check-data-integrity', {
    operationId: 'checkDataIntegrity',
    summary: 'Start to check data integrity; one check or fix runs at a time',
    ...start,
  }),
  fixIntegrity: operation('POST', '/database/fix-data-integrity', {
    operationId: 'fixDataIntegrity',
    summary: 'Start to check data integrity and fix inconsistencies; takes a snapshot first if snapshots are configured',
    ...start,
  }),
  getIntegrityResults: operation('GET', '/database/data-integrity-results', {
    operationId: 'dataIntegrityResults',
    presentOnly: true,
    summary: 'The findings of the last check or fix, even while it runs',
    permission: 'database.read',
    grantable: false,
    answer: data(integrityState, { counts: 'results' }),
  }),
  createSnapshot: operation('POST', '/database/snapshot', {
    operationId: 'createDatabaseSnapshot',
    summary: 'Take a consistent snapshot of all data, at most once a minute',
    permission: 'database.update',
    grantable: false,
    answer: EMPTY,
    accepted: true,
    standalone: 'its work continues after its answer',
    errors: ['RATE_LIMITED', 'NOT_CONFIGURED'],
  }),
  getSnapshot: operation('GET', '/database/snapshot', {
    operationId: 'databaseSnapshotState',
    presentOnly: true,
    summary: 'The state of the last snapshot, even while it is being taken',
    permission: 'database.read',
    grantable: false,
    surfaces: [surfaces.extensions],
    answer: data(snapshotState),
  }),
});
