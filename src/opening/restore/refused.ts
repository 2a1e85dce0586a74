import { SnapshotRefused } from '../../storage/errors.ts';

/** Characters of a reason. */
const LONGEST = 500;

/** @param reason may quote the snapshot: what would control a terminal is left out */
export const refusedAt = (line: number, reason: string): SnapshotRefused =>
  new SnapshotRefused(`the snapshot is refused, line ${line}: ${reason.slice(0, LONGEST).replaceAll(/\p{C}/gu, '�')}`);
