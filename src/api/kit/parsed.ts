import { Written } from '../surfaces/written.ts';
import { versionOf, withVersion } from './entity-version.ts';

/** The output of an operation as a value, for callers in process. */
export const parsed = (output: unknown): unknown => {
  if (!(output instanceof Written)) return output;
  const version = versionOf(output);
  const value: object = JSON.parse(output.text); // of an object
  return version === undefined ? value : withVersion(value, version);
};
