import { useMemo, useRef } from 'preact/hooks';
import { forceLayout, type Point } from '../force-layout.ts';
import { type GraphLink, knownSum } from '../network-graph.ts';
import type { NetworkEdge, NetworkNode, NetworkNodes } from '../network-groups.ts';
import { texts } from '../texts.ts';
import { rateText } from '../words.ts';
import { areaOf, useNetworkView } from './network-view.ts';
import { useWidth } from './use-width.ts';

const t = texts.network;

interface Props extends NetworkNodes {
  readonly title: string;
  /** The key of the selected node. */
  readonly selected: string | undefined;
  readonly select: (node: NetworkNode) => void;
}

/** Sizes on the screen, however the picture is magnified. px */
const HEIGHT = { min: 320, max: 560 } as const;
const LABEL = { size: 13, below: 15 } as const;
/** The most nodes whose labels are always shown; with more nodes, once the picture is magnified to this scale. */
const LABELLED = { count: 80, scale: 0.75 } as const;

/** Routers, the links between them, and what is attached to routers. Everything in it is in the tables of the page, too. */
export const NetworkPicture = ({ nodes, edges, title, selected, select }: Props) => {
  const figure = useRef<HTMLElement>(null);
  const earlier = useRef<ReadonlyMap<string, Point>>(new Map());
  const width = useWidth(figure);
  const size = { width, height: Math.min(HEIGHT.max, Math.max(HEIGHT.min, width * 0.6)) };
  const shape = [...nodes.map(({ key }) => key), ...edges.flatMap(({ ends }) => ends)].join('\n');
  const points = useMemo(() => {
    earlier.current = forceLayout(
      nodes.filter(({ beside }) => beside === undefined).map(({ key }) => key),
      edges.filter(({ links }) => links.length > 0).map(({ ends }) => ends),
      earlier.current,
    );
    return withAttached(nodes, earlier.current);
  }, [shape]);
  const area = useMemo(() => areaOf([...points.values()]), [points]);
  const { scale, viewBox, zoomIn, zoomOut, showAll, hasDragged, handlers } = useNetworkView(area, size);
  const hasLabels = nodes.length <= LABELLED.count || scale >= LABELLED.scale;
  return (
    <figure ref={figure} class="network">
      <div class="actions">
        <button type="button" onClick={zoomIn} aria-label={t.zoomIn}>
          +
        </button>
        <button type="button" onClick={zoomOut} aria-label={t.zoomOut}>
          −
        </button>
        <button type="button" onClick={showAll}>
          {t.showAll}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the picture, as in a scrollable region */}
      <svg class="picture" role="img" aria-label={title} tabIndex={0} viewBox={viewBox} {...size} {...handlers}>
        {edges.map((edge) => (
          <Edge key={edge.ends.join(' ')} edge={edge} points={points} scale={scale} hasLabel={hasLabels} />
        ))}
        {nodes.map((node) => (
          <Node
            key={node.key}
            node={node}
            point={points.get(node.key)}
            scale={scale}
            isSelected={node.key === selected}
            hasLabel={hasLabels || node.key === selected}
            select={() => (hasDragged() ? undefined : select(node))}
          />
        ))}
      </svg>
      <figcaption class="muted small">{t.pictureHint}</figcaption>
    </figure>
  );
};

/** Where identities and services are shown: above the router on either side, away from its name. */
const OFFSET = { identities: { x: -48, y: -36 }, services: { x: 48, y: -36 } } as const;

const withAttached = (nodes: readonly NetworkNode[], points: ReadonlyMap<string, Point>): ReadonlyMap<string, Point> => {
  const attached = nodes.flatMap(({ key, kind, beside = '' }): readonly (readonly [string, Point])[] => {
    const point = points.get(beside);
    if (!point || (kind !== 'identities' && kind !== 'services')) return [];
    return [[key, { x: point.x + OFFSET[kind].x, y: point.y + OFFSET[kind].y }]];
  });
  return new Map([...points, ...attached]);
};

