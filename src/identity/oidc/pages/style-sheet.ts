import type { ProviderPages } from '../../../call/provider.ts';

/**
 * A border in a color between those of text and surface, with a contrast of at least 3:1 for the default colors (WCAG 2.2, 1.4.11).
 * Browsers without `color-mix` use the color of the text.
 */
const border = (text: string, surface: string): string => `border:1px solid ${text};border-color:color-mix(in srgb,${text} 62%,${surface})`;

/**
 * The style sheet of the pages: a single column that fits a phone, with sizes and focus styles that are accessible to people with impaired
 * vision or motor control.
 */
export const styleSheet = ({ colors: { accent, background, surface, text } }: ProviderPages): string =>
  [
    `:root{color-scheme:light}*{box-sizing:border-box}`,
    `body{margin:0;background:${background};color:${text};font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}`,
    `main{max-width:26rem;margin:0 auto;padding:max(1.5rem,9vh) 1rem 2rem}`,
    `.card{background:${surface};border-radius:.75rem;padding:2rem;box-shadow:0 1px 3px #00000029}`,
    `.name{margin:0 0 1.25rem;font-size:1.125rem;font-weight:600;text-align:center}`,
    `h1{margin:0 0 1.25rem;font-size:1.375rem;font-weight:600;line-height:1.25}p{margin:0 0 1rem}`,
    `label{display:block;margin:1rem 0 .375rem;font-weight:600}`,
    `input{width:100%;min-height:2.875rem;padding:.5rem .75rem;font:inherit;color:inherit;background:${surface};${border(text, surface)};border-radius:.5rem}`,
    `input[name=code]{font-family:ui-monospace,monospace;font-size:1.25rem;letter-spacing:.15em}`,
    `.hint{margin:.375rem 0 0;font-size:.875rem}`,
    `button{width:100%;min-height:2.875rem;margin-top:1.5rem;padding:.5rem 1rem;font:inherit;font-weight:600;color:${surface};background:${accent};border:2px solid ${accent};border-radius:.5rem;cursor:pointer}`,
    `button:hover{filter:brightness(.9)}button.other{margin-top:.75rem;color:${accent};background:${surface}}`,
    `a{color:${accent}}:focus-visible{outline:3px solid ${accent};outline-offset:2px}`,
    // Dark red on light red: contrast 8.5:1, independent of the colors of the host.
    `.refused{margin:0 0 1rem;padding:.75rem 1rem;color:#8a1212;background:#fdeeee;border-left:4px solid #b3261e;border-radius:.5rem}`,
    `.more{margin:1.25rem 0 0;text-align:center}`,
    `ol{margin:0 0 -1.25rem;padding-left:1.25rem}ol>li{margin-bottom:1.25rem;padding-left:.25rem}ol>li::marker{font-weight:600}`,
    `img{display:block;width:12rem;max-width:100%;margin:.5rem auto;image-rendering:pixelated;background:#fff}`,
    `code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}.key{display:block;margin-top:.25rem}.key span{display:inline-block;margin-right:.6em}`,
    `.codes{display:grid;grid-template-columns:repeat(auto-fill,minmax(4.25rem,1fr));gap:.25rem .75rem;margin:.75rem 0 0;padding:.75rem 1rem;list-style:none;background:${background};border-radius:.5rem}`,
    `@media(max-width:30rem){.card{padding:1.5rem 1.25rem}main{padding-top:1.5rem}}@media(forced-colors:active){.refused{border:2px solid}}`,
  ].join('');
