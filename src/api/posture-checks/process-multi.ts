import * as z from 'zod';
import { list } from '../kit/bounded.ts';
import { required } from '../kit/field.ts';
import { byCodePoint, sortedSet } from '../kit/relations.ts';
import { variant } from '../kit/variants.ts';
import { shortText, text } from '../shared.ts';
import { type OsType, osKey, osType } from './os-type.ts';

const texts = z.array(text).readonly();

/** `hashes`: SHA-256 of binaries that will do. `signerFingerprints`: SHA-1 of certificates of which one must have signed it. Empty: any will do. */
const stored = z
  .object({ osType, os: osType, path: text, hashes: texts, signerFingerprints: texts })
  .readonly()
  .meta({ id: 'PostureProcessMulti' });
type Stored = z.infer<typeof stored>;

/** The system goes by two names: that of clients, and that of the specification. */
const entry = z
  .object({
    osType: osType.optional(),
    os: osType.optional(),
    path: shortText.min(1),
    hashes: list(shortText, 1000).nullish(),
    signerFingerprints: list(shortText, 1000).nullish(),
  })
  .superRefine((value, context) => {
    if (systemOf(value) === undefined) context.addIssue({ code: 'custom', message: 'osType in body is required', path: ['osType'] });
  });

const systemOf = ({ osType, os }: { readonly osType?: OsType | undefined; readonly os?: OsType | undefined }) => osType ?? os;
const keyOf = ({ osType, path }: Stored): string => osKey(osType) + path;

/** Of a path that is listed twice for a system, the last entry counts. */
const processes = list(entry, 1000)
  .min(1)
  .transform((entries): readonly Stored[] => {
    const all = entries.map(({ path, hashes, signerFingerprints, ...systems }): Stored => {
      const system = systemOf(systems) ?? 'Linux'; // refused above when there is none
      return {
        osType: system,
        os: system,
        path,
        hashes: sortedSet(hashes ?? []),
        signerFingerprints: sortedSet(signerFingerprints ?? []),
      };
    });
    return [...new Map(all.map((each) => [keyOf(each), each])).values()].sort((a, b) => byCodePoint(keyOf(a), keyOf(b)));
  })
  .pipe(z.array(stored).readonly());

/** Programs must run on the endpoint: all of them, or one (`OneOf`, which clients call `AnyOf`). */
export const processMulti = variant('ProcessMulti', {
  semantic: required(z.enum(['AllOf', 'AnyOf', 'OneOf'])),
  processes: required(processes),
});
