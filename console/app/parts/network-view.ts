/** The part of a network picture that is in view, moved and magnified with the pointer or the keyboard. */
import { useRef, useState } from 'preact/hooks';
import type { Point } from '../force-layout.ts';

/** The part in view. */
interface View {
  readonly center: Point;
  /** The magnification; 1 shows everything. */
  readonly zoom: number;
}

/** A rectangle of the picture. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const MAX_ZOOM = 40;
const ZOOM_STEP = 1.5;
/** The part of the view by which an arrow key moves it. */
const PAN_STEP = 0.15;
/** A press that moves the pointer no farther is a click. px */
const CLICK_DISTANCE = 4;
/** Space around the nodes, in units of the picture. */
const MARGIN = 40;
/** Further space for labels, whose size on the screen is fixed. px */
const LABEL_SPACE = 60;

/** The smallest rectangle with the origin and all points, and space around them. */
export const areaOf = (points: readonly Point[]): Area => {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, top] = [Math.min(0, ...xs) - MARGIN, Math.min(0, ...ys) - MARGIN];
  return { x: left, y: top, width: Math.max(0, ...xs) + MARGIN - left, height: Math.max(0, ...ys) + MARGIN - top };
};

/**
 * The part of a picture that is in view, and the handlers that move and magnify it.
 * @param all the area with all nodes
 * @param size the size of the picture on the screen. px
 */
export const useNetworkView = (all: Area, size: { readonly width: number; readonly height: number }) => {
  const middle = { x: all.x + all.width / 2, y: all.y + all.height / 2 };
  const [view, setView] = useState<View>();
  const { center, zoom } = view ?? { center: middle, zoom: 1 };
  /** Pixels per unit of the picture. */
  const scale = zoom * Math.max(0, Math.min((size.width - LABEL_SPACE) / all.width, (size.height - LABEL_SPACE) / all.height)) || 1;
  const visible = { width: size.width / scale, height: size.height / scale };
  const drag = useRef<{ readonly x: number; readonly y: number; readonly center: Point } | undefined>(undefined);
  const hasDragged = useRef(false);

  const zoomBy = (factor: number): void => setView({ center, zoom: Math.min(MAX_ZOOM, Math.max(1, zoom * factor)) });
  const moveBy = (dx: number, dy: number): void => setView({ center: { x: center.x + dx, y: center.y + dy }, zoom });
  const zoomIn = (): void => zoomBy(ZOOM_STEP);
  const zoomOut = (): void => zoomBy(1 / ZOOM_STEP);
  const showAll = (): void => setView(undefined);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => moveBy(-visible.width * PAN_STEP, 0),
    ArrowRight: () => moveBy(visible.width * PAN_STEP, 0),
    ArrowUp: () => moveBy(0, -visible.height * PAN_STEP),
    ArrowDown: () => moveBy(0, visible.height * PAN_STEP),
    '+': zoomIn,
    '-': zoomOut,
    '0': showAll,
  };

  return {
    scale,
    viewBox: `${center.x - visible.width / 2} ${center.y - visible.height / 2} ${visible.width} ${visible.height}`,
    zoomIn,
    zoomOut,
    showAll,
    /** True if the pointer has moved the picture since it was pressed: the click that follows is to be ignored. */
    hasDragged: (): boolean => hasDragged.current,
    handlers: {
      onKeyDown: (event: KeyboardEvent): void => {
        const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
        if (!act) return;
        event.preventDefault();
        act();
      },
      // Without a modifier key, the wheel scrolls the page.
      onWheel: (event: WheelEvent): void => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        zoomBy(ZOOM_STEP ** -Math.sign(event.deltaY));
      },
      onPointerDown: ({ clientX: x, clientY: y }: PointerEvent): void => {
        hasDragged.current = false;
        drag.current = { x, y, center };
      },
      onPointerMove: ({ clientX, clientY, buttons }: PointerEvent): void => {
        if (!drag.current || buttons === 0) return;
        const [dx, dy] = [clientX - drag.current.x, clientY - drag.current.y];
        hasDragged.current ||= Math.hypot(dx, dy) > CLICK_DISTANCE;
        const from = drag.current.center;
        if (hasDragged.current) setView({ center: { x: from.x - dx / scale, y: from.y - dy / scale }, zoom });
      },
      onPointerUp: (): void => void (drag.current = undefined),
    },
  };
};
