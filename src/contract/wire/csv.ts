/** Lines of CSV (RFC 4180) that spreadsheets do not calculate. */

/**
 * Where spreadsheets may see the beginning of a formula. Where the decimal sign is a comma, they divide files at semicolons, and see quotes
 * as a part of the text: then a cell begins behind each semicolon and each end of a line.
 */
const FORMULA = /(^|[;\t\r\n])(?=[ "]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;

/** A value as the text of a cell: references by name, lists with semicolons, other parts as JSON. */
const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join('; ');
  if (typeof value !== 'object') return String(value);
  const { id, name } = value as { readonly id?: unknown; readonly name?: unknown }; // a reference has both
  return typeof id === 'string' && typeof name === 'string' ? name : JSON.stringify(value);
};

const cell = (value: unknown): string => {
  const text = cellText(value);
  const harmless = typeof value === 'number' ? text : text.replaceAll(FORMULA, "$1'");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

/** A line with its end. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`;
