import { encode } from 'uqr';
import { encodePng } from './png.ts';

/** Width of a module in pixels: large enough for cameras, small enough for pages. */
const SCALE = 6;
/** Width in modules of the quiet zone, the white border that readers require (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/**
 * Encodes a text as a QR code with error correction level M: up to 15 % of the code may be damaged.
 * @returns the bytes of a PNG file
 * @throws RangeError for more than 2331 bytes
 */
export const encodeQrCode = async (text: string): Promise<Uint8Array<ArrayBuffer>> =>
  encodePng(encode(text, { ecc: 'M', border: QUIET_ZONE }).data, SCALE);