/** The size of the label of a link. px */
const SMALL = 11;

/** The latency and the load of links, as far as they are known. */
const measuresOf = (links: readonly GraphLink[]): readonly string[] => {
  const [latency, bytes] = [Math.max(...links.map((link) => link.latency)), knownSum(links.map((link) => link.bytes))];
  return [...(latency > 0 ? [texts.traffic.milliseconds(latency)] : []), ...(bytes === undefined ? [] : [rateText(bytes)])];
};

/** The widest line of an edge, for the number of circuits over it. px */
const MAX_STROKE = 8;

const Edge = ({
  edge,
  points,
  scale,
  hasLabel,
}: {
  readonly edge: NetworkEdge;
  readonly points: ReadonlyMap<string, Point>;
  readonly scale: number;
  readonly hasLabel: boolean;
}) => {
  const [from, to] = [points.get(edge.ends[0]), points.get(edge.ends[1])];
  if (!from || !to) return null;
  const circuits = edge.links.reduce((sum, link) => sum + link.circuits, 0);
  const isLink = edge.links.length > 0;
  const cost = Math.min(...edge.links.map((link) => link.cost));
  const measured = measuresOf(edge.links);
  return (
    <>
      <line
        class={isLink ? 'link' : 'attached'}
        x1={from.x}
        y1={from.y}
        x2={to.x}
        y2={to.y}
        stroke-width={Math.min(MAX_STROKE, isLink ? 1.5 + Math.log2(1 + circuits) : 1) / scale}
      >
        {isLink && <title>{[t.edge(edge.links.length, cost, circuits), ...measured].join(', ')}</title>}
      </line>
      {isLink && hasLabel && (
        <text class="muted" x={(from.x + to.x) / 2} y={(from.y + to.y) / 2} font-size={SMALL / scale} text-anchor="middle">
          {[`${t.cost} ${texts.number(cost)}`, ...measured].join(' · ')}
        </text>
      )}
    </>
  );
};

/** The radius of a node, larger for more routers. px */
const radiusOf = ({ kind, routers }: NetworkNode): number => (kind === 'routers' ? 8 + 2 * Math.log2(1 + routers.length) : 8);

interface NodeProps {
  readonly node: NetworkNode;
  readonly point: Point | undefined;
  readonly scale: number;
  readonly isSelected: boolean;
  readonly hasLabel: boolean;
  readonly select: () => void;
}

const Node = ({ node, point, scale, isSelected, hasLabel, select }: NodeProps) => {
  if (!point) return null;
  const { kind, label, state } = node;
  const { x, y } = point;
  const radius = radiusOf(node) / scale;
  const name = ['node', kind, state ?? '', isSelected ? 'selected' : ''].join(' ');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the tables below select with buttons
    <g class={name} onClick={select}>
      <title>{state ? `${label}: ${t.states[state]}` : label}</title>
      {kind === 'router' || kind === 'routers' ? (
        <circle cx={x} cy={y} r={radius} stroke-width={2 / scale} />
      ) : (
        <rect x={x - radius} y={y - radius / 2} width={2 * radius} height={radius} rx={radius / 3} stroke-width={1.5 / scale} />
      )}
      {state === 'offline' && <path d={crossAt(point, radius / 2)} stroke-width={2 / scale} />}
      {hasLabel && (
        <text x={x} y={y + radius + LABEL.below / scale} font-size={LABEL.size / scale} text-anchor="middle">
          {label.length > 24 ? `${label.slice(0, 23)}…` : label}
        </text>
      )}
    </g>
  );
};

/** A cross, which says without colours that a router is offline. */
const crossAt = ({ x, y }: Point, size: number): string =>
  `M${x - size},${y - size} L${x + size},${y + size} M${x - size},${y + size} L${x + size},${y - size}`;
