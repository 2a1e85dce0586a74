import { useId, useState } from 'preact/hooks';
import { deleteReason, loadReason, saveReason } from '../drafts.ts';
import { texts } from '../texts.ts';

/** The reason for a change, which the change log records. */
export interface Reason {
  readonly text: string;
  readonly set: (text: string) => void;
  /** Forgets it, after the change has been made or given up. */
  readonly drop: () => void;
}

/** The reason for the change `name`. It survives a reload and the next login of the same person. */
export const useReason = (name: string): Reason => {
  const [text, setText] = useState(() => loadReason(name));
  const set = (entered: string): void => {
    setText(entered);
    saveReason(name, entered);
  };
  const drop = (): void => {
    setText('');
    deleteReason(name);
  };
  return { text, set, drop };
};

const MAX_LENGTH = 1000;

export const ReasonField = ({ reason }: { readonly reason: Reason }) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{texts.reason}</label>
      <input
        id={id}
        type="text"
        maxLength={MAX_LENGTH}
        aria-describedby={`${id}-hint`}
        value={reason.text}
        onInput={(event) => reason.set(event.currentTarget.value)}
      />
      <p id={`${id}-hint`} class="muted small">
        {texts.reasonHint}
      </p>
    </div>
  );
};
