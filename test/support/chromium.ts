import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The path of Chromium on this machine: the command in `CHROMIUM`, or `chromium` on the search path; undefined if there is none. */
export const chromiumHere = (command = process.env['CHROMIUM'] ?? 'chromium'): string | undefined => {
  const candidates = isAbsolute(command) ? [command] : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, command));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
};
