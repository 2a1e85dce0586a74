import * as z from 'zod';
import { readOnly } from './kit/field.ts';
import { resource } from './kit/resource.ts';

/** How far a consumer has come in the change log. The id is the name of the consumer. */
export const cursor = resource({
  kind: 'cursor',
  collection: 'cursors',
  names: ['Cursor', 'Cursors'],
  about:
    'A cursor says how far a consumer of the change log has come, so that it goes on from there after a restart, on whichever controller.',
  unrecorded: true,
  fields: {
    /** Of the last change that the consumer has dealt with; 0 before the first. */
    revision: readOnly(z.int(), { keep: 'hidden', default: 0 }),
  },
});
