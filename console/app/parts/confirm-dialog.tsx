import { useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import type { ChangeOptions } from './change-dialog.tsx';
import { Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';
import { ReasonField, useReason } from './reason.tsx';

interface Props {
  readonly title: string;
  /** The effect of the action, and whether it can be undone. */
  readonly text: string;
  readonly action: string;
  /** The name of the change, for its reason; without it, no reason is asked for. */
  readonly name?: string;
  readonly carryOut: (options: ChangeOptions) => void | Promise<void>;
  readonly close: () => void;
}

/** Asks before an action that cannot be undone and has no preview. */
export const ConfirmDialog = ({ title, text, action, name, carryOut, close }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const reason = useReason(name ?? '');
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const act = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await carryOut(reason.text.trim() ? { reason: reason.text.trim() } : {});
      reason.drop();
      dialog.current?.close();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  const cancel = (): void => {
    reason.drop();
    dialog.current?.close();
  };
  return (
    <Dialog element={dialog} title={title} closed={close}>
      <p>{text}</p>
      {name !== undefined && <ReasonField reason={reason} />}
      {failure !== undefined && <Problem error={failure} />}
      <div class="actions">
        <button type="button" onClick={cancel}>
          {texts.cancel}
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={() => void act()}>
          {isBusy ? texts.saving : action}
        </button>
      </div>
    </Dialog>
  );
};
