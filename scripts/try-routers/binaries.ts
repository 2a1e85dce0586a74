import { symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/**
 * The parts of a trial, each with the pattern of the arguments that start it. They take the binaries in turn, in this order: with two of
 * them, each client meets a router of the other version, and the two routers differ.
 */
const PARTS = {
  paris: '"router "*" paris.yml"*',
  lyon: '"router "*" lyon.yml"*',
  'client of lyon': '"tunnel "*',
  'host at paris': '"demo echo-server"*',
  'command line': '*',
} as const;

/** @param names paths of the program `ziti` in several versions, separated by `:` or `,` */
export const binariesIn = (names: string): readonly string[] =>
  names
    .split(new RegExp(`[${delimiter},]`))
    .filter(Boolean)
    .map((name) => resolve(name));

/**
 * Installs a program `ziti` in a folder, which runs the binary of each part.
 * @param of the parts, each with the pattern of the arguments that start it; the first that fits counts
 * @returns which binary each part has
 */
export const installBinaries = (folder: string, binaries: readonly string[], of: Readonly<Record<string, string>> = PARTS): string => {
  for (const [i, binary] of binaries.entries()) symlinkSync(binary, join(folder, `ziti-${i}`));
  const parts = Object.entries(of).map(([part, pattern], i) => ({ part, pattern, at: i % binaries.length }));
  const cases = parts.map(({ pattern, at }) => `  ${pattern}) exec ziti-${at} "$@" ;;`);
  writeFileSync(join(folder, 'ziti'), ['#!/bin/sh', 'case "$*" in', ...cases, 'esac', ''].join('\n'), { mode: 0o755 });
  return parts.map(({ part, at }) => `${part}: ${binaries[at]}`).join('\n');
};
