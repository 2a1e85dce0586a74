import type { ToldEvent } from '../../contract/network-events/kinds.ts';
import type { JournalStepResult, UsagePart } from './write-step.ts';

type Exceeded = ToldEvent<'quota'>;

/** A step whose transaction may have been committed. */
interface StepInDoubt {
  readonly parts: ReadonlySet<UsagePart>;
  readonly exceeded: readonly Exceeded[];
}

/** Reports exceeded quotas once, also if the answer to a commit is lost. */
export interface ExceededQuotas {
  /** The transaction of a step failed, or the answer to its commit is lost. */
  inDoubt(parts: ReadonlySet<UsagePart>, exceeded: readonly Exceeded[]): void;
  /** The transaction of a step was committed. */
  committed(parts: ReadonlySet<UsagePart>, result: JournalStepResult): void;
}

export const createExceededQuotas = (report: (quota: Exceeded) => void): ExceededQuotas => {
  let stepsInDoubt: readonly StepInDoubt[] = [];
  /** Removes the steps with any of these parts. */
  const take = (parts: ReadonlySet<UsagePart>): readonly StepInDoubt[] => {
    const taken = stepsInDoubt.filter((step) => [...step.parts].some((part) => parts.has(part)));
    stepsInDoubt = stepsInDoubt.filter((step) => !taken.includes(step));
    return taken;
  };
  return {
    inDoubt: (parts, exceeded) => {
      if (exceeded.length === 0) return;
      // A step is in doubt once, however often it fails.
      const former = take(parts);
      stepsInDoubt = [
        ...stepsInDoubt,
        {
          parts: new Set([...former.flatMap((step) => [...step.parts]), ...parts]),
          exceeded: distinct([...former.flatMap((step) => step.exceeded), ...exceeded]),
        },
      ];
    },
    committed: (parts, { repeated, exceeded }) => {
      const retried = take(parts);
      // Usage that was not counted again had been committed. Otherwise, this transaction has found the same quotas.
      const former = repeated > 0 ? retried.flatMap((step) => step.exceeded) : [];
      for (const quota of distinct([...former, ...exceeded])) report(quota);
    },
  };
};

const distinct = (quotas: readonly Exceeded[]): readonly Exceeded[] => [...new Map(quotas.map((quota) => [keyOf(quota), quota])).values()];

const keyOf = ({ quota, identity_id, service_id, period_start }: Exceeded): string =>
  JSON.stringify([quota, identity_id, service_id, period_start]);
