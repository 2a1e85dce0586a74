import { journalEntry } from '../../contract/api/journal.ts';
import { and, equals, idAfter, stringField } from '../../query/index.ts';
import type { Job } from '../../store/jobs/background.ts';

const BATCH = 100;

/**
 * Ends the open entries of circuits of earlier processes of this controller that no longer exist. When they ended is unknown.
 * @param isOpen true for the entries of circuits that exist
 */
export const endOrphans = async ({ read, write, signal }: Job, controllerId: string, isOpen: (id: string) => boolean): Promise<void> => {
  const open = and(equals(stringField('outcome'), 'open'), equals(stringField('controllerId'), controllerId));
  for (let last: string | undefined; !signal.aborted; ) {
    const rows = await read((entities) =>
      entities.list(journalEntry, {
        where: and(open, idAfter(last)),
        sort: [{ field: stringField('id'), descending: false }],
        limit: BATCH,
      }),
    );
    const orphans = rows.filter(({ id }) => !isOpen(id));
    if (orphans.length > 0)
      await write(async (entities) => {
        for (const row of orphans) await entities.update(journalEntry, row, { outcome: 'ended' });
      });
    last = rows.at(-1)?.id;
    if (rows.length < BATCH) return;
  }
};
