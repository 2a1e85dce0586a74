/** The software of routers, and what it is capable of. */
import * as z from 'zod';
import { string } from './kit/index.ts';
import { shortLine } from './router-reports.ts';

const reported = shortLine.default('');

/** The software of a router. Fields that the router does not report are empty. */
export const reportedVersion = z.object({ arch: reported, buildDate: reported, os: reported, revision: reported, version: reported });

export type ReportedVersion = z.input<typeof reportedVersion>;

/** The software that a router runs. */
export const versionInfo = z
  .object({
    /** Architecture of the processor. */
    arch: shortLine,
    /** When the software was built. */
    buildDate: shortLine,
    /** Operating system. */
    os: shortLine,
    /** Commit that the software was built from. */
    revision: shortLine,
    /** Version of the software. */
    version: shortLine,
  })
  .meta({ id: 'RouterVersion' });

/** Names of router capabilities, by bit in the mask that a router reports in its hello. */
const CAPABILITY_NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'MULTI_CHANNEL'],
  [2, 'CONNECT_V2'],
  [4, 'SERVICE_SUBSCRIPTIONS'],
  [5, 'POSTURE_CHECKS'],
  [6, 'BIND_SUCCESS'],
]);

/** The bits of a mask of 64 capabilities. */
export const capabilityBits = z.array(z.int().min(0).max(63)).max(64);

/** The names of all router capabilities. */
export const routerCapabilityNames: readonly string[] = [...CAPABILITY_NAMES.values()];

/** The names of the capabilities with the given bits; bits without a name are skipped. */
export const capabilityNamesOf = (bits: readonly number[]): readonly string[] => bits.flatMap((bit) => CAPABILITY_NAMES.get(bit) ?? []);

/** Reported fields of a router that clients see. */
export const reportedFields = {
  /** Version of the software that the router runs, while it is connected. */
  version: string.optional(),
  /** Names of the capabilities that the router reports, while it is connected. */
  capabilities: z.array(string).optional(),
};
