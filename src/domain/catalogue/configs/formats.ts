import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Tank } from './limits.ts';

/**
 * The formats that are checked; any other is a note to the reader. So is `idn-hostname`: the built-in config types say it of host names,
 * IP addresses, ranges (`10.0.0.0/8`), wildcards (`*.example`) and templates (`$dst_ip`) alike.
 */
const CHECKED = [
  ...(['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'] as const),
  ...(['uri', 'uri-reference', 'uri-template', 'json-pointer', 'relative-json-pointer'] as const),
];
export const CHECKED_FORMATS: ReadonlySet<string> = new Set(CHECKED);

/** RFC 3986 knows no limit; 2,048 is what browsers and servers agree on for addresses, and everything else is far shorter. */
const MAX_LENGTH = 2048;

type Test = (text: string) => boolean;

/** The checked formats, by name. */
export const createFormats = (tank: Tank): Readonly<Record<string, Test>> =>
  Object.fromEntries(CHECKED.map((name) => [name, bounded(testOf(fullFormats[name]), tank)]));

/** Some of the expressions take time with the square of the length. */
const bounded =
  (test: Test, tank: Tank): Test =>
  (text) => {
    if (text.length > MAX_LENGTH) return false;
    tank.burn(text.length + ((text.length * text.length) >> 6));
    return test(text);
  };

const testOf = (format: unknown): Test => {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return format as Test; // those of the list are functions of a text
  if (typeof format === 'object' && format !== null && 'validate' in format) return testOf(format.validate);
  throw new TypeError('ajv-formats has a format of an unknown kind');
};
