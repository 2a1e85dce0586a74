import { type EntityList, orderOf } from '../entity-list.ts';
import { MAX_EXPORT, textOfFile } from '../export.ts';
import type { KindView } from '../kinds.ts';
import { readMatching } from '../matching.ts';
import { SaveButtons } from './save-buttons.tsx';

/** Saves all entities of a list that match its filter as a file. */
export const ExportButtons = ({ kind, list }: { readonly kind: KindView; readonly list: EntityList }) => {
  const { filter, sort, page } = list;
  return (
    <SaveButtons
      formats={['csv', 'json']}
      name={kind.label}
      read={async (format, report, signal) => {
        const entities = await readMatching(kind, { filter, sort: orderOf(sort) }, MAX_EXPORT, report, signal);
        return { text: textOfFile(format, entities), count: entities.length, totalCount: page.pagination.totalCount };
      }}
    />
  );
};
