/**
 * The part of React that the guide to the typed client uses, for one component: it is rendered again when its state changes. Elements are
 * their HTML.
 */
import { EventEmitter, once } from 'node:events';

interface Slot {
  value?: unknown;
  dependencies?: readonly unknown[];
  cleanUp?: () => void;
}

/** The component that is being rendered. */
let rendering: { readonly slots: Slot[]; at: number; render(): void };

const nextSlot = (value?: unknown): Slot => {
  const slot = (rendering.slots[rendering.at] ??= { value });
  rendering.at++;
  return slot;
};

export const useState = (initial: unknown): [value: unknown, set: (value: unknown) => void] => {
  const { render } = rendering;
  const slot = nextSlot(initial);
  const set = (value: unknown) => {
    slot.value = value;
    render();
  };
  return [slot.value, set];
};

export const useEffect = (effect: () => () => void, dependencies: readonly unknown[]): void => {
  const slot = nextSlot();
  if (slot.dependencies?.every((each, i) => each === dependencies[i])) return;
  slot.cleanUp?.();
  slot.dependencies = dependencies;
  slot.cleanUp = effect();
};

type Component = (props: object) => string;

export const jsx = (type: string | Component, { children, ...props }: { readonly children?: unknown }): string =>
  typeof type === 'string' ? `<${type}>${[children].flat().join('')}</${type}>` : type({ children, ...props });
export const jsxs = jsx;

/** Shows a component with its properties. */
export const show = (component: Component, props: object) => {
  const slots: Slot[] = [];
  const screen = new EventEmitter();
  let html = '';
  const render = () => {
    rendering = { slots, at: 0, render };
    html = component(props);
    screen.emit('shown');
  };
  render();
  return {
    html: () => html,
    /** Resolves to what is shown next. */
    next: () => once(screen, 'shown').then(() => html),
    remove: () => {
      for (const { cleanUp } of slots) cleanUp?.();
    },
  };
};
