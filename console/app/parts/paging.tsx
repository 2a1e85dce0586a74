import { texts } from '../texts.ts';

interface Props {
  readonly limit: number;
  readonly offset: number;
  readonly totalCount: number;
  readonly shown: number;
  readonly goTo: (offset: number) => void;
}

/** Which entities of how many are shown, and the ways to those before and after them. */
export const Paging = ({ limit, offset, totalCount, shown, goTo }: Props) => (
  <nav class="paging" aria-label={texts.pages}>
    <span class="muted" role="status">
      {totalCount > 0 && texts.range(offset + 1, offset + shown, totalCount)}
    </span>
    {(offset > 0 || totalCount > limit) && (
      <>
        <button type="button" disabled={offset === 0} onClick={() => goTo(Math.max(0, offset - limit))}>
          {texts.previous}
        </button>
        <button type="button" disabled={offset + shown >= totalCount} onClick={() => goTo(offset + limit)}>
          {texts.next}
        </button>
      </>
    )}
  </nav>
);
