import { useEffect, useRef, useState } from 'preact/hooks';
import { download } from '../download.ts';
import { type Format, MEDIA_TYPES } from '../export.ts';
import { texts } from '../texts.ts';
import { Problem } from './problem.tsx';

const t = texts.exporting;

/** The contents of a file, with the number of its entities and that of all that match. */
interface Contents {
  readonly text: string;
  readonly count: number;
  readonly totalCount: number;
}

interface Props {
  readonly formats: readonly Format[];
  /** The name of the file, without its extension. */
  readonly name: string;
  read(format: Format, report: (count: number, total: number) => void, signal: AbortSignal): Promise<Contents>;
}

/** Buttons that read entities and save them as a file. */
export const SaveButtons = ({ formats, name, read }: Props) => {
  const [said, setSaid] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const aborter = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);
  const save = async (format: Format): Promise<void> => {
    aborter.current = new AbortController();
    setError(undefined);
    setBusy(true);
    try {
      const report = (count: number, total: number): void => setSaid(t.reading(count, total));
      const { text, count, totalCount } = await read(format, report, aborter.current.signal);
      download(`${name}.${format}`, MEDIA_TYPES[format], text);
      setSaid(count < totalCount ? t.partial(count, totalCount) : t.done(count));
    } catch (failure) {
      setSaid('');
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <>
      {formats.map((format) => (
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
