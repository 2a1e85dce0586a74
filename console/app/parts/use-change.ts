import { useEffect, useState } from 'preact/hooks';
import { ApiError, type Preview } from '../../../client/index.ts';
import { useLoaded } from '../loaded.ts';
import { session } from '../session.ts';
import { nameOf } from '../words.ts';
import type { Report } from './access-report.tsx';

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
  /** For an administrator, who may override policy tests: the preview then lists those that would fail, instead of being refused. */
  readonly overrideTests?: true;
  readonly reason?: string;
}

export interface PreviewedChange {
  readonly preview: (options: PreviewOptions) => Promise<Preview<unknown>>;
  readonly carryOut: (options: ChangeOptions) => Promise<void>;
  /** Called with each error; true if what opened the dialog shows it: then the dialog closes. */
  readonly refused?: (error: unknown) => boolean;
}

/** A change that is previewed first. */
export const useChange = ({ preview: previewWith, carryOut, refused }: PreviewedChange, reason: string, dismiss: () => void) => {
  const [overrides, setOverrides] = useState(false);
  const [skipsPreview, setSkipsPreview] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const { report, previewError, isLoading, reload, isOutdated, isStillCurrent } = useReport(previewWith);
  const isShownElsewhere = (error: unknown): boolean => {
    if (!refused?.(error)) return false;
    dismiss();
    return true;
  };
  useEffect(() => {
    if (previewError !== undefined) isShownElsewhere(previewError);
  }, [previewError]);
  const brokenTests = report?.access?.counts.brokenTests ?? brokenIn(failure);
  /** Carries the change out. @returns true if it was made */
  const act = async (): Promise<boolean> => {
    setBusy(true);
    setFailure(undefined);
    const isDone = (await isStillCurrent()) && (await attempt());
    setBusy(false);
    return isDone;
  };
  const attempt = async (): Promise<boolean> => {
    const lost = report?.access?.counts.lost;
    try {
      await carryOut({
        ...(reason ? { reason } : {}),
        ...(lost === undefined ? {} : { maxLost: lost }),
        ...(overrides && brokenTests > 0 ? { overrideTests: true } : {}),
      });
      return true;
    } catch (error) {
      if (isShownElsewhere(error)) return false;
      setFailure(error);
      // Others may have changed something since: the person sees what it would do now.
      reload();
      return false;
    }
  };
  const mayGo = report !== undefined || isNotPreviewable(previewError) || (isUnanswered(previewError) && skipsPreview);
  const isReady = !isBusy && mayGo && (brokenTests === 0 || (overrides && reason !== ''));
  return {
    ...{ report, previewError, isLoading, reload, brokenTests, failure, isBusy, isReady, isOutdated, act },
    ...{ overrides, setOverrides, skipsPreview, setSkipsPreview },
  };
};

/** The report of what a change would do. */
const useReport = (previewWith: PreviewedChange['preview']) => {
  const [isOutdated, setOutdated] = useState(false);
  const preview = (signal: AbortSignal) =>
    previewWith({ signal, ...(session.get()?.identity.isAdmin ? { overrideTests: true, reason: 'preview' } : {}) });
  const { value, error: previewError, isLoading, reload } = useLoaded('preview', preview);
  // A report that could not be read again is of an earlier state.
  const report = previewError === undefined ? value : undefined;
  /** @returns false if the change would do something else by now: then the report is read again */
  const isStillCurrent = async (): Promise<boolean> => {
    setOutdated(false);
    if (!report?.access) return true;
    try {
      // As many may lose access as before, but others: a number alone would not show that.
      if (pairsOf(report.access) === pairsOf((await preview(new AbortController().signal)).access)) return true;
      setOutdated(true);
    } catch {
      // The preview that is read again says why, and that nothing has been changed.
    }
    reload();
    return false;
  };
  return { report, previewError, isLoading, reload, isOutdated, isStillCurrent };
};

/** The lost and gained access, as text to compare. By unique names: what a preview creates has another id each time. */
const pairsOf = (report: Report | undefined): string =>
  JSON.stringify(
    report && [
      report.counts.lost,
      report.counts.gained,
      ...[report.lost, report.gained].map((changes) =>
        changes.map(({ identity, service, type }) => [nameOf(identity), nameOf(service), type]),
      ),
    ],
  );

/** The number of policy tests because of which a change was refused. */
const brokenIn = (error: unknown): number =>
  error instanceof ApiError && error.code === 'POLICY_TESTS_BROKEN' ? Number(Object(error.cause).brokenCount) : 0;

/** True for an operation that calls out or cannot be rolled back, which the controller does not preview. */
export const isNotPreviewable = (error: unknown): boolean => error instanceof ApiError && Object(error.cause).field === 'preview';

/** Beside failures of the server: too slow, too large, or too busy. */
const UNANSWERED: readonly number[] = [408, 413, 429];

/** True for an error that says nothing about the change, only that the controller could not preview it. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiError && (error.status >= 500 || UNANSWERED.includes(error.status));
