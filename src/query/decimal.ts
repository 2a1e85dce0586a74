/**
 * The text of a number in filters: plain decimal digits, never an exponent (`1000000000000000000000`, not `1e+21`).
 * Comparisons of numbers with text use this form.
 */
export const decimalText = (value: number): string => {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', first = '', rest = '', power = '0'] = match;
  const digits = first + rest;
  const point = 1 + Number(power);
  // JavaScript uses exponents only from 1e21 up and below 1e-6, where the decimal point lies outside the (at most 17) digits.
  return point > 0 ? `${sign}${digits.padEnd(point, '0')}` : `${sign}0.${'0'.repeat(-point)}${digits}`;
};
