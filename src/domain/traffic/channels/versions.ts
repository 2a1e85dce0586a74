import type { Core } from '../../../call/core.ts';
import { software } from '../../../version.ts';

/** The software of either end, as it says it in its hello. */
export type SpokenVersion = Readonly<Record<'version' | 'revision' | 'buildDate' | 'os' | 'arch', string>>;

/** `version|revision|buildDate|os|arch`. */
export const readSpokenVersion = (said: string): SpokenVersion => {
  const [version = '', revision = '', buildDate = '', os = '', arch = ''] = said.split('|');
  return { version, revision, buildDate, os, arch };
};

/** What the controller says of itself: routers judge by its version what it understands. */
export const spokenVersion = ({ settings }: Pick<Core, 'settings'>): string =>
  [settings.apiLevel, `${software.name} ${software.version}`, software.buildDate, '', ''].join('|');

/** The lines of routers that speak this protocol: 1.x, 2.x, and those built by developers, which say 0.0.0. */
const SPOKEN = /^v?(?:[12]\.\d|0\.0\.0)/;

/** Whether a router of this version can be understood. */
export const isUnderstood = ({ version }: SpokenVersion): boolean => SPOKEN.test(version);
