/**
 * The browser in which the console is tested: Chromium, or Firefox with `BROWSER=firefox`, as Debian packages them. The build of Chromium
 * without windows takes half of the processor time.
 */
import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Browser, chromium, firefox } from 'playwright-core';

const isFirefox = process.env['BROWSER'] === 'firefox';
const variable = isFirefox ? 'FIREFOX' : 'CHROMIUM';
const named = process.env[variable];
const commands = named ? [named] : isFirefox ? ['firefox-esr'] : ['chromium-headless-shell', 'chromium'];

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

const executablePath = commands.map(pathOf).find((path) => path !== undefined);

/** For `describe`: skips tests where no browser is. */
export const inBrowser = {
  skip: executablePath ? false : `no ${commands[0]} here: install the package of this name, or name its command in ${variable}`,
} as const;

interface Launch {
  /** Arguments of Chromium to leave out. */
  readonly without?: string[];
  /** A host name that leads to this machine. */
  readonly localName?: string;
}

export const launchBrowser = async ({ without = [], localName = 'localhost' }: Launch = {}): Promise<Browser> => {
  assert.ok(executablePath, inBrowser.skip || '');
  // The driver speaks WebDriver BiDi with an unmodified Firefox.
  if (isFirefox)
    return firefox.launch({ channel: 'moz-firefox', executablePath, firefoxUserPrefs: { 'network.dns.localDomains': localName } });
  // An exception for each certificate, as `ignoreHTTPSErrors` makes, repeats requests, which fail when that happens too often.
  const args = ['--no-sandbox', '--ignore-certificate-errors', `--host-resolver-rules=MAP ${localName} 127.0.0.1`];
  return chromium.launch({ executablePath, args, ignoreDefaultArgs: without });
};
