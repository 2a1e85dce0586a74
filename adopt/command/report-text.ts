import { printable } from '../../server/failure.ts';
import type { AdoptedKind, AdoptionRefused, AdoptionReport, Loss } from '../index.ts';

/** Entities of a loss that are shown. */
const SHOWN = 20;

/** A report for operators: a line per kind, then losses by name and entity, ends of certificates, and refusals. */
export const reportText = (report: AdoptionReport): string =>
  [
    `schema version ${report.schemaVersion}`,
    ...report.kinds.map(kindLine),
    administratorsLine(report),
    ...report.losses.flatMap(lossLines),
    ...report.certificates.map(
      ({ role, subject, endsAt }) => `certificate of the ${role} ${printable(subject)}: valid until ${endsAt.toISOString()}`,
    ),
    ...(report.enrollmentsUntil ? [`the last outstanding enrollment ends on ${report.enrollmentsUntil.toISOString()}`] : []),
    ...report.refusals.map((reason) => `REFUSED: ${printable(reason)}`),
  ].join('\n');

/** Why a network is not adopted: its report, if there is one. */
export const refusalText = ({ report, message }: AdoptionRefused): string => (report ? reportText(report) : printable(message));

const administratorsLine = ({ administratorCount: count, administrators }: AdoptionReport): string => {
  const names = administrators.map(({ id, name, isDefaultAdmin }) => `${named({ id, name })}${isDefaultAdmin ? ', the default one' : ''}`);
  const more = count > names.length ? [`and ${count - names.length} more`] : [];
  return `administrators (${count}): ${[...names, ...more].join('; ') || 'none'}`;
};

const kindLine = ({ kind, read, adopted, changed, leftOut }: AdoptedKind): string => {
  const more = [...countsOf('changed', changed), ...countsOf('left out', leftOut)];
  return `${kind}: ${read} read, ${adopted} adopted${more.length > 0 ? `, ${more.join(', ')}` : ''}`;
};

const named = ({ id, name }: { readonly id: string; readonly name: string }): string =>
  `${printable(name.slice(0, 200))} (${printable(id.slice(0, 200))})`;

const countsOf = (what: string, counts: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(counts).map(([why, count]) => `${count} ${what} (${why})`);

const lossLines = ({ name, about, isAllowed, count, entities }: Loss): readonly string[] => [
  `LOSS ${name} (${count}, ${isAllowed ? 'allowed' : `not allowed without --allow ${name}`}): ${about}`,
  ...entities.slice(0, SHOWN).map((one) => `  ${one.kind} ${named(one)}: ${printable(one.detail.slice(0, 300))}`),
  ...(count > SHOWN ? [`  ... and ${count - Math.min(SHOWN, entities.length)} more`] : []),
];
