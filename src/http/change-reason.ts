import { invalidField } from '../contract/errors/index.ts';
import { CHANGE_REASON, REASON } from '../contract/wire/change-reason.ts';

/**
 * The reason in a header; undefined if it is empty.
 * @throws ApiError `COULD_NOT_VALIDATE`
 */
export const changeReason = (header: string): string | undefined => {
  const trimmed = header.trim();
  if (!trimmed) return undefined;
  const reason = decodeUtf8(trimmed);
  if (!REASON.test(reason))
    throw invalidField(CHANGE_REASON, `${CHANGE_REASON} must be 1 to 1,000 characters without control characters`, reason);
  return reason;
};

/** Decodes a header that the client encoded in UTF-8, and that the host has decoded as Latin-1. */
const decodeUtf8 = (header: string): string => {
  const bytes = Uint8Array.from(header, (character) => character.charCodeAt(0));
  if (bytes.every((byte) => byte < 0x80) || [...header].some((character) => character > '\u00ff')) return header;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return header;
  }
};
