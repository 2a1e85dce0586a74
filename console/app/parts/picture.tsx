import { useRef } from 'preact/hooks';
import { BOX_HEIGHT, type PictureGraph, type PlacedNode, pictureLayout } from '../picture-layout.ts';
import { useWidth } from './use-width.ts';

interface Props extends PictureGraph {
  readonly title: string;
}

/** A picture of relations between entities and groups, at most as wide as the page. */
export const Picture = ({ columns, edges, title }: Props) => {
  const figure = useRef<HTMLElement>(null);
  const layout = pictureLayout({ columns, edges }, useWidth(figure));
  return (
    <figure ref={figure} class="scroll" aria-label={title}>
      <svg class="picture" viewBox={`0 0 ${layout.width} ${layout.height}`} width={layout.width} height={layout.height}>
        <title>{title}</title>
        {layout.edges.map(({ from, to, path, tone, label }) => (
          <path key={`${from} ${to}`} class={`edge ${tone}`} d={path}>
            <title>{label}</title>
          </path>
        ))}
        {layout.nodes.map((node) => (
          <Node key={node.key} node={node} width={layout.boxWidth} />
        ))}
      </svg>
    </figure>
  );
};

/** Space between the border of a node and its text. px */
const PADDING = 14;
/** Upper bounds of the mean width of a letter. px */
const LETTER_WIDTH = { label: 8.4, detail: 7.2 } as const;

const Node = ({ node: { x, y, label, detail = '', href, shape }, width }: { readonly node: PlacedNode; readonly width: number }) => {
  const fit = (text: string, letterWidth: number): string => shorten(text, Math.floor((width - 2 * PADDING) / letterWidth));
  const [shownLabel, shownDetail] = [fit(label, LETTER_WIDTH.label), fit(detail, LETTER_WIDTH.detail)];
  const isShortened = shownLabel !== label || shownDetail !== detail;
  const box = (
    <>
      {isShortened && <title>{detail ? `${label} – ${detail}` : label}</title>}
      <rect class={`node ${shape}`} x={x} y={y} width={width} height={BOX_HEIGHT} rx={shape === 'policy' ? 22 : 8} />
      <text class="label" x={x + PADDING} y={y + (detail ? 20 : 28)}>
        {shownLabel}
      </text>
      {detail && (
        <text class="detail" x={x + PADDING} y={y + 36}>
          {shownDetail}
        </text>
      )}
    </>
  );
  return href ? <a href={href}>{box}</a> : <g>{box}</g>;
};

const shorten = (text: string, letters: number): string => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);
