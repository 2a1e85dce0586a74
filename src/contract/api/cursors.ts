import * as z from 'zod';
import { readOnly, resource } from './kit/index.ts';

/** The position of a consumer in the change log. The id is the name of the consumer. */
export const cursor = resource({
  kind: 'cursor',
  collection: 'cursors',
  names: ['Cursor', 'Cursors'],
  about: 'A cursor records how far a consumer has read the change log, so that it resumes from there after a restart, on any controller.',
  unrecorded: true,
  fields: {
    /** The revision of the last change that the consumer has handled; 0 before the first. */
    revision: readOnly(z.int(), { keep: 'hidden', default: 0 }),
  },
});
