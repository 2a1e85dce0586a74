import { deleteDraft, loadDraft, saveDraft } from '../drafts.ts';
import { goTo, hrefOf } from '../router.ts';
import { formsOf } from '../schema.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';

interface Props {
  readonly session: Session;
  readonly group: string;
  /** The name of the draft. */
  readonly name: string;
}

/** Offers the entries of an edit whose entity no longer exists for a new one. */
export const OrphanedDraft = ({ session, group, name }: Props) => {
  const draft = loadDraft(name);
  if (!draft || !session.may(group, 'create')) return null;
  const copy = (): void => {
    const entered = { ...draft.opened?.shown, ...draft.entered };
    const variant = formsOf(session, group, 'create').findIndex(({ fields }) =>
      fields.every(({ name: field, constant }) => constant === undefined || constant === entered[field]),
    );
    saveDraft(`${group}/new`, { entered, variant: Math.max(0, variant) });
    deleteDraft(name);
    goTo(hrefOf(['entities', group, 'new']));
  };
  return (
    <div class="notice warn" role="status">
      <p>{texts.orphaned.text}</p>
      <button type="button" onClick={copy}>
        {texts.orphaned.copy}
      </button>
    </div>
  );
};
