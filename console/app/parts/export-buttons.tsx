import { useEffect, useRef, useState } from 'preact/hooks';
import { download } from '../download.ts';
import { type EntityList, orderOf } from '../entity-list.ts';
import { type Format, MAX_EXPORT, MEDIA_TYPES, textOfFile } from '../export.ts';
import type { KindView } from '../kinds.ts';
import { readMatching } from '../matching.ts';
import { texts } from '../texts.ts';
import { Problem } from './problem.tsx';

const t = texts.exporting;

/** Saves all entities of a list that match its filter as a file. */
export const ExportButtons = ({ kind, list }: { readonly kind: KindView; readonly list: EntityList }) => {
  const [said, setSaid] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const aborter = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);
  const { filter, sort, page } = list;
  const { totalCount } = page.pagination;
  const save = async (format: Format): Promise<void> => {
    aborter.current = new AbortController();
    setError(undefined);
    setBusy(true);
    try {
      const tell = (count: number, total: number): void => setSaid(t.reading(count, total));
      const entities = await readMatching(kind, { filter, sort: orderOf(sort) }, MAX_EXPORT, tell, aborter.current.signal);
      download(`${kind.label}.${format}`, MEDIA_TYPES[format], textOfFile(format, entities));
      setSaid(entities.length < totalCount ? t.partial(entities.length, totalCount) : t.done(entities.length));
    } catch (failure) {
      setSaid('');
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <>
      {(['csv', 'json'] as const).map((format) => (
        <button key={format} type="button" disabled={isBusy} onClick={() => void save(format)}>
          {t.as[format]}
        </button>
      ))}
      <span class="muted small" role="status">
        {said}
      </span>
      {error !== undefined && <Problem error={error} />}
    </>
  );
};
