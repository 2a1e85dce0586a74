const MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
/** As many nanoseconds as 64 bits hold: some 292 years. ms */
const LONGEST = 9_223_372_036_854;

/**
 * A duration such as `1h30m`, `-1.5s` or `0`: a sign, then numbers with units, or `0` alone.
 * @returns milliseconds; undefined when it is none, or longer than 292 years
 */
export const parseDuration = (text: string): number | undefined => {
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
  let sum = 0;
  let end = 0;
  for (let match = part.exec(unsigned); match; match = part.exec(unsigned)) {
    sum += Number(match[1]) * (MS[match[2] ?? ''] ?? Number.NaN);
    end = part.lastIndex;
  }
  if (end === 0 || end < unsigned.length || sum > LONGEST) return undefined;
  return text.startsWith('-') ? -sum : sum;
};
