import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Loaded } from '../loaded.ts';
import { Problem } from '../parts/problem.tsx';
import { hrefOf } from '../router.ts';
import { texts } from '../texts.ts';
import { type Tick, Ticks } from './ticks.tsx';
import type { WayName } from './ways.ts';

interface Props {
  readonly loaded: Loaded<unknown>;
  readonly way: WayName;
  readonly title: string;
  readonly ticks: readonly Tick[];
  /** Instructions for the remaining work. */
  readonly children?: ComponentChildren;
  readonly links: readonly {
    readonly text: string;
    readonly segments: readonly string[];
    readonly query?: Readonly<Record<string, string>>;
  }[];
  /** The link that begins the setup again. */
  readonly another?: string;
}

/** The end of a setup: what was created, what has happened since, and links to it. */
export const Created = ({ loaded: { value, error, reload }, way, title, ticks, children, links, another }: Props) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const isLoaded = value !== undefined;
  useEffect(() => heading.current?.focus(), [isLoaded]);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!isLoaded) return <p>{texts.loading}</p>;
  return (
    <div class="entity">
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <div role="status">
        <Ticks ticks={ticks} />
      </div>
      {children}
      <p class="actions">
        {links.map(({ text, segments, query }) => (
          <a key={text} class="button" href={hrefOf(segments, query)}>
            {text}
          </a>
        ))}
        {another !== undefined && (
          <a class="button" href={hrefOf(['setup', way])}>
            {another}
          </a>
        )}
      </p>
    </div>
  );
};
