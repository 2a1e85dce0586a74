import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type Preview } from '../../../src/client/index.ts';
import { useLoaded } from '../loaded.ts';
import { useObservable } from '../observable.ts';
import { session, sessionEnded } from '../session.ts';
import { texts } from '../texts.ts';
import { AccessReportView, type Report } from './access-report.tsx';
import { Problem } from './problem.tsx';

/** The options with which a change is carried out. */
export interface ChangeOptions {
  readonly reason?: string;
  /** As many may lose access as the preview has shown, and no more. */
  readonly maxLost?: number;
  readonly overrideTests?: true;
}

/** The options with which a change is previewed. */
export interface PreviewOptions {
  readonly signal: AbortSignal;
  /** For an administrator, who may override policy tests: the preview then tells which ones would fail, instead of being refused. */
  readonly overrideTests?: true;
  readonly reason?: string;
}

interface Props {
  readonly title: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly preview: (options: PreviewOptions) => Promise<Preview<unknown>>;
  readonly carryOut: (options: ChangeOptions) => Promise<void>;
  /** Called with each error; true if what opened the dialog shows it: then the dialog closes. */
  readonly refused?: (error: unknown) => boolean;
  readonly close: () => void;
  readonly reason?: string;
}

const t = texts.whatIf;

/** Shows what a change would do before it is carried out, and carries it out with a reason. What has changed meanwhile cannot take away more than was shown. */
export const ChangeDialog = ({
  title,
  action,
  isDangerous = false,
  preview: previewWith,
  carryOut,
  refused,
  close,
  reason: given = '',
}: Props) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState(given);
  const [overrides, setOverrides] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isOutdated, setOutdated] = useState(false);
  const hasEnded = useObservable(sessionEnded);
  useEffect(() => dialog.current?.showModal(), []);
  // The dialog would be above the way to the next login.
  useEffect(() => (hasEnded ? dialog.current?.close() : undefined), [hasEnded]);
  const preview = (signal: AbortSignal) =>
    previewWith({ signal, ...(session.get()?.identity.isAdmin ? { overrideTests: true, reason: 'preview' } : {}) });
  const { value, error, isLoading, reload } = useLoaded('preview', (signal) => preview(signal));
  const isShownElsewhere = (thrown: unknown): boolean => {
    if (!refused?.(thrown)) return false;
    dialog.current?.close();
    return true;
  };
  useEffect(() => {
    if (error !== undefined) isShownElsewhere(error);
  }, [error]);
  const cannotBePreviewed = isNotPreviewable(error);
  const broken = value?.access?.counts.brokenTests ?? 0;
  const act = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    setOutdated(false);
    try {
      // As many may lose access as before, but others: a number alone would not tell.
      if (value?.access && pairsOf(value.access) !== pairsOf((await preview(new AbortController().signal)).access)) {
        setOutdated(true);
        setBusy(false);
        return reload();
      }
      const lost = value?.access?.counts.lost;
      await carryOut({
        ...(reason.trim() ? { reason: reason.trim() } : {}),
        ...(lost === undefined ? {} : { maxLost: lost }),
        ...(overrides && broken > 0 ? { overrideTests: true } : {}),
      });
    } catch (thrown) {
      if (isShownElsewhere(thrown)) return;
      setFailure(thrown);
      setBusy(false);
      // Others may have changed something since: the person sees what it would do now.
      reload();
    }
  };
  return (
    <dialog ref={dialog} class="wide" aria-labelledby="change-title" onClose={close}>
      <h2 id="change-title">{title}</h2>
      {isLoading && <p role="status">{t.previewing}</p>}
      {error !== undefined && !cannotBePreviewed && <Problem error={error} retry={reload} />}
      {cannotBePreviewed && <p class="notice">{t.notPreviewable}</p>}
      {value?.access && <AccessReportView report={value.access} />}
      {value && !value.access && <p class="notice">{t.noReport}</p>}
      {broken > 0 && (
        <p class="field flagged">
          <input id="override-tests" type="checkbox" checked={overrides} onChange={(event) => setOverrides(event.currentTarget.checked)} />
          <label for="override-tests">{t.override}</label>
        </p>
      )}
      <label for="change-reason">{texts.reason}</label>
      <input id="change-reason" type="text" maxLength={1000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      <p class="muted small">{texts.reasonHint}</p>
      {isOutdated && (
        <p class="notice warn" role="alert">
          {t.outdated}
        </p>
      )}
      {failure !== undefined && <Problem error={failure} />}
      <div class="actions">
        <button type="button" onClick={() => dialog.current?.close()}>
          {texts.cancel}
        </button>
        <button
          type="button"
          class={isDangerous ? 'danger' : 'primary'}
          disabled={isBusy || (!value && !cannotBePreviewed) || (broken > 0 && !(overrides && reason.trim()))}
          onClick={() => void act()}
        >
          {isBusy ? texts.saving : action}
        </button>
      </div>
    </dialog>
  );
};

/** Who loses and who gains what, as a text to compare. */
const pairsOf = (report: Report | undefined): string =>
  JSON.stringify(
    report && [
      report.counts.lost,
      report.counts.gained,
      ...[report.lost, report.gained].map((changes) => changes.map(({ identity, service, type }) => [identity.id, service.id, type])),
    ],
  );

/** True for an operation that calls out or cannot be rolled back, which the controller does not preview. */
const isNotPreviewable = (error: unknown): boolean => error instanceof ApiError && Object(error.cause).field === 'preview';
