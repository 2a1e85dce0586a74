import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { AccessReportView, isWithoutEffect } from './access-report.tsx';
import { Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';
import { ReasonField, useReason } from './reason.tsx';
import { isNotPreviewable, isUnanswered, type PreviewedChange, useChange } from './use-change.ts';

export type { ChangeOptions, PreviewOptions } from './use-change.ts';

interface Props extends PreviewedChange {
  readonly title: string;
  readonly action: string;
  /** The name of the change, by which its reason is kept. */
  readonly name: string;
  /** The effect of the action beyond access. */
  readonly text?: string;
  readonly isDangerous?: boolean;
  /** Losses that a report of access does not have. */
  readonly losses?: ComponentChildren;
  readonly close: () => void;
}

const t = texts.whatIf;

/**
 * Shows the effect of a change, and makes it with a reason once it is confirmed. If the network has changed since the preview, so that
 * others would lose access, the change is not made.
 */
export const ChangeDialog = (props: Props) => {
  const { title, action, name, text, isDangerous = false, losses, close } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const reason = useReason(name);
  const change = useChange(props, reason.text.trim(), () => dialog.current?.close());
  const { report, previewError, brokenTests, failure } = change;
  const end = (): void => {
    reason.drop();
    dialog.current?.close();
  };
  const act = async (): Promise<void> => {
    if (await change.act()) end();
  };
  return (
    <Dialog element={dialog} title={title} isWide closed={close}>
      {text && <p>{text}</p>}
      {change.isLoading && <p role="status">{t.previewing}</p>}
      {previewError !== undefined && <NoPreview error={previewError} retry={change.reload} />}
      {losses}
      {report?.access && !(losses && isWithoutEffect(report.access)) && <AccessReportView report={report.access} />}
      {report && !report.access && <p class="notice">{t.noReport}</p>}
      {isUnanswered(previewError) && (
        <Check id="skips-preview" label={t.unknown} isChecked={change.skipsPreview} set={change.setSkipsPreview} />
      )}
      {brokenTests > 0 && <Check id="override-tests" label={t.override} isChecked={change.overrides} set={change.setOverrides} />}
      <ReasonField reason={reason} />
      {change.isOutdated && (
        <p class="notice warn" role="alert">
          {t.outdated}
        </p>
      )}
      {failure !== undefined && <Problem error={failure} />}
      <div class="actions">
        <button type="button" onClick={end}>
          {texts.cancel}
        </button>
        <button type="button" class={isDangerous ? 'danger' : 'primary'} disabled={!change.isReady} onClick={() => void act()}>
          {change.isBusy ? texts.saving : action}
        </button>
      </div>
    </Dialog>
  );
};

interface CheckProps {
  readonly id: string;
  readonly label: string;
  readonly isChecked: boolean;
  readonly set: (isChecked: boolean) => void;
}

const Check = ({ id, label, isChecked, set }: CheckProps) => (
  <p class="field flagged">
    <input id={id} type="checkbox" checked={isChecked} onChange={(event) => set(event.currentTarget.checked)} />
    <label for={id}>{label}</label>
  </p>
);

/** Why there is no preview, and what that means. */
const NoPreview = ({ error, retry }: { readonly error: unknown; readonly retry: () => void }) => {
  if (isNotPreviewable(error)) return <p class="notice">{t.notPreviewable}</p>;
  if (!isUnanswered(error)) return <Problem error={error} retry={retry} />;
  return (
    <div class="notice warn" role="alert">
      <p>{t.unanswered}</p>
      <button type="button" onClick={retry}>
        {texts.retry}
      </button>
    </div>
  );
};
