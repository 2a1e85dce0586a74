import { texts } from '../texts.ts';

interface Props {
  readonly limit: number;
  readonly offset: number;
  readonly totalCount: number;
  readonly shownCount: number;
  readonly goTo: (offset: number) => void;
  /** Labels of the buttons. Default: previous and next. */
  readonly names?: { readonly previous: string; readonly next: string };
}

/** The range of entities that are shown, with buttons for the previous and the next page. */
export const Paging = ({ limit, offset, totalCount, shownCount, goTo, names = texts }: Props) => (
  <nav class="paging" aria-label={texts.pages}>
    <span class="muted" role="status">
      {shownCount > 0 && texts.range(offset + 1, offset + shownCount, totalCount)}
    </span>
    {(offset > 0 || totalCount > limit) && (
      <>
        <button type="button" disabled={offset === 0} onClick={() => goTo(Math.max(0, offset - limit))}>
          {names.previous}
        </button>
        <button type="button" disabled={offset + shownCount >= totalCount} onClick={() => goTo(offset + limit)}>
          {names.next}
        </button>
      </>
    )}
  </nav>
);
