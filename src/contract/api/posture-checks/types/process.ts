import * as z from 'zod';
import { sortedSet } from '../../../../query/order.ts';
import { list, required, string, variant } from '../../kit/index.ts';
import { shortText } from '../../shared.ts';
import { osType } from '../os-type.ts';

const lowerCase = (value: string): string => value.toLowerCase();

const body = z.object({
  /** Operating system. */
  osType,
  /** Path of the program. */
  path: shortText.min(1),
  /** SHA-256 of the accepted binaries; empty: any binary. */
  hashes: list(shortText, 1000).nullish(),
  /** SHA-1 of the certificate that must have signed the binary. */
  signerFingerprint: shortText.nullish(),
});

/** A program that must run on endpoints of an operating system. */
const stored = z
  .object({
    /** Operating system. */
    osType,
    /** Path of the program. */
    path: string,
    /** SHA-256 of the accepted binaries; null: any binary. */
    hashes: z.array(string).readonly().nullable(),
    /** SHA-1 of the certificate that must have signed the binary. */
    signerFingerprint: string.optional(),
  })
  .readonly()
  .meta({ id: 'PostureProcess' });

const processDocument = body
  .transform(
    ({ hashes, signerFingerprint, ...rest }): z.infer<typeof stored> => ({
      ...rest,
      hashes: hashes?.length ? sortedSet(hashes.map(lowerCase)) : null,
      ...(signerFingerprint ? { signerFingerprint: lowerCase(signerFingerprint) } : {}),
    }),
  )
  .pipe(stored);

/** A patch replaces the operating system and the path. The other fields change only if they are given. */
const patch = body.transform(({ hashes, signerFingerprint, ...rest }) => ({
  ...rest,
  ...(hashes ? { hashes: hashes.length ? sortedSet(hashes.map(lowerCase)) : null } : {}),
  ...(signerFingerprint == null ? {} : { signerFingerprint: lowerCase(signerFingerprint) }),
}));

/** A program must run on the endpoint. */
export const processVariant = variant('Process', {
  /** The program. */
  process: required(processDocument, { patch: patch.optional() }),
});
