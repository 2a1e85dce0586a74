/** The logo of the host: a PNG or SVG file, served beside the console. */

const MAX_BYTES = 262_144;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The characters at the beginning of a file among which an SVG has its first element. */
const PROLOGUE = 2000;

export interface Logo {
  readonly type: 'image/png' | 'image/svg+xml';
  readonly content: string | Uint8Array;
}

/** @throws TypeError if it is neither a PNG nor an SVG, or too large */
export const logoOf = (where: string, logo: unknown): Logo => {
  const size = typeof logo === 'string' || logo instanceof Uint8Array ? logo.length : 0;
  if (size > MAX_BYTES) throw new TypeError(`${where} takes as logo at most ${MAX_BYTES} bytes, got ${size}`);
  if (logo instanceof Uint8Array && PNG.every((byte, at) => logo[at] === byte)) return { type: 'image/png', content: logo };
  const text = logo instanceof Uint8Array ? new TextDecoder().decode(logo) : logo;
  if (typeof text === 'string' && /^\s*<(?:svg[\s>]|\?xml|!)/.test(text) && /<svg[\s>]/.test(text.slice(0, PROLOGUE)))
    return { type: 'image/svg+xml', content: text };
  const got = typeof text === 'string' ? text.slice(0, 40) : String(logo);
  throw new TypeError(`${where} takes as logo the bytes of a PNG, or the bytes or the text of an SVG, got '${got}'`);
};
