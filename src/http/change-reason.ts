import { invalidField } from '../errors/index.ts';
import { REASON } from '../wire/reason.ts';

/** The request header with the reason of a change. */
export const CHANGE_REASON = 'x-change-reason';

/** The reason in a header; undefined if there is none. @throws ApiError `COULD_NOT_VALIDATE` */
export const changeReason = (header: string | undefined): string | undefined => {
  const given = header?.trim();
  if (!given) return undefined;
  const reason = asUtf8(given);
  if (!REASON.test(reason))
    throw invalidField(CHANGE_REASON, `${CHANGE_REASON} must be 1 to 1,000 characters without control characters`, reason);
  return reason;
};

/** Headers are bytes, which hosts decode as Latin-1, and clients mean as UTF-8. */
const asUtf8 = (header: string): string => {
  const bytes = Uint8Array.from(header, (character) => character.charCodeAt(0));
  if (bytes.every((byte) => byte < 0x80) || [...header].some((character) => character > '\u00ff')) return header;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return header;
  }
};
