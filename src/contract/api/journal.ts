import * as z from 'zod';
import { CSV_TYPE, LINES_TYPE } from '../wire/media-types.ts';
import { group, listQuery, operation, page, readOnly, resource, string, timestamp } from './kit/index.ts';
import { dateTime } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** A circuit: `open` until it has ended. `failed`: a dial that led to no circuit. */
const OUTCOMES = ['open', 'ended', 'failed'] as const;

const namedPolicy = z.object({ id: string, name: string }).readonly();

/**
 * One circuit, or the failed dials of one client to one service with the same cause within seconds. Its id begins with the time, so that
 * ordering by id is chronological.
 */
export const journalEntry = resource({
  kind: 'journalEntry',
  collection: 'journal',
  names: ['JournalEntry', 'JournalEntries'],
  nouns: ['entry of the journal', 'entries of the journal'],
  about: 'A journal entry states who used which service when, by which policy, over which routers, and how much; or why a dial failed.',
  unrecorded: true,
  fields: {
    outcome: readOnly(z.enum(OUTCOMES), { filter: true, default: 'open' }),
    begin: readOnly(timestamp, { filter: true, default: '' }),
    /** Null while the circuit is open. */
    end: readOnly(timestamp.nullable(), { filter: true }),
    circuitId: readOnly(string, { filter: true, default: '' }),
    identityId: readOnly(string, { filter: true, index: true, default: '' }),
    /** The name at that time; empty if the identity was deleted before it was read. The same holds for the service and the policies. */
    identityName: readOnly(string, { filter: true, default: '' }),
    serviceId: readOnly(string, { filter: true, index: true, default: '' }),
    serviceName: readOnly(string, { filter: true, default: '' }),
    /** The router of the client. */
    routerId: readOnly(string, { filter: true, default: '' }),
    /** Ids of all routers that the circuit has led over, that of the client first. */
    routers: readOnly(z.array(string).readonly(), { default: [] }),
    /** The policies that allowed the dial. */
    policies: readOnly(z.array(namedPolicy).readonly(), { default: [] }),
    /** Bytes from the client, and to it. */
    bytesSent: readOnly(z.int(), { filter: true, default: 0 }),
    bytesReceived: readOnly(z.int(), { filter: true, default: 0 }),
    /** Number of dials: more than one only for failed ones. */
    dials: readOnly(z.int(), { filter: true, default: 1 }),
    /** Why the dial failed, as events name it; null if it did not. */
    cause: readOnly(string.nullable(), { filter: true }),
    /** The same in words. */
    reason: readOnly(string.nullable()),
    /** The controller that set up the circuit. */
    controllerId: readOnly(string, { filter: true, default: '' }),
  },
});

/** An entity as it was called at the time of use. */
export const namedEntity = z
  .object({
    /** Id of the entity, which may have been deleted since. */
    id: string,
    name: string.meta({ description: 'Name of the entity; empty if it is unknown.' }),
  })
  .meta({ id: 'NamedEntity' });

/** An entry, as it is shown. */
export const shownJournalEntry = z
  .object({
    /** Id of the entry, which begins with its time. */
    id: string,
    outcome: z.enum(OUTCOMES).meta({ description: '`open` until the circuit has ended; `failed` for a dial that led to no circuit.' }),
    /** When the circuit began, or the first of the dials failed. */
    begin: timestamp,
    end: timestamp.nullable().meta({ description: 'When the circuit ended; null while it is open, or if this is unknown.' }),
    /** Id of the circuit. */
    circuitId: string,
    identity: namedEntity.meta({ description: 'Who dialed, named as at that time.' }),
    service: namedEntity.meta({ description: 'The service that was dialed, named as at that time.' }),
    policies: z
      .array(namedEntity)
      .meta({ description: 'The service policies that allowed it, without those that the caller may not see.' }),
    routers: z.array(namedEntity).meta({
      description: 'All routers of the circuit, that of the client first, named as now; without those that the caller may not see.',
    }),
    bytesSent: z.int().meta({ description: 'Bytes from the client.' }),
    bytesReceived: z.int().meta({ description: 'Bytes to the client.' }),
    dials: z.int().meta({ description: 'Number of dials: more than one if several failed alike.' }),
    cause: string.nullable().meta({ description: 'Why the dial failed, as network events name it; null if it did not fail.' }),
    reason: string.nullable().meta({ description: 'The cause in words.' }),
    /** The controller that set up the circuit. */
    controllerId: string,
  })
  .meta({ id: 'JournalEntry' });

/** The times between which something is asked for. */
export const between = {
  from: dateTime.optional().meta({ description: 'Only what began at or after this time (RFC 3339).' }),
  to: dateTime.optional().meta({ description: 'Only what began before this time (RFC 3339).' }),
};

/** The formats of an export. */
export const exportFormat = z
  .enum(['lines', 'csv'])
  .optional()
  .meta({ description: '`lines` (default): one JSON object per line; `csv`: for spreadsheets.' });

export const EXPORTED = { is: 'response', contentTypes: [LINES_TYPE, CSV_TYPE] } as const;

const { filter } = listQuery.shape;
const common = {
  permission: 'ops.read',
  shows: ['identity', 'service', 'servicePolicy', 'router'],
  surfaces: [surfaces.extensions],
} as const;

export const journal = group('journal', 'Journal', {
  list: operation('GET', '/journal', {
    operationId: 'listJournal',
    summary: 'List circuits and failed dials, newest first: who used which service, when, by which policy, over which routers and how much',
    query: listQuery.extend(between),
    answer: page(shownJournalEntry),
    ...common,
  }),
  export: operation('GET', '/journal/export', {
    operationId: 'exportJournal',
    summary: 'Export the matching circuits and failed dials, oldest first',
    query: z.object({ filter, ...between, format: exportFormat }),
    answer: EXPORTED,
    errors: ['INVALID_FILTER', 'INVALID_SORT_IDENTIFIER'],
    ...common,
  }),
});
