import { type Difference, namesIn, type Shapes } from './shapes.ts';

const HEADINGS = ['kind and type', 'reference', 'ours', 'fields only there', 'fields only here', 'types that differ'] as const;

/** A table with a row for each kind and type of event. */
export const tableOf = (reference: Shapes, ours: Shapes, differences: readonly Difference[]): string => {
  const rows = namesIn(reference, ours).map((of) => {
    const own = differences.filter((difference) => difference.of === of && difference.field !== '');
    const fields = (select: (difference: Difference) => boolean): string =>
      own
        .filter(select)
        .map(({ field }) => field)
        .join(' ');
    const types = own.filter((one) => one.reference && one.ours).map((one) => `${one.field} (${one.reference} → ${one.ours})`);
    const counts = [reference, ours].map((shapes) => String(shapes.get(of)?.count ?? '–'));
    return [of, ...counts, fields((one) => !one.ours), fields((one) => !one.reference), types.join(' ')];
  });
  return [HEADINGS, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
};
