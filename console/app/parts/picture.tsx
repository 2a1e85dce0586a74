/** A picture of who reaches what: columns of entities and groups of them, joined by what relates them. */

export interface PictureNode {
  readonly key: string;
  readonly label: string;
  /** A second line: how many, under which conditions. */
  readonly detail?: string;
  readonly href?: string | undefined;
  readonly shape: 'subject' | 'policy' | 'group';
}

export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  /** What it is, for those who point at it. */
  readonly label: string;
  readonly tone: 'dial' | 'bind' | 'router';
}

interface Props {
  /** The columns from left to right, each with its nodes from top to bottom. */
  readonly columns: readonly (readonly PictureNode[])[];
  readonly edges: readonly PictureEdge[];
  readonly title: string;
}

const BOX = { width: 220, height: 46, gap: 14 } as const;
const COLUMN = 330;
const MAX_LETTERS = 27;

interface Placed extends PictureNode {
  readonly x: number;
  readonly y: number;
}

export const Picture = ({ columns, edges, title }: Props) => {
  const rows = Math.max(...columns.map((nodes) => nodes.length));
  const height = rows * (BOX.height + BOX.gap) + BOX.gap;
  const width = (columns.length - 1) * COLUMN + BOX.width + 2;
  const placed = columns.flatMap((nodes, column) => placedIn(nodes, column * COLUMN + 1, height));
  const byKey = new Map(placed.map((node) => [node.key, node]));
  return (
    <figure class="scroll" aria-label={title}>
      <svg class="picture" viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
        <title>{title}</title>
        {edges.map((edge) => {
          const [from, to] = [byKey.get(edge.from), byKey.get(edge.to)];
          return from && to && <Edge key={`${edge.from} ${edge.to}`} edge={edge} from={from} to={to} />;
        })}
        {placed.map((node) => (
          <Node key={node.key} node={node} />
        ))}
      </svg>
    </figure>
  );
};

/** The nodes of a column, in the middle of its height. */
const placedIn = (nodes: readonly PictureNode[], x: number, height: number): readonly Placed[] => {
  const taken = nodes.length * (BOX.height + BOX.gap) - BOX.gap;
  return nodes.map((node, row) => ({ ...node, x, y: (height - taken) / 2 + row * (BOX.height + BOX.gap) }));
};

const Edge = ({ edge: { label, tone }, from, to }: { readonly edge: PictureEdge; readonly from: Placed; readonly to: Placed }) => {
  const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2];
  const bend = (x2 - x1) / 2;
  return (
    <path class={`edge ${tone}`} d={`M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`}>
      <title>{label}</title>
    </path>
  );
};

const Node = ({ node: { x, y, label, detail, href, shape } }: { readonly node: Placed }) => {
  const box = (
    <>
      {[label, detail ?? ''].some((text) => shortened(text) !== text) && <title>{detail ? `${label} – ${detail}` : label}</title>}
      <rect class={`node ${shape}`} x={x} y={y} width={BOX.width} height={BOX.height} rx={shape === 'policy' ? 22 : 8} />
      <text class="label" x={x + 14} y={y + (detail ? 20 : 28)}>
        {shortened(label)}
      </text>
      {detail && (
        <text class="detail" x={x + 14} y={y + 36}>
          {shortened(detail)}
        </text>
      )}
    </>
  );
  return href ? <a href={href}>{box}</a> : <g>{box}</g>;
};

const shortened = (text: string): string => (text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS - 1)}…` : text);
