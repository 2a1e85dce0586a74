/** The browser in which the console is tested: Chromium, or Firefox with `BROWSER=firefox`, as Debian packages them. */
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Browser, chromium, firefox } from 'playwright-core';

const isFirefox = process.env['BROWSER'] === 'firefox';
const command = isFirefox ? (process.env['FIREFOX'] ?? 'firefox-esr') : (process.env['CHROMIUM'] ?? 'chromium');

/** The path of a command on this machine; undefined if there is none. */
const pathOf = (name: string): string | undefined => {
  const candidates = isAbsolute(name) ? [name] : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
};

/** For `describe`: skips tests where no browser is. */
export const inBrowser = {
  skip: pathOf(command)
    ? false
    : `no ${command} here: install the package of this name, or name its command in ${isFirefox ? 'FIREFOX' : 'CHROMIUM'}`,
} as const;

interface Launch {
  /** Arguments of Chromium to leave out. */
  readonly without?: string[];
  /** A host name that leads to this machine. */
  readonly localName?: string;
}

export const launchBrowser = async ({ without = [], localName = 'localhost' }: Launch = {}): Promise<Browser> => {
  const executablePath = pathOf(command) ?? command;
  // The driver speaks WebDriver BiDi with an unmodified Firefox.
  if (isFirefox)
    return firefox.launch({ channel: 'moz-firefox', executablePath, firefoxUserPrefs: { 'network.dns.localDomains': localName } });
  const args = ['--no-sandbox', `--host-resolver-rules=MAP ${localName} 127.0.0.1`];
  return chromium.launch({ executablePath, args, ignoreDefaultArgs: without });
};
