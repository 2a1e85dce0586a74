import { encode } from 'uqr';

/** The maximum size of a text, slightly less than the capacity of a QR code. */
const MAX_BYTES = 2900;

/** A text as a QR code; nothing if it is too long for one. */
export const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  if (text.length > MAX_BYTES) return null;
  const { data, size } = encode(text, { border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x},${y}h1v1h-1z`] : []))).join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect class="light" width={size} height={size} />
      <path class="dark" d={dark} />
    </svg>
  );
};
