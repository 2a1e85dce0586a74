/** The licence notices of the packages in the bundle, which their licences require. */
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/**
 * A comment with the licences of all packages that a bundle contains.
 * @param inputs the paths of the bundled files, relative to the working directory
 * @throws Error if a package has no licence file
 */
export const noticesOf = async (inputs: readonly string[]): Promise<string> => {
  const folders = [...new Set(inputs.flatMap((input) => PACKAGE.exec(input)?.[0] ?? []))].toSorted();
  const licences = await Promise.all(folders.map(licenceIn));
  return licences.map((licence) => `/*! ${licence.replaceAll('*/', '* /')} */\n`).join('');
};

/** The folder of a package, which may be scoped. */
const PACKAGE = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/;

const licenceIn = async (folder: string): Promise<string> => {
  const { name, version } = JSON.parse(await readFile(resolve(folder, 'package.json'), 'utf8')) as { name: string; version: string }; // npm requires both
  const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)\b/i.test(entry));
  if (file === undefined) throw new Error(`${name} is bundled, but has no licence file`);
  return `${name} ${version}\n\n${(await readFile(resolve(folder, file), 'utf8')).trim()}`;
};
