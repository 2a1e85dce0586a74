import { texts } from '../texts.ts';

interface Props {
  readonly limit: number;
  readonly offset: number;
  readonly totalCount: number;
  readonly shown: number;
  readonly goTo: (offset: number) => void;
  /** What the ways are called. Default: previous and next. */
  readonly names?: { readonly previous: string; readonly next: string };
}

/** Which entities of how many are shown, and the ways to those before and after them. */
export const Paging = ({ limit, offset, totalCount, shown, goTo, names = texts }: Props) => (
  <nav class="paging" aria-label={texts.pages}>
    <span class="muted" role="status">
      {totalCount > 0 && texts.range(offset + 1, offset + shown, totalCount)}
    </span>
    {(offset > 0 || totalCount > limit) && (
      <>
        <button type="button" disabled={offset === 0} onClick={() => goTo(Math.max(0, offset - limit))}>
          {names.previous}
        </button>
        <button type="button" disabled={offset + shown >= totalCount} onClick={() => goTo(offset + limit)}>
          {names.next}
        </button>
      </>
    )}
  </nav>
);
