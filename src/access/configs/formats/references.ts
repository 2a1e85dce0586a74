/** Formats of references: URIs (RFC 3986) and their templates (RFC 6570), UUIDs (RFC 9562), JSON pointers (RFC 6901) and relative ones. */
import { isIpv6 } from './addresses.ts';

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** An authority whose host is an address in brackets. Any other authority consists of characters that are also valid in a path. */
const LITERAL = /^\/?\/(?:(?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*@)?\[([^\]]*)\](?::\d*)?(?=[/?#]|$)/i;
/**
 * Path, query and fragment.
 * @param more characters allowed in all three
 */
const restOf = (more: string): RegExp => {
  const path = String.raw`(?:[\w.~!$&'()*+,;=:@/${more}-]|%[0-9a-f]{2})*`;
  const part = String.raw`(?:[\w.~!$&'()*+,;=:@/?${more}-]|%[0-9a-f]{2})*`;
  return new RegExp(String.raw`^${path}(?:\?${part})?(?:#${part})?$`, 'i');
};
const REST = restOf('');
/** RFC 3986 does not allow quotation marks, but they have always been accepted. */
const REST_OF_REFERENCE = restOf('"');
const FUTURE = /^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i;

/** Unlike in `isIpv4`, the bytes may have leading zeros. */
const isLiteralIpv4 = (text: string): boolean =>
  /^(?:\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split('.').every((byte) => Number(byte) < 256);

export const isUriReference = (text: string): boolean =>
  [text.replace(SCHEME, ''), text].some((rest) => isReference(rest, REST_OF_REFERENCE));

/** A URI has a scheme, and at least one character between the scheme and a query or fragment. */
export const isUri = (text: string): boolean => {
  const [scheme = ''] = SCHEME.exec(text) ?? [];
  const rest = text.slice(scheme.length);
  return scheme !== '' && /^[^?#]/.test(rest) && isReference(rest, REST);
};

/** Checks a reference without its scheme. */
const isReference = (text: string, expected: RegExp): boolean => {
  const [literal = '', host] = LITERAL.exec(text) ?? [];
  if (host !== undefined && !FUTURE.test(host) && !isIpv6(host, isLiteralIpv4)) return false;
  return expected.test(text.slice(literal.length));
};

const LITERALS = String.raw`[^\x00-\x20"'<>%\\^\x60{|}]|%[0-9a-f]{2}`;
const VARIABLE = String.raw`(?:\w|%[0-9a-f]{2})+(?::[1-9]\d{0,3}|\*)?`;
const TEMPLATE = new RegExp(String.raw`^(?:${LITERALS}|\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\})*$`, 'i');

export const isUriTemplate = (text: string): boolean => TEMPLATE.test(text);

const UUID = /^(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

export const isJsonPointer = (text: string): boolean => POINTER.test(text);

/** The number of levels up, then a pointer, or `#` for the name at that level. */
export const isRelativeJsonPointer = (text: string): boolean => {
  const [levels = ''] = /^(?:0|[1-9]\d*)/.exec(text) ?? [];
  const rest = text.slice(levels.length);
  return levels !== '' && (rest === '#' || isJsonPointer(rest));
};
