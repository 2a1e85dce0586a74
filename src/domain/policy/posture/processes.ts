import { hexDigits } from '../../../api/posture-checks/hex.ts';
import type { Facts } from './facts.ts';

export type ReportedProcess = NonNullable<Facts['processes']>[number];

/** What a check asks of one process. An empty list asks nothing. */
export interface Demand {
  readonly hashes: readonly string[];
  readonly signers: readonly string[];
}

const isListed = (told: string | null | undefined, listed: readonly string[]): boolean => {
  const digits = hexDigits(told ?? '');
  return digits !== '' && listed.some((each) => hexDigits(each) === digits);
};

/** The process runs, its binary is one of those listed, and one of its signers is. */
export const satisfies = (told: ReportedProcess, { hashes, signers }: Demand): boolean =>
  told?.isRunning === true &&
  (hashes.length === 0 || isListed(told.hash, hashes)) &&
  (signers.length === 0 || (told.signerFingerprints ?? []).some((signer) => isListed(signer, signers)));

export const shownProcess = (told: ReportedProcess) => ({
  hash: told?.hash ?? '',
  isRunning: told?.isRunning ?? false,
  signerFingerprints: told?.signerFingerprints ?? null,
});
