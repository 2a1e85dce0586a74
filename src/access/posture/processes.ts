import { hexDigits } from '../../contract/api/posture-checks/hex.ts';
import type { Facts } from './facts.ts';

export type ReportedProcess = NonNullable<Facts['processes']>[number];

/** The requirements of a check on one process. An empty list requires nothing. */
export interface ProcessRequirements {
  readonly hashes: readonly string[];
  readonly signers: readonly string[];
}

const isListed = (reported: string | null | undefined, listed: readonly string[]): boolean => {
  const digits = hexDigits(reported ?? '');
  return digits !== '' && listed.some((each) => hexDigits(each) === digits);
};

/** True if the process is running, with a listed hash and at least one listed signer. */
export const meetsRequirements = (reported: ReportedProcess, { hashes, signers }: ProcessRequirements): boolean =>
  reported?.isRunning === true &&
  (hashes.length === 0 || isListed(reported.hash, hashes)) &&
  (signers.length === 0 || (reported.signerFingerprints ?? []).some((signer) => isListed(signer, signers)));

export const presentProcess = (reported: ReportedProcess) => ({
  hash: reported?.hash ?? '',
  isRunning: reported?.isRunning ?? false,
  signerFingerprints: reported?.signerFingerprints ?? null,
});
