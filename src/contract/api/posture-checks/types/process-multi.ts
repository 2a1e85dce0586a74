import * as z from 'zod';
import { compareText, sortedSet } from '../../../../query/order.ts';
import { list, required, string, variant } from '../../kit/index.ts';
import { shortText } from '../../shared.ts';
import { type OsType, osKey, osType } from '../os-type.ts';

const texts = z.array(string).readonly();

/** A program that must run on endpoints of an operating system. */
const stored = z
  .object({
    /** Operating system. */
    osType,
    /** Alias of `osType`. */
    os: osType,
    /** Path of the program. */
    path: string,
    /** SHA-256 of the accepted binaries; empty: any binary. */
    hashes: texts,
    /** SHA-1 of certificates, one of which must have signed the binary; empty: no signature required. */
    signerFingerprints: texts,
  })
  .readonly()
  .meta({ id: 'PostureProcessMulti' });
type Stored = z.infer<typeof stored>;

/** A program. The operating system may be in either of two fields: clients use `osType`, the specification `os`. */
const entry = z
  .object({
    /** Operating system. Required, unless `os` is given. */
    osType: osType.optional(),
    /** Operating system. */
    os: osType.optional(),
    /** Path of the program. */
    path: shortText.min(1),
    /** SHA-256 of the accepted binaries; empty: any binary. */
    hashes: list(shortText, 1000).nullish(),
    /** SHA-1 of certificates, one of which must have signed the binary; empty: no signature required. */
    signerFingerprints: list(shortText, 1000).nullish(),
  })
  .superRefine((value, context) => {
    if (systemOf(value) === undefined) context.addIssue({ code: 'custom', message: 'osType in body is required', path: ['osType'] });
  });

const systemOf = ({ osType, os }: { readonly osType?: OsType | undefined; readonly os?: OsType | undefined }) => osType ?? os;
const keyOf = ({ osType, path }: Stored): string => osKey(osType) + path;

/** If a path is listed more than once for a system, the last entry takes effect. */
const processes = list(entry, 1000)
  .min(1)
  .transform((entries): readonly Stored[] => {
    const all = entries.map(({ path, hashes, signerFingerprints, ...systems }): Stored => {
      const system = systemOf(systems) ?? 'Linux'; // never undefined: `superRefine` refuses that
      return {
        osType: system,
        os: system,
        path,
        hashes: sortedSet(hashes ?? []),
        signerFingerprints: sortedSet(signerFingerprints ?? []),
      };
    });
    return [...new Map(all.map((each) => [keyOf(each), each])).values()].sort((a, b) => compareText(keyOf(a), keyOf(b)));
  })
  .pipe(z.array(stored).readonly());

/** Programs must run on the endpoint: all of them, or at least one (`OneOf` means the same as `AnyOf`). */
export const processMultiVariant = variant('ProcessMulti', {
  /** `AllOf`: all programs must run; `AnyOf` or `OneOf`: at least one of them. */
  semantic: required(z.enum(['AllOf', 'AnyOf', 'OneOf'])),
  /** The programs. */
  processes: required(processes),
});
