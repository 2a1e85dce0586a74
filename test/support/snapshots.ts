import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type KindName, kinds } from '../../src/contract/api/index.ts';
import type { Row } from '../../src/store/storage/port.ts';
import type { App } from './app.ts';

/** Takes a snapshot, however lately one was taken. */
export const snapshotOf = async (app: App): Promise<string> => {
  app.clock.advance('1m');
  assert.equal((await app.request('POST', '/database/snapshot')).status, 200);
  return [...app.snapshots.values()].at(-1) ?? '';
};

/** A line of a snapshot with a row. */
export interface SnapshotRow {
  kind: string;
  row: Record<string, unknown>;
}

/** What stands in a snapshot: its head, and its rows. */
export interface SnapshotContent {
  head: Record<string, unknown>;
  rows: SnapshotRow[];
}

export const contentOf = (snapshot: string): SnapshotContent => {
  const [head = '', ...lines] = snapshot.split('\n').slice(0, -2);
  return { head: JSON.parse(head), rows: lines.map((line) => JSON.parse(line)) };
};

/** A snapshot of these lines, whose last line is right: what is wrong with it is not found by its checksum. */
export const sealed = (lines: readonly string[]): string => {
  const text = lines.map((line) => `${line}\n`).join('');
  return `${text}${JSON.stringify({ rows: lines.length - 1, sha256: createHash('sha256').update(text).digest('hex') })}\n`;
};

/** The snapshot of some content. */
export const snapshotWith = ({ head, rows }: SnapshotContent): string => sealed([head, ...rows].map((line) => JSON.stringify(line)));

/** The same with the last records of the change log only, as of a network that keeps no more. */
export const withShortLog = ({ head, rows }: SnapshotContent, kept = 5): SnapshotContent => {
  const log = rows.filter(({ kind }) => kind === 'change').slice(-kept);
  const [first, last] = [log[0]?.row, log.at(-1)?.row];
  assert.ok(first && last);
  Object.assign(last, { oldest: first.revision, oldestBeginsAt: Math.min(Number(first.endsAt), Number(last.endsAt) - 1) });
  return { head, rows: [...rows.filter(({ kind }) => kind !== 'change'), ...log] };
};

/** All that a snapshot holds, by kind. */
export const everything = async (app: App): Promise<Readonly<Record<string, readonly Row[]>>> => {
  const stored = (Object.keys(kinds) as KindName[]).filter((kind) => kinds[kind].view === undefined && !('unrecorded' in kinds[kind]));
  return Object.fromEntries(await Promise.all(stored.map(async (kind) => [kind, await app.rows(kind)] as const)));
};

/** Something of many kinds, with texts that are easily lost. */
export const fill = async (app: App) => {
  const user = await app.user({ roleAttributes: ['sales', 'é😀'], appData: { deep: [1.5, null, '\u2028"\n'] }, tags: { a: null } });
  const token = await user.login();
  await app.create('/services', { name: 'printer', encryptionRequired: true, roleAttributes: ['a'] });
  await app.create('/edge-routers', { name: 'edge', isTunnelerEnabled: true });
  await app.create('/service-policies', { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['#all'] });
  return { user, token };
};
