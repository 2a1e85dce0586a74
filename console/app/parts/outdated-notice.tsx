import { texts } from '../texts.ts';

interface Props {
  /** The label of the button that reads the entity again. */
  readonly action: string;
  readonly reload: () => void;
}

/** Says that the shown entity has changed since it was read. */
export const OutdatedNotice = ({ action, reload }: Props) => (
  <div class="notice warn" role="status">
    <p>{texts.review.elsewhere}</p>
    <button type="button" onClick={reload}>
      {action}
    </button>
  </div>
);
