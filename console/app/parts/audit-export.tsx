import { MAX_EXPORT } from '../export.ts';
import { readFirst } from '../list-page.ts';
import { client } from '../session.ts';
import { texts } from '../texts.ts';
import { SaveButtons } from './save-buttons.tsx';

/** Saves the records that match the filters of the audit, the newest first, as a file. */
export const AuditExport = ({ filters }: { readonly filters: Readonly<Record<string, string>> }) => (
  <SaveButtons
    formats={['json']}
    name={texts.audit.title}
    read={async (_format, report, signal) => {
      const { data, totalCount } = await readFirst(
        MAX_EXPORT,
        async (range) => {
          const page = await client.audit.list({ ...filters, ...range }, { signal });
          return { ...page, data: page.data.map((record) => ({ id: String(record.revision), record })) };
        },
        report,
      );
      const records = data.map(({ record }) => record);
      return { text: `${JSON.stringify(records, null, 2)}\n`, count: records.length, totalCount };
    }}
  />
);
