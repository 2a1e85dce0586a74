import type { AdoptionReport } from './report.ts';

/** A network cannot be adopted like this. Nothing was written. */
export class AdoptionRefused extends Error {
  override readonly name = 'AdoptionRefused';
  /** A sentence for each reason. */
  readonly reasons: readonly string[];
  /** The report of the adoption; undefined if that is unknown. */
  readonly report: AdoptionReport | undefined;
  constructor(reasons: readonly string[], report?: AdoptionReport) {
    super(`the network is not adopted: ${reasons.join('; ')}`);
    this.reasons = reasons;
    this.report = report;
  }
}
