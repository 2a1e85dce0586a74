import * as z from 'zod';
import { data, EMPTY, group, operation, readOnly, resource, string, textUpTo, timestamp } from './kit/index.ts';
import { boolean } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const finding = z
  .object({
    /** The inconsistency, and the affected entity. */
    description: string,
    /** True if the inconsistency was fixed. */
    fixed: boolean,
  })
  .meta({ id: 'IntegrityFinding', description: 'An inconsistency, and whether it was fixed.' });

export type Finding = z.infer<typeof finding>;

/** A task that only one controller of a network runs at a time. */
export const maintenanceTask = resource({
  kind: 'maintenanceTask',
  collection: 'maintenance-tasks',
  names: ['MaintenanceTask', 'MaintenanceTasks'],
  about:
    'A maintenance task runs on one controller of a network at a time, under the lease of the same name; its row contains the last result.',
  unrecorded: true,
  fields: {
    startedAt: readOnly(timestamp),
    /** Null during the run, or if the controller died before its end. */
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
    error: string.nullable().meta({ description: 'The reason why the run ended early; null if it was completed.' }),
    fixingErrors: boolean.meta({ description: 'True if the last run was a fix.' }),
    /** True during the run. */
    inProgress: boolean,
    results: z.array(finding).meta({ description: 'The findings; at most 1000.' }),
    /** When the run began; null if there was none. */
    startTime: timestamp.nullable(),
    tooManyErrors: boolean.meta({ description: 'True if there are more findings than `results` contains.' }),
  })
  .meta({ id: 'IntegrityState', description: 'The last run of a data integrity check or fix.' });

const snapshotState = z
  .object({
    /** When the snapshot was completed or failed; null while it is being taken. */
    endTime: timestamp.nullable(),
    error: string.nullable().meta({ description: 'The reason why the last snapshot was not stored.' }),
    /** True while the snapshot is being taken. */
    inProgress: boolean,
    /** When the snapshot was started; null if there was none. */
    startTime: timestamp.nullable(),
    name: string.nullable().meta({ description: 'Name of the last stored snapshot: the file is `NAME.ndjson` in `snapshotFolder`.' }),
    succeededAt: timestamp.nullable().meta({ description: 'Time of the last stored snapshot.' }),
  })
  .meta({ id: 'SnapshotState', description: 'The last snapshot of the database.' });

const start = {
  permission: 'database.update',
  acceptedPermissions: [],
  answer: EMPTY,
  status: 202,
  errors: ['RATE_LIMITED'],
  standalone: 'its work continues after its answer',
} as const;

const snapshotStart = {
  permission: 'database.update',
  acceptedPermissions: [],
  accepted: true,
  standalone: 'its work continues after its answer',
  errors: ['RATE_LIMITED', 'NOT_CONFIGURED'],
} as const;

/** Options of a snapshot. */
const snapshotRequest = z
  .object({
    /** Not used: the host of the controller decides where snapshots are stored, and the answer has the name. */
    path: textUpTo(4096).optional(),
  })
  .meta({ id: 'SnapshotRequest' });

/** A snapshot that was stored. */
const storedSnapshot = z
  .object({
    /** Name of the snapshot: the file is `NAME.ndjson` in `snapshotFolder`. Empty while the snapshot is being taken. */
    path: string,
  })
  .meta({ id: 'StoredSnapshot' });

export const database = group('database', 'Maintenance of the database', {
  checkIntegrity: operation('POST', '/database/check-data-integrity', {
    operationId: 'checkDataIntegrity',
    summary: 'Start a data integrity check; only one check or fix runs at a time',
    ...start,
  }),
  fixIntegrity: operation('POST', '/database/fix-data-integrity', {
    operationId: 'fixDataIntegrity',
    summary: 'Start a data integrity check that fixes inconsistencies; takes a snapshot first if snapshots are configured',
    ...start,
  }),
  getIntegrityResults: operation('GET', '/database/data-integrity-results', {
    operationId: 'dataIntegrityResults',
    presentOnly: true,
    summary: 'Get the findings of the last check or fix, even while it runs',
    permission: 'database.read',
    acceptedPermissions: [],
    answer: data(integrityState, { counts: 'results' }),
  }),
  createSnapshot: operation('POST', '/database/snapshot', {
    operationId: 'createDatabaseSnapshot',
    summary: 'Take a consistent snapshot of all data, at most once a minute',
    answer: EMPTY,
    ...snapshotStart,
  }),
  createSnapshotWithPath: operation('POST', '/database/snapshot', {
    operationId: 'createDatabaseSnapshotWithPath',
    summary: 'Take a consistent snapshot of all data, at most once a minute, and get its name',
    surfaces: [surfaces.fabric],
    body: { schema: snapshotRequest, name: 'snapshot' },
    answer: data(storedSnapshot),
    ...snapshotStart,
  }),
  getSnapshot: operation('GET', '/database/snapshot', {
    operationId: 'databaseSnapshotState',
    presentOnly: true,
    summary: 'Get the state of the last snapshot, even while it is being taken',
    permission: 'database.read',
    acceptedPermissions: [],
    surfaces: [surfaces.extensions],
    answer: data(snapshotState),
  }),
});
