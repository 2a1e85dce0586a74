import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Tank } from './limits.ts';

/** RFC 3986 knows no limit; 2,048 is what browsers and servers agree on for addresses, and everything else is far shorter. */
const MAX_LENGTH = 2048;

const CHECKED = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uri-template',
  'uuid',
  'json-pointer',
  'relative-json-pointer',
] as const;

/**
 * The formats that are checked; any other is a note to the reader.
 * `idn-hostname` takes every text: the built-in config types say it of host names, IP addresses, ranges (`10.0.0.0/8`), wildcards
 * (`*.example`) and templates (`$dst_ip`) alike.
 */
export const createFormats = (tank: Tank): Readonly<Record<string, (text: string) => boolean>> => {
  const checked = CHECKED.map((name) => {
    const format = fullFormats[name];
    const test = (text: string): boolean => {
      if (text.length > MAX_LENGTH) return false;
      // Some of these expressions take time with the square of the length.
      tank.burn(text.length + ((text.length * text.length) >> 6));
      if (format instanceof RegExp) return format.test(text);
      const check = typeof format === 'object' && 'validate' in format ? format.validate : format;
      return typeof check === 'function'
        ? Boolean((check as (text: string) => unknown)(text))
        : check instanceof RegExp
          ? check.test(text)
          : true; // formats of the list above are of texts
    };
    return [name, test] as const;
  });
  return { ...Object.fromEntries(checked), 'idn-hostname': () => true };
};
