import * as z from 'zod';
import { text } from './kit/entity.ts';
import { readOnly } from './kit/field.ts';
import { resource } from './kit/resource.ts';
import { jsonMap } from './shared.ts';

/** One write of one entity: the row of the change log, written in the same transaction. Its id is the revision, so that order by id is order in time. */
export const change = resource({
  kind: 'change',
  collection: 'changes',
  names: ['Change', 'Changes'],
  about: 'A change record tells who wrote which entity when, with its state before and after.',
  fields: {
    revision: readOnly(z.int(), { filter: true }),
    action: readOnly(z.enum(['create', 'update', 'delete']), { filter: true }),
    entity: readOnly(text, { filter: true }),
    entityId: readOnly(text, { filter: true, index: true }),
    /** Id of the identity, or `system`. */
    actor: readOnly(text, { filter: true }),
    requestId: readOnly(text, { filter: true }),
    before: readOnly(jsonMap),
    after: readOnly(jsonMap),
    /** How far the log reaches, see `changes/log.ts`. */
    endsAt: readOnly(z.number(), { keep: 'hidden' }),
    oldest: readOnly(z.int(), { keep: 'hidden' }),
    oldestBeginsAt: readOnly(z.number(), { keep: 'hidden' }),
  },
});
