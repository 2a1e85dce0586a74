import { encode } from 'uqr';
import { png } from './png.ts';

/** Pixels for each module: large enough for cameras, small enough for pages. */
const SCALE = 6;
/** Modules of white around the code that readers need (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/**
 * A text as a QR code, of which 15 % may be unreadable (level M).
 * @returns the bytes of a PNG file
 * @throws RangeError for more than 2331 bytes
 */
export const qrCode = async (text: string): Promise<Uint8Array<ArrayBuffer>> =>
  png(encode(text, { ecc: 'M', border: QUIET_ZONE }).data, SCALE);
