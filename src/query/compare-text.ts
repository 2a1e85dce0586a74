/**
 * Compares text by code point, which is the order of its UTF-8 bytes. JavaScript's `<` compares UTF-16 units and so puts
 * U+1F600 (written as D83D DE00) before U+FF5E.
 */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    // Below the surrogates, code units are in the order of code points.
    const isLess = left < 0xd800 || right < 0xd800 ? left < right : rank(left) < rank(right);
    return isLess ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
};

/** Moves the units of surrogate pairs (D800 to DFFF) behind the rest of the basic plane (E000 to FFFF), where their code points are. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
