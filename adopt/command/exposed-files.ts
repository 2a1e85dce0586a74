import { stat } from 'node:fs/promises';

/** A warning for each file that users other than its owner may read or write. Not on Windows, whose files lack such modes. */
export const exposedFiles = async (files: readonly string[]): Promise<readonly string[]> => {
  if (process.platform === 'win32') return [];
  const modeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.mode ?? 0;
  const modes = await Promise.all([...new Set(files)].map(async (file) => [file, (await modeOf(file)) & 0o777] as const));
  return modes.flatMap(([file, mode]) =>
    mode & 0o077 ? [`${file} contains a private key, and users other than its owner can access it: its mode is 0${mode.toString(8)}`] : [],
  );
};
