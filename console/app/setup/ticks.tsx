import type { ComponentChildren } from 'preact';
import { texts } from '../texts.ts';

export interface Tick {
  readonly key: string;
  readonly isDone: boolean;
  readonly text: ComponentChildren;
}

/** A list of things that are done, or not yet. */
export const Ticks = ({ ticks }: { readonly ticks: readonly Tick[] }) => (
  <ul class="ticks">
    {ticks.map(({ key, isDone, text }) => (
      <li key={key} class={isDone ? 'done' : undefined}>
        <span class="unseen">{isDone ? texts.setup.done : texts.setup.notYet} </span>
        <span>{text}</span>
      </li>
    ))}
  </ul>
);
