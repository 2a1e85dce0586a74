import * as z from 'zod';
import { mapOf, textUpTo } from './kit/index.ts';

/** Schemas that several kinds share. The limits are those of the specification, section "Limits". */

/** Short strings: ids, names, addresses, tokens. */
export const shortText = textUpTo(4096);

/** Certificates and certificate requests in PEM. */
export const pem = textUpTo(524_288);

/** A certificate request in PEM. A request for RSA with 8192 bits has about 3,000 characters. */
export const certificateRequest = textUpTo(16_384);

/** The name of an entity. */
export const name = shortText
  .min(1)
  .refine((value) => value === '' || /\P{Default_Ignorable_Code_Point}/u.test(value), 'name must contain a visible character')
  .meta({ description: 'Name: not empty, unique within the kind, case-sensitive, and at most 2,048 bytes in UTF-8.' });

/** Text without control characters and lone surrogates, which is safe to store, show and log. */
export const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;

/** A string that is not blank. */
export const notBlank = shortText.refine((value) => value.trim() !== '', 'must not be blank').meta({ minLength: 1 });

/** A string that is null if it is blank. */
export const blankIsNull = shortText.transform((value): string | null => (value.trim() === '' ? null : value));

/** The id of an auth policy; blank text means the default policy. */
export const policyId = shortText.transform((value): string | null => (value.trim() === '' ? 'default' : value));

/** True if the text is an http or https address. */
export const isWebAddress = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '');

export const boolean = z.boolean();

/** A date with a UTC offset (RFC 3339), converted to the format of `timestamp`. */
export const dateTime = z.iso
  .datetime({ offset: true })
  .max(64, { abort: true })
  .transform((given): string => new Date(given).toISOString());

/** 0 to 65535 (specification, "Limits"). */
export const cost = z.int().min(0).max(65535);

export const precedence = z.enum(['default', 'required', 'failed']);

/** 4 to 100 characters, counted as code points, not as UTF-16 units (specification, "Limits"). */
export const username = characters(4, 100);
/** 5 to 100 characters (specification, "Limits"). */
export const password = characters(5, 100);

function characters(min: number, max: number) {
  return shortText
    .superRefine((value, context) => {
      const { length } = [...value];
      if (length < min) context.addIssue({ code: 'too_small', minimum: min, origin: 'string', inclusive: true, input: value });
      if (length > max) context.addIssue({ code: 'too_big', maximum: max, origin: 'string', inclusive: true, input: value });
    })
    .meta({ minLength: min, maxLength: max });
}

export const jsonMap = mapOf(z.unknown(), 10_000).meta({ id: 'JsonMap', description: 'A map of names to any JSON values.' });

/** The client's environment, reported at login. */
export const envInfo = z
  .object({
    /** Architecture of the processor. */
    arch: textUpTo(255),
    /** Domain that the machine has joined. */
    domain: textUpTo(253),
    /** Name of the machine. */
    hostname: textUpTo(253),
    /** Operating system. */
    os: textUpTo(255),
    /** Release of the operating system. */
    osRelease: textUpTo(255),
    /** Version of the operating system. */
    osVersion: textUpTo(255),
  })
  .partial()
  .meta({ id: 'EnvInfo' });

/** The client's software, reported at login. */
export const sdkInfo = z
  .object({
    /** Name of the application. */
    appId: textUpTo(255),
    /** Version of the application. */
    appVersion: textUpTo(255),
    /** Branch that the SDK was built from. */
    branch: textUpTo(255),
    /** Commit that the SDK was built from. */
    revision: textUpTo(255),
    /** Name of the SDK. */
    type: textUpTo(255),
    /** Version of the SDK. */
    version: textUpTo(255),
  })
  .partial()
  .meta({ id: 'SdkInfo' });
