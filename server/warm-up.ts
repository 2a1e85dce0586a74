import type { HealthReason, Logger, ManagementController } from '../src/index.ts';

/** Builds the indexes of the controller before the server is ready. It answers requests meanwhile. */
export interface WarmUp {
  /** Never rejects. */
  run(controller: Pick<ManagementController, 'warmUp'>, messages: Pick<Logger, 'info'>): Promise<void>;
  /** The reason why the server is not ready; undefined once it is, or has taken so long that waiting is of no use. */
  reason(): HealthReason | undefined;
}

/** The time after which the server is ready in any case. ms */
const MAX_MS = 120_000;
/** The interval of messages in the log. ms */
const MESSAGE_MS = 5000;

export const createWarmUp = (now: () => number = () => performance.now()): WarmUp => {
  let began: number | undefined;
  let rows = 0;
  const progress = (): string => `the indexes are being built: ${rows.toLocaleString('en')} rows so far`;
  return {
    run: async (controller, messages) => {
      const start = now();
      let toldAt = start;
      began = start;
      await controller.warmUp((indexed) => {
        rows = indexed;
        if (now() - toldAt < MESSAGE_MS) return;
        toldAt = now();
        messages.info(progress());
      });
      began = undefined;
      const seconds = (now() - start) / 1000;
      if (seconds >= 1) messages.info(`the indexes were built in ${seconds.toFixed(0)} s: ${rows.toLocaleString('en')} rows`);
    },
    reason: () =>
      began === undefined || now() - began > MAX_MS ? undefined : { concerns: 'warmUp', severity: 'error', message: progress() },
  };
};
