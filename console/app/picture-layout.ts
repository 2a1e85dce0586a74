/** Lays out the nodes and edges of a picture for a given width. All lengths are in pixels. */

export interface PictureNode {
  readonly key: string;
  readonly label: string;
  /** A second line, such as the number of members or the conditions. */
  readonly detail?: string;
  readonly href?: string | undefined;
  readonly shape: 'subject' | 'policy' | 'group';
}

export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  /** The tooltip. */
  readonly label: string;
  readonly tone: 'dial' | 'bind' | 'router';
}

/** The columns from left to right, each with its nodes from top to bottom, and the edges between them. */
export interface PictureGraph {
  readonly columns: readonly (readonly PictureNode[])[];
  readonly edges: readonly PictureEdge[];
}

export interface PlacedNode extends PictureNode {
  readonly x: number;
  readonly y: number;
}

export interface PictureLayout {
  readonly width: number;
  readonly height: number;
  readonly boxWidth: number;
  readonly nodes: readonly PlacedNode[];
  /** Edges with the data of their SVG paths. */
  readonly edges: readonly (PictureEdge & { readonly path: string })[];
}

export const BOX_HEIGHT = 46;
const ROW_GAP = 14;
const ROW = BOX_HEIGHT + ROW_GAP;
const BOX_WIDTH = { min: 170, max: 220 } as const;
const COLUMN_GAP = { min: 24, max: 110 } as const;
/** The indentation of a node below another one. */
const INDENT = 18;
/** Space for half of a stroke. */
const MARGIN = 1;

/** Lays the columns out side by side or, if they do not fit, as an outline from top to bottom. */
export const pictureLayout = (graph: PictureGraph, width: number): PictureLayout => {
  const count = graph.columns.length;
  const boxWidth = Math.min(BOX_WIDTH.max, Math.floor((width - 2 * MARGIN - (count - 1) * COLUMN_GAP.min) / count));
  return boxWidth < BOX_WIDTH.min ? outlineLayout(graph) : columnLayout(graph, width, boxWidth);
};

const columnLayout = ({ columns, edges }: PictureGraph, width: number, boxWidth: number): PictureLayout => {
  const gaps = columns.length - 1;
  const gap = Math.min(COLUMN_GAP.max, Math.floor((width - 2 * MARGIN - columns.length * boxWidth) / Math.max(1, gaps)));
  const height = Math.max(...columns.map((nodes) => nodes.length)) * ROW + ROW_GAP;
  const nodes = columns.flatMap((column, index) => {
    const top = (height - column.length * ROW + ROW_GAP) / 2;
    return column.map((node, row) => ({ ...node, x: MARGIN + index * (boxWidth + gap), y: top + row * ROW }));
  });
  const curve = (from: PlacedNode, to: PlacedNode): string => {
    const [x1, y1, x2, y2] = [from.x + boxWidth, from.y + BOX_HEIGHT / 2, to.x, to.y + BOX_HEIGHT / 2];
    const bend = (x2 - x1) / 2;
    return `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
  };
  const totalWidth = 2 * MARGIN + columns.length * boxWidth + gaps * gap;
  return { width: totalWidth, height, boxWidth, nodes, edges: connect(nodes, edges, curve) };
};

/** An outline of the graph: each node in the subject's column, followed, one indent deeper, by the nodes that lead away from it. */
const outlineLayout = ({ columns, edges }: PictureGraph): PictureLayout => {
  const center = columns.findIndex((column) => column.some(({ shape }) => shape === 'subject'));
  const distances = new Map(columns.flatMap((column, index) => column.map(({ key }) => [key, Math.abs(index - center)])));
  const byKey = new Map(columns.flat().map((node) => [node.key, node]));
  const placed = new Map<string, PlacedNode>();
  const elbows: (PictureEdge & { readonly path: string })[] = [];
  const place = (node: PictureNode, parent?: PlacedNode): PlacedNode | undefined => {
    const key = parent ? `${parent.key} ${node.key}` : node.key;
    if (placed.has(key)) return undefined;
    const depth = distances.get(node.key) ?? 0;
    const current = { ...node, key, x: MARGIN + depth * INDENT, y: ROW_GAP + placed.size * ROW };
    placed.set(key, current);
    for (const edge of edges) {
      const neighbour = byKey.get(edge.from === node.key ? edge.to : edge.to === node.key ? edge.from : '');
      if (!neighbour || (distances.get(neighbour.key) ?? 0) <= depth) continue;
      const child = place(neighbour, current);
      if (child) elbows.push({ ...edge, from: key, to: child.key, path: elbowBetween(current, child) });
    }
    return current;
  };
  for (const node of columns[center] ?? []) place(node);
  const nodes = [...placed.values()];
  const width = Math.max(...nodes.map(({ x }) => x)) + BOX_WIDTH.max + MARGIN;
  return { width, height: nodes.length * ROW + ROW_GAP, boxWidth: BOX_WIDTH.max, nodes, edges: elbows };
};

const elbowBetween = (upper: PlacedNode, lower: PlacedNode): string =>
  `M${upper.x + INDENT / 2},${upper.y + BOX_HEIGHT} V${lower.y + BOX_HEIGHT / 2} H${lower.x}`;

const connect = (
  nodes: readonly PlacedNode[],
  edges: readonly PictureEdge[],
  pathBetween: (from: PlacedNode, to: PlacedNode) => string,
): PictureLayout['edges'] => {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  return edges.flatMap((edge) => {
    const [from, to] = [byKey.get(edge.from), byKey.get(edge.to)];
    return from && to ? [{ ...edge, path: pathBetween(from, to) }] : [];
  });
};
